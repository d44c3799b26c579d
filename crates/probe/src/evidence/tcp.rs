//! What TCP says of the connections that carry messages (TCP_INFO), together.

use std::net::TcpStream;

use super::source::{Counter, Source, Value};
use crate::system::socket_option;

/// How several connections make one number.
#[derive(Clone, Copy)]
enum Together {
    Sum,
    Most,
}

type Field = fn(&libc::tcp_info) -> u64;

const COUNTERS: [(&str, Field); 6] = [
    ("tcp_retransmits", |info| info.tcpi_total_retrans.into()),
    ("tcp_busy_ns", |info| 1000 * info.tcpi_busy_time),
    ("tcp_receive_window_limited_ns", |info| {
        1000 * info.tcpi_rwnd_limited
    }),
    ("tcp_send_buffer_limited_ns", |info| {
        1000 * info.tcpi_sndbuf_limited
    }),
    ("tcp_bytes_sent", |info| info.tcpi_bytes_sent),
    ("tcp_bytes_received", |info| info.tcpi_bytes_received),
];
const GAUGES: [(&str, Together, Field); 5] = [
    ("tcp_lost", Together::Sum, |info| info.tcpi_lost.into()),
    ("tcp_rtt_ns", Together::Most, |info| {
        1000 * u64::from(info.tcpi_rtt)
    }),
    ("tcp_rtt_variation_ns", Together::Most, |info| {
        1000 * u64::from(info.tcpi_rttvar)
    }),
    ("tcp_window_segments", Together::Sum, |info| {
        info.tcpi_snd_cwnd.into()
    }),
    ("tcp_delivery_bytes_per_s", Together::Sum, |info| {
        info.tcpi_delivery_rate
    }),
];
const UNREAD: usize = COUNTERS.len() + GAUGES.len();

/// The same connections as the channel's.
pub struct Connections(pub Vec<TcpStream>);

impl Source for Connections {
    fn counters(&self) -> Vec<Counter> {
        let counters = COUNTERS.iter().map(|(name, _)| Counter::new(*name));
        let gauges = GAUGES.iter().map(|(name, ..)| Counter::gauge(name));
        let unread = Counter::gauge("tcp_unread_bytes");
        counters.chain(gauges).chain([unread]).collect()
    }

    fn read(&mut self, values: &mut [Value]) {
        values.fill(Some(0));
        for socket in &self.0 {
            match socket_option::get(socket, libc::IPPROTO_TCP, libc::TCP_INFO) {
                Ok(info) => add(&info, values),
                Err(_) => values[..UNREAD].fill(None),
            }
            let unread = rustix::io::ioctl_fionread(socket).ok();
            values[UNREAD] = sum(values[UNREAD], unread);
        }
    }
}

fn add(info: &libc::tcp_info, values: &mut [Value]) {
    let (counters, gauges) = values.split_at_mut(COUNTERS.len());
    for (value, (_, field)) in counters.iter_mut().zip(COUNTERS) {
        *value = sum(*value, Some(field(info)));
    }
    for (value, (_, together, field)) in gauges.iter_mut().zip(GAUGES) {
        *value = match together {
            Together::Sum => sum(*value, Some(field(info))),
            Together::Most => value.map(|most| most.max(field(info))),
        };
    }
}

fn sum(one: Value, other: Value) -> Value {
    Some(one? + other?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn several_connections_are_summed_up() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let address = listener.local_addr().expect("an address");
        let mut ends = Vec::new();
        let mut peers = Vec::new();
        for _ in 0..2 {
            ends.push(TcpStream::connect(address).expect("a connection"));
            peers.push(listener.accept().expect("a connection").0);
        }
        for (end, peer) in ends.iter_mut().zip(&mut peers) {
            end.write_all(&[1; 100]).expect("a write");
            peer.read_exact(&mut [0; 70]).expect("a read");
        }
        let read = |sockets| {
            let mut source = Connections(sockets);
            let mut values = vec![None; source.counters().len()];
            source.read(&mut values);
            values
        };
        assert_eq!(read(ends)[4], Some(200), "bytes sent");
        let values = read(peers);
        let received = values[5].expect("bytes received");
        assert!(
            (200..=202).contains(&received),
            "the kernel may count the SYN"
        );
        assert_eq!(values[UNREAD], Some(60));
    }
}
