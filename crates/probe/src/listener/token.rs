//! The secret that a run gives its agents, so that only they get into a data connection.

use std::fmt;
use std::io;

use hmac::{Hmac, KeyInit, Mac};
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Deserializer, de::Error};
use sha2::Sha256;

const TOKEN_BYTES: usize = 32;
pub const NONCE_BYTES: usize = 32;
pub const PROOF_BYTES: usize = 32;

/// Random bytes that are used once.
pub type Nonce = [u8; NONCE_BYTES];
/// HMAC-SHA256 (RFC 2104) with a token.
pub type Proof = [u8; PROOF_BYTES];

/// A run's random token; never printed, and never sent by an agent.
#[derive(Clone)]
pub struct Token([u8; TOKEN_BYTES]);

impl Token {
    /// Show that we have the token, by what only its owners can compute of `facts`. A proof with one label is none with
    /// another.
    pub fn prove(&self, label: &str, facts: &[u8]) -> Proof {
        self.code(label, facts).finalize().into_bytes().into()
    }

    /// Whether a proof is right; compared in constant time.
    pub fn has_proved(&self, proof: &[u8], label: &str, facts: &[u8]) -> bool {
        self.code(label, facts).verify_slice(proof).is_ok()
    }

    fn code(&self, label: &str, facts: &[u8]) -> Hmac<Sha256> {
        let key = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        key.chain_update(label)
            .chain_update([0])
            .chain_update(facts)
    }

    fn from_hex(text: &str) -> Option<Token> {
        let mut bytes = [0; TOKEN_BYTES];
        if text.len() != 2 * TOKEN_BYTES || !text.is_ascii() {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Token(bytes))
    }
}

/// A new nonce from the kernel.
pub fn nonce() -> io::Result<Nonce> {
    let mut nonce = [0; NONCE_BYTES];
    // So few bytes are never cut short.
    getrandom(&mut nonce, GetRandomFlags::empty())?;
    Ok(nonce)
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("Token(..)")
    }
}

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        Token::from_hex(&text).ok_or_else(|| D::Error::custom("a token is 64 hexadecimal digits"))
    }
}
