//! A guest's interface sends no faster than its link, as a host of namespaces does.

use weft_fabric::{BitRate, ETHERNET_BYTES};

use crate::error::{Doing, LabError, Result};
use crate::kernel::netlink::Netlink;
use crate::kernel::token_bucket::TokenBucket;

/// Which interface of the calling thread's namespace, and the link behind it.
#[derive(Debug)]
pub struct PaceRequest {
    pub interface: String,
    pub bits_per_s: u64,
    pub mtu_bytes: u32,
    pub queue_frames: u32,
}

/// Puts a token bucket at the interface's exit.
pub fn pace(request: &PaceRequest) -> Result<()> {
    let name = &request.interface;
    let path = format!("/sys/class/net/{name}/ifindex");
    let index = std::fs::read_to_string(path).ok();
    let index = index.and_then(|text| text.trim().parse().ok());
    let index = index.ok_or_else(|| LabError::request(format!("no interface {name}"), ""))?;
    let frame_bytes = request.mtu_bytes + ETHERNET_BYTES;
    let bucket = TokenBucket::new(
        BitRate(request.bits_per_s),
        frame_bytes,
        request.queue_frames,
    );
    let netlink = Netlink::open().doing("open a netlink socket")?;
    bucket
        .install(&netlink, index)
        .doing("install a token bucket")
}
