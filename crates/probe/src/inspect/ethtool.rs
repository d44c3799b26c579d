//! What a network interface's driver says, through the ethtool call. Only questions, nothing is set.

use std::ffi::c_char;
use std::io;
use std::mem;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

const SIOCETHTOOL: u32 = 0x8946;
const GET_SETTINGS: u32 = 0x01;
const GET_DRIVER: u32 = 0x03;
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
}

/// A socket to ask through, and the interface that is asked about.
pub struct Ethtool<'a> {
    socket: UdpSocket,
    interface: &'a str,
}

impl<'a> Ethtool<'a> {
    pub fn new(interface: &'a str) -> io::Result<Self> {
        let socket = UdpSocket::bind(("0.0.0.0", 0))?;
        Ok(Self { socket, interface })
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
