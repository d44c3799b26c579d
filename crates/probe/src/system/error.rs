//! What a failure is called: a code for programs, a sentence for people.

use std::io;

/// The class of a failure, for programs.
pub fn code(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "peer-silent",
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe => "peer-lost",
        io::ErrorKind::ConnectionRefused
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable => "peer-unreachable",
        io::ErrorKind::InvalidInput => "bad-request",
        io::ErrorKind::InvalidData => "damaged-data",
        io::ErrorKind::OutOfMemory => "no-memory",
        _ => "failed",
    }
}

/// The failure in a sentence.
pub fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock => "the peer did not answer in time".to_owned(),
        _ => error.to_string(),
    }
}
