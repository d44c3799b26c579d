//! How the two ends of a connection show each other that they have the run's token, which itself never travels.
//!
//! 1. The listening end sends a nonce.
//! 2. The connecting end sends a nonce of its own, the connection's place in the session, and a proof over all three.
//! 3. The listening end sends a proof over the same.
//!
//! Both nonces are new for each connection, so a recorded handshake opens no other.

use std::io::{self, Read, Write};

use super::place::{PLACE_BYTES, Place};
use super::token::{NONCE_BYTES, Nonce, PROOF_BYTES, Proof, Token, nonce};

/// Both nonces and the place: what the proofs are over.
const TRANSCRIPT_BYTES: usize = 2 * NONCE_BYTES + PLACE_BYTES;
const CONNECT: &str = "connect";
const WELCOME: &str = "welcome";

/// The listening end of a handshake, with a connection that has come in.
pub struct Guest<S> {
    socket: S,
    /// The transcript and the guest's proof; the first nonce in it is ours.
    heard: [u8; TRANSCRIPT_BYTES + PROOF_BYTES],
    length: usize,
}

/// What has become of a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has not sent all of its response.
    Undecided,
    /// It has the token, and asks for this place.
    Admitted(Place),
    Refused,
}

impl<S: Read + Write> Guest<S> {
    /// Send a nonce. So little fits into the buffer of any new connection.
    pub fn challenge(mut socket: S) -> io::Result<Guest<S>> {
        let nonce = nonce()?;
        socket.write_all(&nonce)?;
        let mut heard = [0; TRANSCRIPT_BYTES + PROOF_BYTES];
        heard[..NONCE_BYTES].copy_from_slice(&nonce);
        Ok(Guest {
            socket,
            heard,
            length: NONCE_BYTES,
        })
    }

    pub fn socket(&self) -> &S {
        &self.socket
    }

    /// Take what a socket that does not block has.
    pub fn hear(&mut self, token: &Token) -> Verdict {
        match self.socket.read(&mut self.heard[self.length..]) {
            Ok(0) => return Verdict::Refused,
            Ok(count) => self.length += count,
            Err(error) if is_not_yet(&error) => return Verdict::Undecided,
            Err(_) => return Verdict::Refused,
        }
        if self.length < self.heard.len() {
            return Verdict::Undecided;
        }
        let (transcript, proof) = self.heard.split_at(TRANSCRIPT_BYTES);
        let place = transcript.last_chunk().and_then(Place::from_wire);
        match place {
            Some(place) if token.has_proved(proof, CONNECT, transcript) => Verdict::Admitted(place),
            _ => Verdict::Refused,
        }
    }

    /// Tell an admitted guest that it is in, and that it has come to the right place.
    pub fn welcome(mut self, token: &Token) -> io::Result<S> {
        let transcript = &self.heard[..TRANSCRIPT_BYTES];
        self.socket.write_all(&token.prove(WELCOME, transcript))?;
        Ok(self.socket)
    }
}

/// The connecting end of a handshake.
pub struct Caller {
    place: Place,
    token: Token,
    /// The other end's nonce, then its proof.
    heard: [u8; PROOF_BYTES],
    length: usize,
    transcript: Option<[u8; TRANSCRIPT_BYTES]>,
}

impl Caller {
    pub fn new(place: Place, token: &Token) -> Caller {
        Caller {
            place,
            token: token.clone(),
            heard: [0; PROOF_BYTES],
            length: 0,
            transcript: None,
        }
    }

    /// Read once and answer what is complete; true when the listening end has shown that it has the token too.
    pub fn advance(&mut self, socket: &mut (impl Read + Write)) -> io::Result<bool> {
        match socket.read(&mut self.heard[self.length..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => self.length += count,
            // A signal ends a receive that has a time-out.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(false),
            Err(error) => return Err(error),
        }
        if self.length < self.heard.len() {
            return Ok(false);
        }
        self.length = 0;
        let Some(transcript) = self.transcript else {
            let transcript = transcript(&self.heard, &nonce()?, self.place);
            self.transcript = Some(transcript);
            let proof = self.token.prove(CONNECT, &transcript);
            socket.write_all(&[&transcript[NONCE_BYTES..], &proof].concat())?;
            return Ok(false);
        };
        if self.token.has_proved(&self.heard, WELCOME, &transcript) {
            return Ok(true);
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "what listens there is not a weft agent of this run",
        ))
    }
}

fn is_not_yet(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, WouldBlock};
    matches!(error.kind(), WouldBlock | Interrupted)
}

fn transcript(challenge: &Nonce, nonce: &Nonce, place: Place) -> [u8; TRANSCRIPT_BYTES] {
    let mut transcript = [0; TRANSCRIPT_BYTES];
    transcript[..NONCE_BYTES].copy_from_slice(challenge);
    transcript[NONCE_BYTES..2 * NONCE_BYTES].copy_from_slice(nonce);
    transcript[2 * NONCE_BYTES..].copy_from_slice(&place.to_wire());
    transcript
}

const _: () = assert!(size_of::<Nonce>() == size_of::<Proof>());

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::listener::place::Purpose;

    const PLACE: Place = Place {
        node: 3,
        network: 0,
        purpose: Purpose::Clock,
    };

    fn token(digits: &str) -> Token {
        serde_json::from_value(digits.repeat(32).into()).unwrap()
    }

    /// What the listening end makes of what `answer` does at the connecting one.
    fn meet(
        answer: impl FnOnce(&mut UnixStream) + Send + 'static,
    ) -> (Verdict, Guest<UnixStream>, UnixStream) {
        let (here, mut there) = UnixStream::pair().unwrap();
        here.set_nonblocking(true).unwrap();
        let mut guest = Guest::challenge(here).unwrap();
        let there = thread::spawn(move || {
            answer(&mut there);
            there
        });
        let there = there.join().unwrap();
        (guest.hear(&token("5a")), guest, there)
    }

    /// The response of a caller with the token, as it crosses the wire.
    fn response(there: &mut UnixStream) -> Vec<u8> {
        let (mut wire, mut far) = UnixStream::pair().unwrap();
        let mut nonce = [0; NONCE_BYTES];
        there.read_exact(&mut nonce).unwrap();
        far.write_all(&nonce).unwrap();
        let mut caller = Caller::new(PLACE, &token("5a"));
        assert!(!caller.advance(&mut wire).unwrap());
        let mut response = vec![0; NONCE_BYTES + PLACE_BYTES + PROOF_BYTES];
        far.read_exact(&mut response).unwrap();
        response
    }

    #[test]
    fn both_ends_with_the_token_meet() {
        let mut caller = Caller::new(PLACE, &token("5a"));
        let (mut near, far) = UnixStream::pair().unwrap();
        far.set_nonblocking(true).unwrap();
        let mut guest = Guest::challenge(far).unwrap();
        near.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        assert!(!caller.advance(&mut near).unwrap());
        assert_eq!(guest.hear(&token("5a")), Verdict::Admitted(PLACE));
        guest.welcome(&token("5a")).unwrap();
        assert!(caller.advance(&mut near).unwrap());
    }

    #[test]
    fn a_recorded_response_opens_no_other_connection() {
        let (first, _, _) = meet(|there| {
            let said = response(there);
            there.write_all(&said).unwrap();
        });
        assert_eq!(first, Verdict::Admitted(PLACE));
        let (mut near, mut far) = UnixStream::pair().unwrap();
        far.write_all(&[7; NONCE_BYTES]).unwrap();
        let recorded = response(&mut near);
        let (again, _, _) = meet(move |there| there.write_all(&recorded).unwrap());
        assert_eq!(again, Verdict::Refused);
    }

    #[test]
    fn a_changed_place_is_refused() {
        let (verdict, _, _) = meet(|there| {
            let mut said = response(there);
            said[NONCE_BYTES + 4] ^= 1;
            there.write_all(&said).unwrap();
        });
        assert_eq!(verdict, Verdict::Refused);
    }

    #[test]
    fn a_listener_without_the_token_is_noticed() {
        let (mut near, mut far) = UnixStream::pair().unwrap();
        far.write_all(&[7; NONCE_BYTES + PROOF_BYTES]).unwrap();
        let mut caller = Caller::new(PLACE, &token("5a"));
        assert!(!caller.advance(&mut near).unwrap());
        assert!(caller.advance(&mut near).is_err());
    }

    #[test]
    fn the_welcome_is_no_proof_of_the_caller() {
        let token = token("5a");
        assert!(!token.has_proved(&token.prove(WELCOME, &[1; 80]), CONNECT, &[1; 80]));
    }
}
