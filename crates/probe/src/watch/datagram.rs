//! A UDP probe: whose watch it is of, in the clear; a nonce, a number, and a proof that its sender has the token. The
//! answer is as long, with another proof.

use std::io;
use std::net::UdpSocket;

use socket2::{SockFilter, SockRef};

use crate::listener::token::{PROOF_BYTES, Token};

pub type Id = [u8; 8];
pub type Nonce = [u8; 8];

const MAGIC: &[u8; 4] = b"wft1";
const SAID_BYTES: usize = 28;
/// A shorter probe cannot hold its proof.
pub const LEAST_BYTES: usize = SAID_BYTES + PROOF_BYTES;
pub const ASK: &str = "watch ask";
pub const ANSWER: &str = "watch answer";

/// Write the head of a probe of this length.
pub fn fill(bytes: &mut [u8], label: &str, (id, token): (Id, &Token), nonce: Nonce, number: u64) {
    bytes[..4].copy_from_slice(MAGIC);
    bytes[4..12].copy_from_slice(&id);
    bytes[12..20].copy_from_slice(&nonce);
    bytes[20..SAID_BYTES].copy_from_slice(&number.to_le_bytes());
    let proof = prove(bytes, label, token);
    bytes[SAID_BYTES..LEAST_BYTES].copy_from_slice(&proof);
}

/// Only whose watch this end is of, for another watch to notice.
pub fn hello(id: Id) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(MAGIC);
    bytes[4..].copy_from_slice(&id);
    bytes
}

/// Have the kernel drop what begins otherwise, so that a flood of it wakes no thread (socket(7), SO_ATTACH_FILTER).
pub fn drop_strangers(socket: &UdpSocket) -> io::Result<()> {
    const UDP_HEADER_BYTES: u32 = 8;
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const IS_SAME: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    const TAKE: u32 = libc::BPF_RET | libc::BPF_K;
    SockRef::from(socket).attach_filter(&[
        SockFilter::new(LOAD as u16, 0, 0, UDP_HEADER_BYTES),
        SockFilter::new(IS_SAME as u16, 0, 1, u32::from_be_bytes(*MAGIC)),
        SockFilter::new(TAKE as u16, 0, 0, u32::MAX),
        SockFilter::new(TAKE as u16, 0, 0, 0),
    ])
}

#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Ours(Nonce, u64),
    OtherWatch(Id),
    Stranger,
}

pub fn judge(bytes: &[u8], label: &str, id: Id, token: &Token) -> Verdict {
    let Some((MAGIC, rest)) = bytes.split_first_chunk() else {
        return Verdict::Stranger;
    };
    match rest.first_chunk::<8>() {
        Some(found) if *found != id => return Verdict::OtherWatch(*found),
        Some(_) if bytes.len() >= LEAST_BYTES => {}
        _ => return Verdict::Stranger,
    }
    let proof = &bytes[SAID_BYTES..LEAST_BYTES];
    if !token.has_proved(proof, label, &facts(bytes)) {
        return Verdict::Stranger;
    }
    let nonce = bytes[12..20].try_into().expect("8 bytes");
    let number = u64::from_le_bytes(bytes[20..SAID_BYTES].try_into().expect("8 bytes"));
    Verdict::Ours(nonce, number)
}

fn prove(bytes: &[u8], label: &str, token: &Token) -> [u8; PROOF_BYTES] {
    token.prove(label, &facts(bytes))
}

/// What is said, and how long the datagram is.
fn facts(bytes: &[u8]) -> Vec<u8> {
    [&bytes[..SAID_BYTES], &(bytes.len() as u32).to_le_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(digits: &str) -> Token {
        serde_json::from_value(digits.repeat(32).into()).unwrap()
    }

    #[test]
    fn only_the_owner_of_the_token_is_answered_and_another_watch_is_known() {
        let (ours, theirs) = (token("5a"), token("5b"));
        let mut bytes = [0; 200];
        fill(&mut bytes, ASK, ([1; 8], &ours), [2; 8], 3);
        let judged = |bytes: &[u8], label, token| judge(bytes, label, [1; 8], token);
        assert_eq!(judged(&bytes, ASK, &ours), Verdict::Ours([2; 8], 3));
        assert_eq!(judged(&bytes, ANSWER, &ours), Verdict::Stranger);
        assert_eq!(judged(&bytes, ASK, &theirs), Verdict::Stranger);
        assert_eq!(judged(&bytes[..100], ASK, &ours), Verdict::Stranger);
        assert_eq!(
            judge(&bytes, ASK, [9; 8], &ours),
            Verdict::OtherWatch([1; 8])
        );
        assert_eq!(
            judge(&hello([7; 8]), ASK, [1; 8], &ours),
            Verdict::OtherWatch([7; 8])
        );
    }

    #[test]
    fn what_begins_otherwise_never_arrives() {
        let [there, here] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        drop_strangers(&here).unwrap();
        let to = here.local_addr().unwrap();
        for message in [&b"anything else"[..], b"", b"wft", b"wft1 and more"] {
            there.send_to(message, to).unwrap();
        }
        let mut bytes = [0; 100];
        let length = here.recv(&mut bytes).unwrap();
        assert_eq!(&bytes[..length], b"wft1 and more");
    }
}
