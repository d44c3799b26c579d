//! The secret that a run gives its agents, so that only they get into a data connection.

use std::fmt;

use serde::{Deserialize, Deserializer, de::Error};
use subtle::ConstantTimeEq;

pub const TOKEN_BYTES: usize = 32;

/// A run's random token; compared in constant time and never printed.
#[derive(Clone)]
pub struct Token([u8; TOKEN_BYTES]);

impl Token {
    pub fn bytes(&self) -> &[u8; TOKEN_BYTES] {
        &self.0
    }

    pub fn matches(&self, presented: &[u8; TOKEN_BYTES]) -> bool {
        self.0.ct_eq(presented).into()
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
