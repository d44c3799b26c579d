//! A socket to one host: whole frames in batches, with the time the kernel saw them arrive.

use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixDatagram;

use crate::clock;
use crate::forward::frame::{Frame, FramePool};
use crate::kernel::sys::{check, set_option};

/// Most frames per system call.
pub const BATCH: usize = 32;
/// With many ports most have few frames at a time, and preparing for a whole batch takes longer than those.
const FEW: usize = 4;
/// Room for what arrives while the daemon is not scheduled.
const RECEIVE_BUFFER_BYTES: i32 = 32 << 20;
/// Room for what is on its way to a guest or from it: so much its card and its kernel would hold.
const GUEST_BUFFER_BYTES: i32 = 4 << 20;

/// Of linux/if_packet.h.
const PACKET_QDISC_BYPASS: i32 = 20;
const PACKET_IGNORE_OUTGOING: i32 = 23;

/// Room for one time stamp, aligned as the kernel requires.
type Control = [u64; 8];

/// A socket that sees every frame that arrives at an interface, or that a guest sends, and can send any.
pub struct PacketSocket {
    fd: OwnedFd,
}

impl PacketSocket {
    /// Opens a socket on an interface of the calling thread's namespace.
    pub fn open(interface: u32) -> io::Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // Without a protocol nothing arrives before the socket is bound to its interface.
        // SAFETY: takes no pointers; the descriptor is ours alone.
        let fd = unsafe { OwnedFd::from_raw_fd(check(libc::socket(libc::AF_PACKET, kind, 0))?) };
        let socket = Self { fd };
        socket.set_options()?;
        socket.bind(interface)?;
        Ok(socket)
    }

    fn set_options(&self) -> io::Result<()> {
        let fd = self.fd.as_raw_fd();
        set_option(fd, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)?;
        set_option(fd, libc::SOL_PACKET, PACKET_QDISC_BYPASS, 1)?;
        set_option(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
        let force = set_option(
            fd,
            libc::SOL_SOCKET,
            libc::SO_RCVBUFFORCE,
            RECEIVE_BUFFER_BYTES,
        );
        // Without the privilege the kernel gives as much as net.core.rmem_max allows.
        force.or_else(|_| set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, RECEIVE_BUFFER_BYTES))
    }

    fn bind(&self, interface: u32) -> io::Result<()> {
        // SAFETY: an all-zero address is valid; pointer and length describe it.
        unsafe {
            let mut address: libc::sockaddr_ll = zeroed();
            address.sll_family = libc::AF_PACKET as u16;
            address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
            address.sll_ifindex = interface as i32;
            let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
            check(libc::bind(
                self.fd.as_raw_fd(),
                (&raw const address).cast(),
                length,
            ))?;
        }
        Ok(())
    }

    /// A socket to a guest, and the end that its emulator gets: a datagram is a frame.
    pub fn to_guest() -> io::Result<(Self, OwnedFd)> {
        let [ours, theirs] = Self::between_guests()?;
        // SAFETY: takes no pointers.
        check(unsafe { libc::fcntl(ours.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) })?;
        set_option(ours.as_raw_fd(), libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
        Ok((Self { fd: ours }, theirs))
    }

    /// The ends of a cable between two guests, which limits nothing.
    pub fn between_guests() -> io::Result<[OwnedFd; 2]> {
        let (one, other) = UnixDatagram::pair()?;
        let ends = [OwnedFd::from(one), OwnedFd::from(other)];
        for end in &ends {
            hold_more(end)?;
        }
        Ok(ends)
    }

    /// The descriptor, to wait on.
    pub fn fd(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    /// Hands over what has arrived, at most about one batch, each frame with its arrival in real time.
    pub fn receive(&self, pool: &mut FramePool, mut take: impl FnMut(&mut FramePool, Frame, u64)) {
        if self.receive_up_to::<FEW>(pool, &mut take) == FEW {
            self.receive_up_to::<BATCH>(pool, &mut take);
        }
    }

    fn receive_up_to<const N: usize>(
        &self,
        pool: &mut FramePool,
        take: &mut impl FnMut(&mut FramePool, Frame, u64),
    ) -> usize {
        let mut frames: [Frame; N] = std::array::from_fn(|_| pool.take());
        let mut arrivals = [(0, 0); N];
        let count = self.receive_batch(&mut frames, &mut arrivals);
        for (i, (mut frame, (length, arrival_ns))) in frames.into_iter().zip(arrivals).enumerate() {
            // A frame larger than the link's is nothing a link would have carried.
            match i < count && frame.set_length(length) {
                true => take(pool, frame, arrival_ns),
                false => pool.put(frame),
            }
        }
        count
    }

    /// Returns how many arrived; of each its length and its time.
    fn receive_batch<const N: usize>(
        &self,
        frames: &mut [Frame; N],
        arrivals: &mut [(usize, u64); N],
    ) -> usize {
        let mut controls: [Control; N] = [[0; 8]; N];
        let mut parts = frames.each_mut().map(|frame| part_of(frame.buffer()));
        // SAFETY: all-zero headers are valid; every pointer in them is to something alive here.
        unsafe {
            let mut headers: [libc::mmsghdr; N] = zeroed();
            for ((header, part), control) in headers.iter_mut().zip(&mut parts).zip(&mut controls) {
                header.msg_hdr.msg_iov = part;
                header.msg_hdr.msg_iovlen = 1;
                header.msg_hdr.msg_control = (&raw mut *control).cast();
                header.msg_hdr.msg_controllen = size_of::<Control>() as _;
            }
            let flags = (libc::MSG_DONTWAIT | libc::MSG_TRUNC) as _;
            let fd = self.fd.as_raw_fd();
            let none = std::ptr::null_mut();
            let count = libc::recvmmsg(fd, headers.as_mut_ptr(), N as u32, flags, none);
            let count = usize::try_from(count).unwrap_or(0);
            for (arrival, header) in arrivals.iter_mut().zip(&headers[..count]) {
                *arrival = (header.msg_len as usize, arrival_ns(&header.msg_hdr));
            }
            count
        }
    }

    /// Sends a batch; returns how many frames the kernel took.
    pub fn send(&self, frames: &[Frame]) -> usize {
        match frames.len() <= FEW {
            true => self.send_up_to::<FEW>(frames),
            false => self.send_up_to::<BATCH>(frames),
        }
    }

    fn send_up_to<const N: usize>(&self, frames: &[Frame]) -> usize {
        debug_assert!(frames.len() <= N);
        // SAFETY: all-zero headers are valid; the kernel only reads through the pointers, which are
        // to frames that outlive the call.
        unsafe {
            let mut parts: [libc::iovec; N] = zeroed();
            let mut headers: [libc::mmsghdr; N] = zeroed();
            for ((header, part), frame) in headers.iter_mut().zip(&mut parts).zip(frames) {
                part.iov_base = frame.bytes().as_ptr().cast_mut().cast();
                part.iov_len = frame.bytes().len();
                header.msg_hdr.msg_iov = part;
                header.msg_hdr.msg_iovlen = 1;
            }
            let count = frames.len() as u32;
            let sent = libc::sendmmsg(self.fd.as_raw_fd(), headers.as_mut_ptr(), count, 0);
            usize::try_from(sent).unwrap_or(0)
        }
    }
}

/// Between connected datagram sockets what the sender may have under way is the only limit.
fn hold_more(end: &OwnedFd) -> io::Result<()> {
    let set = |option| {
        let bytes = GUEST_BUFFER_BYTES;
        set_option(end.as_raw_fd(), libc::SOL_SOCKET, option, bytes)
    };
    set(libc::SO_SNDBUFFORCE).or_else(|_| set(libc::SO_SNDBUF))
}

fn part_of(buffer: &mut [u8]) -> libc::iovec {
    libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    }
}

/// The kernel's time stamp in a received header.
///
/// # Safety
/// The header must have been filled in by the kernel.
unsafe fn arrival_ns(header: &libc::msghdr) -> u64 {
    // SAFETY: the kernel wrote well-formed control messages; a time stamp may lie unaligned.
    unsafe {
        let control = libc::CMSG_FIRSTHDR(header);
        match control.as_ref() {
            Some(first) if first.cmsg_type == libc::SCM_TIMESTAMPNS => {
                let time: libc::timespec = libc::CMSG_DATA(control)
                    .cast::<libc::timespec>()
                    .read_unaligned();
                clock::nanoseconds(&time)
            }
            _ => clock::now_ns() + clock::realtime_offset_ns(),
        }
    }
}
