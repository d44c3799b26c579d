//! A user and its connection.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use super::page::{Page, Wrong};
use super::think::Think;

/// What reading has come to.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    Waiting,
    /// The page is there.
    Done,
    /// It will not come.
    Wrong(Wrong),
    Broken,
}

pub struct User {
    pub socket: TcpStream,
    pub think: Think,
    /// When its request was due; of the next one while it thinks.
    pub due_ns: u64,
    pub waits: bool,
    /// Whether no earlier page kept it from sending when it was due.
    pub is_free: bool,
    /// Whether this request was sent before, over a connection that the server closed meanwhile.
    pub is_again: bool,
    page: Page,
}

impl User {
    pub fn new(socket: TcpStream, think: Think, page_bytes: u64) -> User {
        User {
            socket,
            think,
            due_ns: 0,
            waits: false,
            is_free: true,
            is_again: false,
            page: Page::of(page_bytes),
        }
    }

    /// Send a request, which an idle connection takes at once; false where it is broken.
    pub fn request(&mut self, request: &[u8]) -> bool {
        self.page.clear();
        matches!(self.socket.write(request), Ok(length) if length == request.len())
    }

    /// Whether nothing of the page has come.
    pub fn is_untouched(&self) -> bool {
        self.page.is_untouched()
    }

    /// Read what has arrived.
    pub fn read(&mut self, buffer: &mut [u8]) -> Progress {
        loop {
            let length = match self.socket.read(buffer) {
                Ok(0) => return Progress::Broken,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Progress::Waiting;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Progress::Broken,
            };
            match self.page.take(&buffer[..length]) {
                Ok(true) => return Progress::Done,
                Ok(false) if length < buffer.len() => return Progress::Waiting,
                Ok(false) => {}
                Err(wrong) => return Progress::Wrong(wrong),
            }
        }
    }
}
