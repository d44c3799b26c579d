//! A chunk as it travels: a header, then its bytes, compressed where that makes them fewer.

use std::borrow::Cow;
use std::io::{self, Read};

use weft_plan::Compression;

use super::layout::{Digest, Layout};

pub const HEADER_BYTES: usize = 44;
/// zstd's fastest ordinary level: the processor is to be faster than the network.
const ZSTD_LEVEL: i32 = 1;

/// How the bytes of a chunk travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    Raw = 0,
    Zstd = 1,
    Lz4 = 2,
    /// They are all zero, and the file has none there.
    Hole = 3,
    /// They do not: the receiver has them.
    Held = 4,
}

/// One chunk; the digest is of its bytes, however they travel.
#[derive(Debug)]
pub struct Chunk {
    pub index: u32,
    pub form: Form,
    pub digest: Digest,
    pub payload: Vec<u8>,
}

impl Chunk {
    pub fn hole(index: u32, digest: Digest) -> Chunk {
        Chunk::empty(index, Form::Hole, digest)
    }

    pub fn held(index: u32, digest: Digest) -> Chunk {
        Chunk::empty(index, Form::Held, digest)
    }

    fn empty(index: u32, form: Form, digest: Digest) -> Chunk {
        Chunk {
            index,
            form,
            digest,
            payload: Vec::new(),
        }
    }

    /// Compressed, if that makes it smaller.
    pub fn of(index: u32, digest: Digest, bytes: Vec<u8>, how: Option<Compression>) -> Chunk {
        let packed = how.and_then(|how| pack(how, &bytes));
        let (form, payload) = match packed {
            Some((form, packed)) if packed.len() < bytes.len() => (form, packed),
            _ => (Form::Raw, bytes),
        };
        Chunk {
            index,
            form,
            digest,
            payload,
        }
    }

    pub fn header(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&self.index.to_le_bytes());
        header[4..8].copy_from_slice(&(self.payload.len() as u32).to_le_bytes());
        header[8] = self.form as u8;
        header[12..].copy_from_slice(&self.digest);
        header
    }

    /// What a header announces; fails where no chunk of the file is like that.
    pub fn announced(header: &[u8; HEADER_BYTES], layout: &Layout) -> io::Result<(Chunk, usize)> {
        let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("4"));
        let (index, length) = (number(0), number(4) as usize);
        let form = match header[8] {
            0 => Form::Raw,
            1 => Form::Zstd,
            2 => Form::Lz4,
            3 => Form::Hole,
            4 => Form::Held,
            _ => return Err(damaged("a chunk of unknown form")),
        };
        if index >= layout.chunks() || !is_length(form, length, layout.length(index)) {
            return Err(damaged("a chunk that the file does not have"));
        }
        let digest = header[12..].try_into().expect("32 bytes");
        Ok((Chunk::empty(index, form, digest), length))
    }

    /// Take the bytes that were announced.
    pub fn read(&mut self, input: &mut impl Read, length: usize) -> io::Result<()> {
        self.payload.resize(length, 0);
        input.read_exact(&mut self.payload)
    }

    /// The bytes of the file; fails where what came cannot be unpacked.
    pub fn bytes(&self, layout: &Layout) -> io::Result<Cow<'_, [u8]>> {
        let length = layout.length(self.index);
        let bytes = match self.form {
            Form::Raw => return Ok(Cow::Borrowed(&self.payload)),
            Form::Hole => vec![0; length],
            Form::Zstd => zstd::bulk::decompress(&self.payload, length)?,
            Form::Lz4 => lz4_flex::block::decompress(&self.payload, length)
                .map_err(|error| damaged(&error.to_string()))?,
            Form::Held => return Err(damaged("a chunk without bytes")),
        };
        match bytes.len() == length {
            true => Ok(Cow::Owned(bytes)),
            false => Err(damaged("a chunk of another length")),
        }
    }
}

fn pack(how: Compression, bytes: &[u8]) -> Option<(Form, Vec<u8>)> {
    match how {
        Compression::Zstd => {
            let packed = zstd::bulk::compress(bytes, ZSTD_LEVEL).ok()?;
            Some((Form::Zstd, packed))
        }
        Compression::Lz4 => Some((Form::Lz4, lz4_flex::block::compress(bytes))),
    }
}

/// Only what is smaller is compressed.
fn is_length(form: Form, length: usize, bytes: usize) -> bool {
    match form {
        Form::Raw => length == bytes,
        Form::Zstd | Form::Lz4 => length < bytes,
        Form::Hole | Form::Held => length == 0,
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout {
        size_bytes: 10_000,
        chunk_bytes: 4096,
    };

    fn travelled(chunk: &Chunk) -> Chunk {
        let (mut there, length) = Chunk::announced(&chunk.header(), &LAYOUT).unwrap();
        there.read(&mut &chunk.payload[..], length).unwrap();
        there
    }

    #[test]
    fn what_travels_is_the_same_there() {
        let zeros_and_some: Vec<u8> = (0..4096).map(|at| u8::from(at % 64 == 0)).collect();
        let digest = LAYOUT.digest(1, &zeros_and_some);
        for (how, form) in [
            (None, Form::Raw),
            (Some(Compression::Zstd), Form::Zstd),
            (Some(Compression::Lz4), Form::Lz4),
        ] {
            let chunk = Chunk::of(1, digest, zeros_and_some.clone(), how);
            assert_eq!(chunk.form, form);
            let there = travelled(&chunk);
            assert_eq!(there.bytes(&LAYOUT).unwrap(), zeros_and_some);
            assert_eq!((there.index, there.digest), (1, digest));
        }
        let hole = travelled(&Chunk::hole(2, digest));
        assert_eq!(hole.bytes(&LAYOUT).unwrap(), vec![0; 10_000 - 8192]);
    }

    #[test]
    fn what_does_not_become_smaller_travels_as_it_is() {
        let noise = blake3::Hasher::new().finalize_xof().fill_vec(4096);
        let chunk = Chunk::of(0, [0; 32], noise.clone(), Some(Compression::Zstd));
        assert_eq!((chunk.form, &chunk.payload), (Form::Raw, &noise));
    }

    #[test]
    fn chunks_that_the_file_does_not_have_are_refused_unread() {
        let mut header = Chunk::held(3, [0; 32]).header();
        assert!(Chunk::announced(&header, &LAYOUT).is_err());
        header = Chunk::held(2, [0; 32]).header();
        header[4] = 1;
        assert!(Chunk::announced(&header, &LAYOUT).is_err());
        header[8] = 9;
        assert!(Chunk::announced(&header, &LAYOUT).is_err());
    }

    trait FillVec {
        fn fill_vec(self, length: usize) -> Vec<u8>;
    }

    impl FillVec for blake3::OutputReader {
        fn fill_vec(mut self, length: usize) -> Vec<u8> {
            let mut bytes = vec![0; length];
            self.fill(&mut bytes);
            bytes
        }
    }
}
