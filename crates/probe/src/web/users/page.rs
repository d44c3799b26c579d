//! Reading a page off a connection: an HTTP/1.1 response that says how long it is (RFC 9112).

/// Where the header of a response must end.
const HEAD_BYTES: usize = 2048;

/// A response as far as it has come.
pub struct Page {
    size_bytes: u64,
    head: [u8; HEAD_BYTES],
    head_bytes: usize,
    /// Bytes of the page that are still to come; none while the header is.
    left: Option<u64>,
}

/// Why a response is not the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    Status(u16),
    Length,
    Garbled,
}

impl Page {
    pub fn of(size_bytes: u64) -> Page {
        Page {
            size_bytes,
            head: [0; HEAD_BYTES],
            head_bytes: 0,
            left: None,
        }
    }

    /// Forget what came, before the next request.
    pub fn clear(&mut self) {
        self.head_bytes = 0;
        self.left = None;
    }

    pub fn is_untouched(&self) -> bool {
        self.head_bytes == 0
    }

    /// Take what has arrived; true once that is the whole page.
    pub fn take(&mut self, bytes: &[u8]) -> Result<bool, Wrong> {
        let bytes = match self.left {
            Some(_) => bytes,
            None => self.take_head(bytes)?,
        };
        let Some(left) = &mut self.left else {
            return Ok(false);
        };
        *left = left.checked_sub(bytes.len() as u64).ok_or(Wrong::Length)?;
        Ok(*left == 0)
    }

    /// Gives back what came behind the header.
    fn take_head<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], Wrong> {
        let before = self.head_bytes;
        let taken = bytes.len().min(HEAD_BYTES - before);
        self.head[before..before + taken].copy_from_slice(&bytes[..taken]);
        self.head_bytes += taken;
        let head = &self.head[..self.head_bytes];
        let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") else {
            return match self.head_bytes {
                HEAD_BYTES => Err(Wrong::Garbled),
                _ => Ok(&[]),
            };
        };
        let (status, length) = read_head(&head[..end]).ok_or(Wrong::Garbled)?;
        if status != 200 {
            return Err(Wrong::Status(status));
        }
        if length != self.size_bytes {
            return Err(Wrong::Length);
        }
        self.left = Some(length);
        Ok(&bytes[end + 4 - before..])
    }
}

/// Its status and the length of what follows.
fn read_head(head: &[u8]) -> Option<(u16, u64)> {
    let mut lines = head.split(|byte| *byte == b'\n');
    let status = lines.next()?.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    let length = lines.find_map(|line| {
        let at = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = line.split_at(at);
        name.eq_ignore_ascii_case(b"content-length")
            .then_some(&value[1..])
    })?;
    let status = number(status)?;
    Some((status as u16, number(length)?))
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: &[u8] = b"HTTP/1.1 200 OK\r\nServer: x\r\ncontent-LENGTH: 5\r\n\r\nhello";

    #[test]
    fn a_page_may_come_in_any_pieces() {
        for piece in 1..OK.len() + 1 {
            let mut page = Page::of(5);
            for _ in 0..2 {
                let done: Vec<_> = OK.chunks(piece).map(|bytes| page.take(bytes)).collect();
                let (last, first) = done.split_last().expect("a piece");
                assert!(first.iter().all(|one| *one == Ok(false)), "{piece}");
                assert_eq!(*last, Ok(true), "{piece}");
                page.clear();
            }
        }
    }

    #[test]
    fn what_is_not_the_page_is_refused() {
        let wrong = |size, text: &[u8]| Page::of(size).take(text).unwrap_err();
        assert_eq!(wrong(6, OK), Wrong::Length);
        assert_eq!(wrong(5, &[OK, b"!"].concat()), Wrong::Length);
        let lost = b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(wrong(5, lost), Wrong::Status(404));
        assert_eq!(wrong(5, b"HTTP/1.1 200 OK\r\n\r\n"), Wrong::Garbled);
        assert_eq!(wrong(5, &[b'x'; 4096]), Wrong::Garbled);
    }
}
