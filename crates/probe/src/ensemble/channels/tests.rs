//! Two members on the loopback network, each with its own event loop.

use std::net::{TcpListener, TcpStream};

use super::*;
use crate::ensemble::event_loop::reactor::Key;

/// Longer messages are announced.
const RENDEZVOUS_BYTES: u64 = 1000;
const MEMORY_BYTES: u64 = 4 << 20;

struct Member {
    channels: Channels,
    reactor: Reactor,
    over: Vec<Done>,
}

impl Member {
    fn new() -> Member {
        let mut channels = Channels::new(true).unwrap();
        channels.rendezvous_bytes = RENDEZVOUS_BYTES;
        channels.memory.reserve(MEMORY_BYTES).unwrap();
        Member {
            channels,
            reactor: Reactor::new().unwrap(),
            over: Vec::new(),
        }
    }

    fn turn(&mut self) {
        let events = self.reactor.wait(1_000_000).unwrap();
        for index in 0..events {
            if let Key::Channel(slot) = self.reactor.event(index) {
                self.channels.serve(slot, &self.reactor);
            }
        }
        while let Some(done) = self.channels.next_done() {
            self.over.push(done);
        }
    }

    fn send(&mut self, to: u32, tag: u64, content: Content, token: u32) {
        let end = End {
            node: to,
            network: 0,
        };
        self.channels.send(end, tag, content, token, &self.reactor);
    }

    fn receive(&mut self, src: u32, tag: u64, content: Content, token: u32) {
        self.channels
            .receive(src, tag, content, token, &self.reactor);
    }

    fn tokens(&self) -> Vec<u32> {
        self.over.iter().map(|one| one.token).collect()
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> Content {
        let end = at + bytes.len() as u64;
        self.channels
            .memory
            .stored_mut(at..end)
            .copy_from_slice(bytes);
        Content::Stored {
            at,
            bytes: bytes.len() as u64,
        }
    }
}

fn sockets() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (there, listener.accept().unwrap().0)
}

/// Nodes 0 and 1, with a channel from the first to the second.
fn pair() -> [Member; 2] {
    let [mut source, mut sink] = [Member::new(), Member::new()];
    let (there, here) = sockets();
    let end = End {
        node: 1,
        network: 0,
    };
    assert!(source.channels.add(end) && !source.channels.add(end));
    assert!(!source.channels.are_connected());
    source
        .channels
        .connected(end, Ok(there), &source.reactor)
        .unwrap();
    sink.channels.admit(0, here, &sink.reactor).unwrap();
    [source, sink]
}

fn settle(members: &mut [Member; 2]) {
    for _ in 0..1000 {
        members.iter_mut().for_each(Member::turn);
        if members.iter().all(|one| one.channels.are_idle()) {
            return;
        }
    }
    panic!("something does not end");
}

fn generated(bytes: u64) -> Content {
    Content::Generated { bytes }
}

fn bytes(seed: u8, count: u64) -> Vec<u8> {
    (0..count)
        .map(|at| (at * 7 + at / 251) as u8 ^ seed)
        .collect()
}

/// Short, as long as may be sent at once, announced, and longer than a turn; what comes before its receive and what does not.
#[test]
fn what_is_sent_is_received_by_its_tag_whichever_end_is_first() {
    let sizes = [
        0,
        1,
        31,
        4096,
        RENDEZVOUS_BYTES,
        RENDEZVOUS_BYTES + 1,
        3 << 20,
    ];
    for size in sizes {
        for receives_first in [true, false] {
            let mut members = pair();
            let sent = bytes(3, size);
            let content = members[0].write(10, &sent);
            let there = Content::Stored {
                at: 100,
                bytes: size + 5,
            };
            if receives_first {
                members[1].receive(0, 42, there, 8);
            }
            members[0].send(1, 42, content, 7);
            if !receives_first {
                (0..20).for_each(|_| members.iter_mut().for_each(Member::turn));
                members[1].receive(0, 42, there, 8);
            }
            settle(&mut members);
            assert_eq!(members[0].tokens(), [7]);
            assert_eq!(members[1].tokens(), [8]);
            assert_eq!(members[1].over[0].message.unwrap().bytes, size);
            assert_eq!(members[1].channels.memory.stored(100..100 + size), sent);
        }
    }
}

#[test]
fn messages_meet_by_their_tag_and_those_of_one_tag_in_their_order() {
    let mut members = pair();
    let first = members[0].write(0, &bytes(1, 500));
    let second = members[0].write(500, &bytes(2, 500));
    members[0].send(1, 5, first, 0);
    members[0].send(1, 6, generated(200_000), 1);
    members[0].send(1, 5, second, 2);
    (0..20).for_each(|_| members.iter_mut().for_each(Member::turn));
    members[1].receive(0, 6, generated(200_000), 10);
    members[1].receive(0, 5, Content::Stored { at: 0, bytes: 500 }, 11);
    members[1].receive(
        0,
        5,
        Content::Stored {
            at: 500,
            bytes: 500,
        },
        12,
    );
    settle(&mut members);
    assert_eq!(members[1].channels.memory.stored(0..500), bytes(1, 500));
    assert_eq!(members[1].channels.memory.stored(500..1000), bytes(2, 500));
}

#[test]
fn a_long_message_does_not_leave_before_its_receive_has_begun() {
    let mut members = pair();
    members[0].send(1, 0, generated(RENDEZVOUS_BYTES + 1), 7);
    members[0].send(1, 1, generated(RENDEZVOUS_BYTES), 8);
    (0..20).for_each(|_| members.iter_mut().for_each(Member::turn));
    assert_eq!(members[0].tokens(), [8]);
    assert!(members[1].channels.moved().bytes() < 2 * RENDEZVOUS_BYTES);
    members[1].receive(0, 0, generated(RENDEZVOUS_BYTES + 1), 9);
    members[1].receive(0, 1, generated(RENDEZVOUS_BYTES), 10);
    settle(&mut members);
}

#[test]
fn messages_wait_for_a_connection_that_is_being_made() {
    let [mut source, mut sink] = [Member::new(), Member::new()];
    let end = End {
        node: 1,
        network: 0,
    };
    source.channels.add(end);
    source.send(1, 3, generated(900), 1);
    sink.receive(0, 3, generated(900), 2);
    assert!(!source.channels.are_idle());
    let (there, here) = sockets();
    sink.channels.admit(0, here, &sink.reactor).unwrap();
    source
        .channels
        .connected(end, Ok(there), &source.reactor)
        .unwrap();
    settle(&mut [source, sink]);
}

#[test]
fn a_member_that_goes_is_named_where_something_waits_for_it_and_else_not() {
    let [source, mut sink] = pair();
    drop(source);
    sink.turn();
    assert!(sink.channels.take_trouble().is_none());
    sink.receive(0, 1, generated(10), 3);
    match sink.channels.take_trouble() {
        Some(SessionError::Failed { code, peers, .. }) => {
            assert_eq!((code, peers), ("peer-lost", vec![0]))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_that_is_longer_than_its_receive_is_refused() {
    let mut members = pair();
    members[1].receive(0, 1, generated(10), 3);
    members[0].send(1, 1, generated(11), 4);
    (0..20).for_each(|_| members.iter_mut().for_each(Member::turn));
    match members[1].channels.take_trouble() {
        Some(SessionError::Failed { code, message, .. }) => {
            assert_eq!(code, "damaged-data");
            assert!(message.contains("11 bytes is longer"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}
