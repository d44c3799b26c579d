//! The timed loops: one file a pattern, each generic over its channel and its payload policy.

pub mod exchange;
pub mod pingpong;
pub mod stream;

use std::io;

use crate::transport::payload;

/// Whether messages carry a known pattern that is checked on arrival.
pub trait Payload {
    /// Called before a message is sent.
    fn prepare(&mut self, message: &mut [u8]);

    /// Called after a message has arrived.
    fn verify(&mut self, message: &[u8]) -> io::Result<()>;
}

/// No check: costs nothing in the timed loop.
pub struct Unchecked;

impl Payload for Unchecked {
    #[inline]
    fn prepare(&mut self, _: &mut [u8]) {}

    #[inline]
    fn verify(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// Every byte is written and compared, inside the timed loop: such times are not for publication.
#[derive(Default)]
pub struct Checked {
    sent: u64,
    received: u64,
}

impl Payload for Checked {
    fn prepare(&mut self, message: &mut [u8]) {
        payload::fill(message, self.sent);
        self.sent += 1;
    }

    fn verify(&mut self, message: &[u8]) -> io::Result<()> {
        self.received += 1;
        payload::check(message, self.received - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::Idle;
    use crate::transport::channel::Channel;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::thread;

    /// A real second transport, in process; it can damage one byte of what it sends.
    struct Pipe {
        socket: UnixStream,
        damage_after_bytes: Option<usize>,
    }

    impl Channel for Pipe {
        fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
            let mut bytes = bytes.to_vec();
            if let Some(left) = self.damage_after_bytes {
                if left < bytes.len() {
                    bytes[left] ^= 0x40;
                }
                self.damage_after_bytes = left.checked_sub(bytes.len());
            }
            self.socket.write_all(&bytes)
        }

        fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
            self.socket.read_exact(bytes)
        }
    }

    fn pipes(damage_after_bytes: Option<usize>) -> (Pipe, Pipe) {
        let (a, b) = UnixStream::pair().unwrap();
        (
            Pipe {
                socket: a,
                damage_after_bytes,
            },
            Pipe {
                socket: b,
                damage_after_bytes: None,
            },
        )
    }

    #[test]
    fn ping_pong_returns_every_message_over_any_channel() {
        let (mut near, mut far) = pipes(None);
        let echo = thread::spawn(move || {
            pingpong::serve(&mut far, &mut Checked::default(), &mut [0; 777], 50).unwrap();
        });
        pingpong::drive(&mut near, &mut Checked::default(), &mut [0; 777], 50).unwrap();
        echo.join().unwrap();
    }

    #[test]
    fn a_stream_is_acknowledged_once_a_window_and_at_its_end() {
        let (mut near, mut far) = pipes(None);
        let sink = thread::spawn(move || {
            stream::serve(
                &mut far,
                (&mut Checked::default(), &mut Idle),
                &mut [0; 100],
                10,
                4,
            )
            .unwrap();
        });
        stream::drive(&mut near, &mut Checked::default(), &mut [0; 100], 10, 4).unwrap();
        sink.join().unwrap();
    }

    #[test]
    fn one_byte_damaged_on_the_way_is_found_and_located() {
        let (mut near, mut far) = pipes(Some(2 * 1000 + 321));
        let sink = thread::spawn(move || {
            stream::serve(
                &mut far,
                (&mut Checked::default(), &mut Idle),
                &mut [0; 1000],
                8,
                8,
            )
            .unwrap_err()
        });
        let _ = stream::drive(&mut near, &mut Checked::default(), &mut [0; 1000], 8, 8);
        let error = sink.join().unwrap().to_string();
        assert!(
            error.contains("message 2 ") && error.contains("byte 321"),
            "{error}"
        );
    }
}
