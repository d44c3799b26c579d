//! Which sources there are.

use std::cell::Cell;
use std::net::{IpAddr, TcpStream};
use std::rc::Rc;

use super::clock::Clock;
use super::driver::DriverCounters;
use super::frequency::{self, Frequency};
use super::interface::{self, Interface};
use super::interrupts::softirqs::{self, Softirqs};
use super::interrupts::softnet::{self, Softnet};
use super::interrupts::{self, Interrupts};
use super::netstat::{self, Netstat};
use super::pressure::{self, Pressure};
use super::process::{Process, Told, USED, Waiting};
use super::processors::{self, Stat};
use super::recorder::Recorder;
use super::tcp::Connections;
use super::text::TextSource;
use super::throttling::{self, Heat, Quota};
use crate::inspect::ethtool::Ethtool;
use crate::system::{interfaces, processor};

/// A recorder of all that can be read of this process, its node, the interface that has an address, and the connections
/// that carry messages, if TCP does.
pub fn open(address: IpAddr, connections: Vec<TcpStream>) -> Recorder {
    let mut recorder = open_own(connections);
    add_host(&mut recorder, address);
    recorder
}

/// A recorder of this process and its connections alone.
pub fn open_own(connections: Vec<TcpStream>) -> Recorder {
    let mut recorder = Recorder::default();
    recorder.add_quick(Clock);
    recorder.add_quick(Process);
    if !connections.is_empty() {
        recorder.add_quick(Connections(connections));
    }
    recorder.add("process_waiting_ns", Waiting::open("self"));
    recorder.add("process_throttled_ns", Quota::open("self"));
    recorder
}

/// A recorder of another process of this node, which says itself what it has used, and of all that is its node's.
pub fn open_beside(address: IpAddr, pid: i32, used: Rc<Cell<[u64; USED]>>) -> Recorder {
    let mut recorder = Recorder::default();
    recorder.add_quick(Clock);
    recorder.add_quick(Told(used));
    recorder.add("process_waiting_ns", Waiting::open(&pid.to_string()));
    recorder.add("process_throttled_ns", Quota::open(&pid.to_string()));
    add_host(&mut recorder, address);
    recorder.leave_out(
        "tcp_*",
        "the MPI keeps its connections to itself".to_owned(),
    );
    recorder
}

/// A recorder of a server's processes, of which another says what they have used, and of all that is their node's.
pub fn open_served(address: IpAddr, used: Rc<Cell<[u64; USED]>>) -> Recorder {
    let mut recorder = Recorder::default();
    recorder.add_quick(Clock);
    recorder.add_quick(Told(used));
    add_host(&mut recorder, address);
    let reason = "the server keeps its connections to itself".to_owned();
    recorder.leave_out("tcp_*, process_waiting_ns", reason);
    recorder
}

fn add_host(recorder: &mut Recorder, address: IpAddr) {
    let stat = TextSource::open(processors::PATH, Stat::new());
    recorder.add("cpu_*, system_*", stat);
    recorder.add("softirq_*", TextSource::open(softirqs::PATH, Softirqs));
    recorder.add("softnet_*", TextSource::open(softnet::PATH, Softnet));
    for path in netstat::PATHS {
        recorder.add("nstat:*", TextSource::open(path, Netstat));
    }
    add_interface(recorder, address);
    if let [cpu] = processor::allowed()[..] {
        let file = TextSource::open(&frequency::path(cpu), Frequency(cpu));
        recorder.add("cpu_khz", file);
        let file = TextSource::open(&throttling::heat_path(cpu), Heat(cpu));
        recorder.add("thermal_throttled_ns", file);
    } else {
        recorder.leave_out(
            "cpu_khz, thermal_throttled_ns",
            "the agent is not pinned to a processor".to_owned(),
        );
    }
    for (path, name) in pressure::RESOURCES {
        recorder.add(name, TextSource::open(path, Pressure(name)));
    }
}

/// The interface that has the address: what it carried, what its driver counts, and its interrupts.
fn add_interface(recorder: &mut Recorder, address: IpAddr) {
    let mut all = interfaces::addresses().into_iter();
    let Some(name) = all.find(|one| one.ip == address).map(|one| one.interface) else {
        let reason = format!("no interface has {address}");
        return recorder.leave_out("interface_*, ethtool:*, interrupts:*", reason);
    };
    let slot = Ethtool::new(&name).ok().and_then(|one| one.driver());
    let slot = slot.map(|driver| driver.bus).filter(|bus| !bus.is_empty());
    let words = [name.clone()].into_iter().chain(slot).collect();
    recorder.add("ethtool:*", DriverCounters::open(&name));
    let interrupts = TextSource::open(interrupts::PATH, Interrupts(words));
    recorder.add("interrupts:*", interrupts);
    let carried = TextSource::open(interface::PATH, Interface(name));
    recorder.add("interface_*", carried);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::rows::tests::names;
    use crate::transport::order::Order;

    #[test]
    fn this_machine_gives_the_counters_of_each_source() {
        let recorder = open("127.0.0.1".parse().expect("an address"), Vec::new());
        let has = |name: &str| recorder.counters().iter().any(|one| one.name == name);
        for name in [
            "elapsed_ns",
            "process_user_ns",
            "cpu_softirq_ns",
            "system_switches",
            "softirq_net_rx",
            "softnet_squeezed",
            "nstat:TcpExtTCPTimeouts",
            "nstat:TcpRetransSegs",
            "interface_rx_dropped",
        ] {
            assert!(has(name), "{name}: {:?}", recorder.missing());
        }
        assert!(!has("tcp_busy_ns"), "there is no connection");
    }

    #[test]
    fn an_address_of_no_interface_is_said_and_the_rest_recorded() {
        let recorder = open("192.0.2.1".parse().expect("an address"), Vec::new());
        let missing = recorder.missing().iter();
        let mut of_interface = missing.filter(|one| one.counters.starts_with("interface_*"));
        let reason = &of_interface.next().expect("it is missing").reason;
        assert_eq!(reason, "no interface has 192.0.2.1");
        assert!(recorder.counters().len() > 100);
    }

    #[test]
    fn each_batch_has_at_least_its_time() {
        let mut recorder = open("127.0.0.1".parse().expect("an address"), Vec::new());
        recorder.before(Order {
            size_bytes: 1,
            messages: 1,
            phase: 0,
            batch: Some(0),
        });
        recorder.after();
        recorder.finish();
        assert!(names(&mut recorder).contains(&"elapsed_ns".to_owned()));
    }
}
