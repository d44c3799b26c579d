//! A question to a node that echoes and its answer, as they cross the wire: both show that their sender has the token.
//!
//! Question: the asking socket's nonce, a number that grows, a proof over both and the address that is asked; then
//! zeros up to the size that is tried. Answer: the number, the time of day, a proof over these and the nonce; it is
//! shorter than any question, so that no third party can be flooded through a node that echoes.

use std::net::{IpAddr, SocketAddr};

use crate::listener::token::{NONCE_BYTES, Nonce, PROOF_BYTES, Token};

pub const QUESTION_BYTES: usize = NONCE_BYTES + 8 + PROOF_BYTES;
pub const ANSWER_BYTES: usize = 16 + PROOF_BYTES;
const ASK: &str = "ask";
const ANSWER: &str = "answer";

/// What one socket asks for the n-th time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    pub nonce: Nonce,
    pub number: u64,
}

impl Question {
    pub fn to_wire(self, to: SocketAddr, token: &Token) -> [u8; QUESTION_BYTES] {
        let number = self.number.to_le_bytes();
        let proof = token.prove(ASK, &self.facts(to));
        let wire = [&self.nonce[..], &number, &proof].concat();
        wire.try_into().expect("its parts have that length")
    }

    /// A question of an owner of the token to the address `to`.
    pub fn from_wire(wire: &[u8], to: SocketAddr, token: &Token) -> Option<Question> {
        let (nonce, rest) = wire.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let question = Question {
            nonce: *nonce,
            number: u64::from_le_bytes(*number),
        };
        let proof = rest.get(..PROOF_BYTES)?;
        token
            .has_proved(proof, ASK, &question.facts(to))
            .then_some(question)
    }

    pub fn answer(self, time_ns: i64, token: &Token) -> [u8; ANSWER_BYTES] {
        let said = [self.number.to_le_bytes(), time_ns.to_le_bytes()].concat();
        let proof = token.prove(ANSWER, &[&said, &self.nonce[..]].concat());
        let wire = [&said[..], &proof].concat();
        wire.try_into().expect("its parts have that length")
    }

    /// The time of day in the answer to this question.
    pub fn time_in(self, answer: &[u8; ANSWER_BYTES], token: &Token) -> Option<i64> {
        let time_ns = i64::from_le_bytes(answer[8..16].try_into().expect("8 bytes"));
        let said = [&answer[..16], &self.nonce[..]].concat();
        let is_right = answer[..8] == self.number.to_le_bytes()
            && token.has_proved(&answer[16..], ANSWER, &said);
        is_right.then_some(time_ns)
    }

    fn facts(self, to: SocketAddr) -> Vec<u8> {
        let address = match to.ip() {
            IpAddr::V4(four) => four.to_ipv6_mapped(),
            IpAddr::V6(six) => six,
        };
        let number = self.number.to_le_bytes();
        let port = to.port().to_le_bytes();
        [&self.nonce[..], &number, &address.octets(), &port].concat()
    }
}

const _: () = assert!(ANSWER_BYTES < QUESTION_BYTES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_that_is_asked_takes_a_question() {
        let token: Token = serde_json::from_value("5a".repeat(32).into()).unwrap();
        let (here, there) = ("127.0.0.1:5000", "127.0.0.2:5000");
        let (here, there) = (here.parse().unwrap(), there.parse().unwrap());
        let question = Question {
            nonce: [1; NONCE_BYTES],
            number: 7,
        };
        let wire = question.to_wire(here, &token);
        assert_eq!(Question::from_wire(&wire, here, &token), Some(question));
        assert_eq!(Question::from_wire(&wire, there, &token), None);
        let answer = question.answer(1234, &token);
        assert_eq!(question.time_in(&answer, &token), Some(1234));
        let next = Question {
            number: 8,
            ..question
        };
        assert_eq!(next.time_in(&answer, &token), None);
    }
}
