//! Both ends of a handshake, once more: an agent must agree with what is written here.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// What has the token answers to a listener's nonce to get a place: kind, network, node and two numbers.
pub fn response(token: &[u8; 32], challenge: &[u8], place: [u32; 5]) -> Vec<u8> {
    let [kind, network, rest @ ..] = place;
    let mut said = vec![9; 32];
    said.extend([kind as u8, network as u8, 0, 0]);
    said.extend(rest.iter().flat_map(|number| number.to_le_bytes()));
    let proof = prove(token, "connect", &[challenge, &said].concat());
    said.extend(proof);
    said
}

pub const RESPONSE_BYTES: usize = 80;

/// What a listener answers to a response.
pub fn welcome(token: &[u8; 32], challenge: &[u8], response: &[u8; RESPONSE_BYTES]) -> Vec<u8> {
    prove(token, "welcome", &[challenge, &response[..48]].concat())
}

fn prove(token: &[u8; 32], label: &str, facts: &[u8]) -> Vec<u8> {
    let mut code = Hmac::<Sha256>::new_from_slice(token).unwrap();
    code.update(&[label.as_bytes(), b"\0", facts].concat());
    code.finalize().into_bytes().to_vec()
}
