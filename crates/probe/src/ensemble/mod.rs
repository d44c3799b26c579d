//! Phases of many transfers at the same time, between many nodes.
//!
//! One thread and one event loop: everything that can happen to a session (a foreign connection, a peer that goes,
//! an abort) is an event beside the transfers, so nothing has to wait for anything else.

mod arrivals;
mod barrier;
mod channels;
mod clock_offset;
mod connect;
mod error;
mod event_loop;
mod join;
mod listeners;
mod member;
mod mesh;
mod messages;
mod part;
mod payload;
mod phase;
mod program;
mod progress;
mod reply;
mod request;
mod rows;
mod session;
mod traffic;
mod transfer;

pub use member::Member;
pub use request::{Request, is_abort};
