//! Evidence for a process beside this agent, such as a rank of an MPI. It says what it has used so far, and when batches
//! begin and end; it goes on when the counters were read.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::net::sockopt::socket_peercred;
use rustix::process::geteuid;

use super::Agent;
use crate::agent::message::{Beside, Reply};
use crate::evidence::{self, Recorder, USED};
use crate::system::clock::now_ns;
use crate::system::poll::poll;
use crate::transport::order::Order;

/// How soon it is noticed that no process will come.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Rows wait so long before they are handed on: what reads them would disturb the process.
const REPORT_EVERY_NS: u64 = 5_000_000_000;
const WORDS: usize = 3 + USED;
const BEGINS: i64 = 1;

impl Agent {
    /// Listen, record for the process that comes until it goes, and wait for the coordinator's end of it.
    pub(super) fn record_beside(
        &mut self,
        beside: &Beside,
        requests: &Receiver<Vec<u8>>,
    ) -> io::Result<()> {
        let name = SocketAddr::from_abstract_name(&beside.name)?;
        let listener = UnixListener::bind_addr(&name)?;
        self.say(&Reply::Listening {
            port: 0,
            more_ports: Vec::new(),
        })?;
        if let Some(process) = accept(&listener, requests)? {
            self.record_for(process, beside.address)?;
            // Whatever it says, it is over; without the coordinator this agent ends.
            drop(requests.recv());
        }
        Ok(())
    }

    fn record_for(&mut self, mut process: UnixStream, address: IpAddr) -> io::Result<()> {
        let pid = socket_peercred(&process)?.pid.as_raw_nonzero().get();
        let used = Rc::new(Cell::new([0; USED]));
        let mut recorder = evidence::open_beside(address, pid, used.clone());
        self.say(&recorder.recording())?;
        let mut reported_ns = now_ns();
        while let Some([kind, phase, batch, told @ ..]) = next_words(&mut process)? {
            used.set(told.map(|one| one as u64));
            if kind == BEGINS {
                if now_ns() - reported_ns > REPORT_EVERY_NS {
                    self.hand_on_rows(&mut recorder)?;
                    reported_ns = now_ns();
                }
                recorder.before(Order {
                    batch: u32::try_from(batch).ok(),
                    ..Order::unrecorded(phase as u32, 1, 1)
                });
            } else {
                recorder.after();
                recorder.finish();
            }
            process.write_all(&[1])?;
        }
        self.hand_on_rows(&mut recorder)
    }

    pub(super) fn hand_on_rows(&mut self, recorder: &mut Recorder) -> io::Result<()> {
        let outbox = &mut self.outbox;
        recorder
            .hand_on(|recorded| evidence::put(outbox, recorded))
            .transpose()?;
        self.outbox.flush()
    }
}

/// The process of this user that connects; none when the coordinator says something first.
fn accept(listener: &UnixListener, requests: &Receiver<Vec<u8>>) -> io::Result<Option<UnixStream>> {
    while requests.try_recv() == Err(TryRecvError::Empty) {
        if poll([(listener, PollFlags::IN)], Some(LOOK_EVERY))? {
            let process = listener.accept()?.0;
            if socket_peercred(&process)?.uid == geteuid() {
                return Ok(Some(process));
            }
        }
    }
    Ok(None)
}

/// What the process says next; none when it has gone.
fn next_words(process: &mut UnixStream) -> io::Result<Option<[i64; WORDS]>> {
    let mut bytes = [0; 8 * WORDS];
    match process.read_exact(&mut bytes) {
        Ok(()) => {
            let word = |at: usize| bytes[8 * at..8 * at + 8].try_into().expect("8 bytes");
            Ok(Some(std::array::from_fn(|at| i64::from_ne_bytes(word(at)))))
        }
        Err(_) => Ok(None),
    }
}
