//! The slot that a network interface sits in.

use serde::Serialize;

use crate::system::files::{line, number};

/// A PCI Express link: what it runs at and what the device could; speeds as the kernel prints them ("16.0 GT/s PCIe").
#[derive(Debug, Serialize)]
pub struct Slot {
    pub address: String,
    pub speed: Option<String>,
    pub width: Option<i64>,
    pub max_speed: Option<String>,
    pub max_width: Option<i64>,
    /// The processors' memory that is next to it.
    pub numa_node: Option<i64>,
}

/// The slot with an address such as 0000:3b:00.0; none where that is no PCI device.
pub fn slot(address: &str) -> Option<Slot> {
    let is_address = address.len() > 6 && !address.contains('/') && address.contains(':');
    let directory = format!("/sys/bus/pci/devices/{address}");
    if !is_address || !std::path::Path::new(&directory).exists() {
        return None;
    }
    let file = |name: &str| format!("{directory}/{name}");
    Some(Slot {
        address: address.to_owned(),
        speed: line(&file("current_link_speed")),
        width: number(&file("current_link_width")),
        max_speed: line(&file("max_link_speed")),
        max_width: number(&file("max_link_width")),
        numa_node: number(&file("numa_node")).filter(|node| *node >= 0),
    })
}
