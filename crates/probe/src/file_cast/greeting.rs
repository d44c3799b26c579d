//! What goes back to the predecessor: first what is here, then an answer for each chunk.

use std::io::{self, Read};

use super::hop::{Answer, Has};
use super::layout::{Digest, Layout};

pub const ANSWER_BYTES: usize = 8;

/// A byte for each chunk, then the hashes of those that are perhaps here.
pub fn encode(said: &[Has]) -> Vec<u8> {
    let kind = |has: &Has| match has {
        Has::Nothing => 0,
        Has::Chunk => 1,
        Has::Perhaps(_) => 2,
    };
    let mut bytes: Vec<u8> = said.iter().map(kind).collect();
    for has in said {
        if let Has::Perhaps(digest) = has {
            bytes.extend_from_slice(digest);
        }
    }
    bytes
}

pub fn read(input: &mut impl Read, layout: &Layout) -> io::Result<Vec<Has>> {
    let mut kinds = vec![0; layout.chunks() as usize];
    input.read_exact(&mut kinds)?;
    let mut one = |kind: u8| match kind {
        0 => Ok(Has::Nothing),
        1 => Ok(Has::Chunk),
        2 => {
            let mut digest: Digest = [0; 32];
            input.read_exact(&mut digest)?;
            Ok(Has::Perhaps(digest))
        }
        _ => Err(garbled()),
    };
    kinds.into_iter().map(&mut one).collect()
}

pub fn encode_answer(answer: Answer) -> [u8; ANSWER_BYTES] {
    let (kind, chunk) = match answer {
        Answer::Has(chunk) => (1, chunk),
        Answer::Wants(chunk) => (2, chunk),
    };
    let mut bytes = [0; ANSWER_BYTES];
    bytes[0] = kind;
    bytes[4..].copy_from_slice(&chunk.to_le_bytes());
    bytes
}

pub fn read_answer(input: &mut impl Read, layout: &Layout) -> io::Result<Answer> {
    let mut bytes = [0; ANSWER_BYTES];
    input.read_exact(&mut bytes)?;
    let chunk = u32::from_le_bytes(bytes[4..].try_into().expect("4 bytes"));
    if chunk >= layout.chunks() {
        return Err(garbled());
    }
    match bytes[0] {
        1 => Ok(Answer::Has(chunk)),
        2 => Ok(Answer::Wants(chunk)),
        _ => Err(garbled()),
    }
}

fn garbled() -> io::Error {
    let message = "the successor says what no agent says";
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout {
        size_bytes: 3 * 4096,
        chunk_bytes: 4096,
    };

    #[test]
    fn what_is_said_is_heard() {
        let said = vec![Has::Perhaps([3; 32]), Has::Nothing, Has::Chunk];
        assert_eq!(read(&mut &encode(&said)[..], &LAYOUT).unwrap(), said);
        for answer in [Answer::Has(2), Answer::Wants(0)] {
            let bytes = encode_answer(answer);
            assert_eq!(read_answer(&mut &bytes[..], &LAYOUT).unwrap(), answer);
        }
        let outside = encode_answer(Answer::Has(3));
        assert!(read_answer(&mut &outside[..], &LAYOUT).is_err());
    }
}
