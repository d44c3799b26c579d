//! What a network interface's driver says, through the ethtool call. Only questions, nothing is set.

use std::ffi::c_char;
use std::io;
use std::mem;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

const SIOCETHTOOL: u32 = 0x8946;
const GET_SETTINGS: u32 = 0x01;
const GET_DRIVER: u32 = 0x03;
const GET_NAMES: u32 = 0x1b;
const GET_COUNTERS: u32 = 0x1d;
/// ETH_SS_STATS.
const NAMES_OF_COUNTERS: u32 = 1;
/// Queues that are added while a run measures come with some counters each.
const SPARE_COUNTERS: usize = 4096;
/// ETH_GSTRING_LEN.
const NAME_BYTES: usize = 32;
/// The commands that get one offload each.
pub const OFFLOADS: [(&str, u32); 6] = [
    ("rx-checksum", 0x14),
    ("tx-checksum", 0x16),
    ("scatter-gather", 0x18),
    ("tso", 0x1e),
    ("gso", 0x23),
    ("gro", 0x2b),
];

/// struct ethtool_cmd of linux/ethtool.h.
#[repr(C)]
struct Settings {
    command: u32,
    supported: u32,
    advertising: u32,
    speed: u16,
    duplex: u8,
    port: u8,
    phy_address: u8,
    transceiver: u8,
    autoneg: u8,
    mdio_support: u8,
    maxtxpkt: u32,
    maxrxpkt: u32,
    speed_hi: u16,
    eth_tp_mdix: u8,
    eth_tp_mdix_ctrl: u8,
    lp_advertising: u32,
    reserved: [u32; 2],
}

/// struct ethtool_drvinfo.
#[repr(C)]
struct DriverInfo {
    command: u32,
    driver: [u8; 32],
    version: [u8; 32],
    firmware: [u8; 32],
    bus: [u8; 32],
    erom_version: [u8; 32],
    reserved: [u8; 12],
    counts: [u32; 5],
}

/// struct ethtool_value.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// The link as the driver sees it; `None` for what it does not report.
pub struct Link {
    pub mbps: Option<u32>,
    pub duplex: Option<&'static str>,
    pub autoneg: bool,
}

/// The interface's driver, and its slot; empty where it does not say.
#[derive(Default)]
pub struct Driver {
    pub name: String,
    pub version: String,
    pub firmware: String,
    pub bus: String,
    /// How many counters it keeps of its own.
    pub counters: u32,
}

/// A socket to ask through, and the interface that is asked about.
pub struct Ethtool {
    socket: UdpSocket,
    interface: String,
}

impl Ethtool {
    pub fn new(interface: &str) -> io::Result<Self> {
        Ok(Self {
            socket: UdpSocket::bind(("0.0.0.0", 0))?,
            interface: interface.to_owned(),
        })
    }

    pub fn link(&self) -> Option<Link> {
        // SAFETY: all fields are numbers, for which zeros are values.
        let mut settings: Settings = unsafe { mem::zeroed() };
        settings.command = GET_SETTINGS;
        self.ask(&mut settings).ok()?;
        let mbps = u32::from(settings.speed_hi) << 16 | u32::from(settings.speed);
        Some(Link {
            mbps: (mbps != 0 && mbps != u32::MAX && mbps != 0xffff).then_some(mbps),
            duplex: match settings.duplex {
                0 => Some("half"),
                1 => Some("full"),
                _ => None,
            },
            autoneg: settings.autoneg == 1,
        })
    }

    pub fn driver(&self) -> Option<Driver> {
        // SAFETY: all fields are numbers, for which zeros are values.
        let mut info: DriverInfo = unsafe { mem::zeroed() };
        info.command = GET_DRIVER;
        self.ask(&mut info).ok()?;
        Some(Driver {
            name: text(&info.driver),
            version: text(&info.version),
            firmware: text(&info.firmware),
            bus: text(&info.bus),
            counters: info.counts[1],
        })
    }

    /// Whether an offload of OFFLOADS is on; none where the driver does not say.
    pub fn offload(&self, command: u32) -> Option<bool> {
        let mut value = Value { command, data: 0 };
        self.ask(&mut value).ok()?;
        Some(value.data != 0)
    }

    /// The interface's MTU. Sysfs has it too, but of the namespace in which it was mounted.
    pub fn mtu(&self) -> Option<u32> {
        let mut request = self.request().ok()?;
        self.call(libc::SIOCGIFMTU as u32, &mut request).ok()?;
        // SAFETY: every bit pattern is a number, and after a call that went well the kernel has written this one.
        u32::try_from(unsafe { request.ifr_ifru.ifru_mtu }).ok()
    }

    /// The names of the counters that the driver keeps of its own.
    pub fn counter_names(&self) -> Vec<String> {
        let count = self.driver().map_or(0, |driver| driver.counters as usize);
        let mut answer = vec![0_u32; 3 + count * NAME_BYTES / 4];
        answer[..3].copy_from_slice(&[GET_NAMES, NAMES_OF_COUNTERS, count as u32]);
        if count == 0 || self.ask_long(&mut answer).is_err() {
            return Vec::new();
        }
        let names = answer[3..].iter().flat_map(|word| word.to_ne_bytes());
        let names: Vec<u8> = names.collect();
        names.chunks(NAME_BYTES).map(text).collect()
    }

    /// Memory for `read_counters` of so many counters. The kernel writes as many as there are by then, which may be more
    /// where queues were added.
    pub fn room(counters: usize) -> Vec<u64> {
        vec![0; 2 * counters + SPARE_COUNTERS]
    }

    /// Their values; none where they are no longer so many.
    pub fn read_counters<'a>(&self, counters: usize, room: &'a mut [u64]) -> Option<&'a [u64]> {
        let [low, high] = [GET_COUNTERS, counters as u32].map(u32::to_ne_bytes);
        let [a, b, c, d] = low;
        let [e, f, g, h] = high;
        room[0] = u64::from_ne_bytes([a, b, c, d, e, f, g, h]);
        let asked = room[0];
        self.ask_long(room).ok()?;
        (room[0] == asked).then(|| &room[1..=counters])
    }

    /// As `ask`, where the answer is longer than the question; the kernel writes no more than there is room for.
    fn ask_long<T>(&self, question: &mut [T]) -> io::Result<()> {
        let mut request = self.request()?;
        request.ifr_ifru.ifru_data = question.as_mut_ptr().cast();
        self.call(SIOCETHTOOL, &mut request)
    }

    /// Put a question of ethtool's, whose first field is its command; the answer takes its place.
    fn ask<T>(&self, question: &mut T) -> io::Result<()> {
        let mut request = self.request()?;
        request.ifr_ifru.ifru_data = (question as *mut T).cast();
        self.call(SIOCETHTOOL, &mut request)
    }

    /// A request about the interface.
    fn request(&self) -> io::Result<libc::ifreq> {
        // SAFETY: all fields are numbers or pointers, for which zeros are values.
        let mut request: libc::ifreq = unsafe { mem::zeroed() };
        let name = self.interface.as_bytes();
        if name.len() >= request.ifr_name.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        for (to, from) in request.ifr_name.iter_mut().zip(name) {
            *to = *from as c_char;
        }
        Ok(request)
    }

    fn call(&self, command: u32, request: &mut libc::ifreq) -> io::Result<()> {
        // SAFETY: the request and what it points to live through the call, and the kernel writes no more than the
        // structure that the command names, which is the one that is passed.
        let outcome = unsafe { libc::ioctl(self.socket.as_raw_fd(), command as _, request) };
        if outcome < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

/// Text up to its first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_are_as_long_as_the_kernels() {
        assert_eq!(mem::size_of::<Settings>(), 44);
        assert_eq!(mem::size_of::<DriverInfo>(), 196);
    }

    #[test]
    fn loopback_says_its_offloads_and_no_speed() {
        let loopback = Ethtool::new("lo").expect("a socket");
        assert_eq!(loopback.offload(0x23), Some(true), "gso");
        assert!(loopback.link().is_none_or(|link| link.mbps.is_none()));
    }

    #[test]
    fn an_interface_that_is_not_there_says_nothing() {
        let nobody = Ethtool::new("nobody0").expect("a socket");
        assert!(nobody.driver().is_none());
        assert!(nobody.offload(0x23).is_none());
        assert!(
            Ethtool::new("a-name-that-is-too-long")
                .expect("a socket")
                .link()
                .is_none()
        );
    }
}
