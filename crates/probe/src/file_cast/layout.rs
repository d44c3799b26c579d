//! How a file is cut into chunks, and the hash of the whole from those of its parts.
//!
//! BLAKE3 is a tree. A chunk of 2^n KiB at a multiple of its length is a subtree, so that the hash of the file is made of
//! the chunks' (BLAKE3, section 2.1), in whatever order they come, and is what `b3sum` prints.

use blake3::Hasher;
use blake3::hazmat::{HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};

/// The hash of a chunk as a part of its file, or that of the file.
pub type Digest = [u8; 32];

/// A file of so many bytes, in chunks of so many; the last may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub size_bytes: u64,
    /// A power of two, at least 1024.
    pub chunk_bytes: u64,
}

impl Layout {
    pub fn chunks(&self) -> u32 {
        u32::try_from(self.size_bytes.div_ceil(self.chunk_bytes)).unwrap_or(u32::MAX)
    }

    pub fn offset(&self, chunk: u32) -> u64 {
        u64::from(chunk) * self.chunk_bytes
    }

    /// Bytes of a chunk.
    pub fn length(&self, chunk: u32) -> usize {
        let rest = self.size_bytes - self.offset(chunk);
        rest.min(self.chunk_bytes) as usize
    }

    pub fn digest(&self, chunk: u32, bytes: &[u8]) -> Digest {
        if self.chunks() == 1 {
            return *blake3::hash(bytes).as_bytes();
        }
        let mut hasher = Hasher::new();
        hasher.set_input_offset(self.offset(chunk));
        hasher.update(bytes).finalize_non_root()
    }
}

/// The hash of a file whose chunks have these.
pub fn root(digests: &[Digest]) -> Digest {
    let [only] = digests else {
        let (left, right) = digests.split_at(left_chunks(digests.len()));
        let (left, right) = (subtree(left), subtree(right));
        return *merge_subtrees_root(&left, &right, Mode::Hash).as_bytes();
    };
    *only
}

fn subtree(digests: &[Digest]) -> Digest {
    let [only] = digests else {
        let (left, right) = digests.split_at(left_chunks(digests.len()));
        return merge_subtrees_non_root(&subtree(left), &subtree(right), Mode::Hash);
    };
    *only
}

/// The left side of a tree is the largest whole one that leaves something to the right.
fn left_chunks(chunks: usize) -> usize {
    1 << (chunks - 1).ilog2()
}

/// As `b3sum` prints it.
pub fn hex(digest: &Digest) -> String {
    blake3::Hash::from_bytes(*digest).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chunks_hashes_make_that_of_the_file() {
        let bytes: Vec<u8> = (0..70_000_u32).map(|at| (at % 251) as u8).collect();
        for size in [1, 4095, 4096, 4097, 8192, 12_289, 20_480, 65_536, 70_000] {
            let layout = Layout {
                size_bytes: size as u64,
                chunk_bytes: 4096,
            };
            let parts = bytes[..size].chunks(4096);
            let digests: Vec<Digest> = (0..)
                .zip(parts)
                .map(|(chunk, part)| layout.digest(chunk, part))
                .collect();
            assert_eq!(digests.len(), layout.chunks() as usize);
            let whole = blake3::hash(&bytes[..size]);
            assert_eq!(root(&digests), *whole.as_bytes(), "{size} bytes");
        }
    }
}
