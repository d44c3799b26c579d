//! Messages over a bond of interfaces, frame by frame in turn (Linux: balance-rr).

use weft_plan::Transfer;

use crate::samples::setup::Setup;

/// What of a message goes over each interface: as many frames over all, or one more over the first ones. None where there
/// is no path.
pub fn spread(setup: &mut Setup<'_>, whole: &Transfer, interfaces: u32) -> Option<Vec<Transfer>> {
    let (path, _) = setup.seek_message(whole)?;
    let segment_bytes = setup.framing().segment_bytes(path.mtu_bytes);
    let bytes = in_turn(whole.bytes, segment_bytes, u64::from(interfaces));
    let part = |(network, bytes)| Transfer {
        network,
        bytes,
        ..*whole
    };
    Some((0..).zip(bytes).map(part).collect())
}

/// By interface that has any: its bytes.
fn in_turn(bytes: u64, segment_bytes: u64, interfaces: u64) -> Vec<u64> {
    let frames = bytes.div_ceil(segment_bytes).max(1);
    let last = (frames - 1) % interfaces;
    let missing_bytes = frames * segment_bytes - bytes;
    let of = |interface: u64| {
        let own = frames / interfaces + u64::from(interface < frames % interfaces);
        own * segment_bytes - if interface == last { missing_bytes } else { 0 }
    };
    (0..interfaces.min(frames)).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_go_in_turn_and_the_last_one_is_short() {
        assert_eq!(in_turn(1, 10, 2), [1]);
        assert_eq!(in_turn(20, 10, 2), [10, 10]);
        assert_eq!(in_turn(25, 10, 2), [15, 10]);
        assert_eq!(in_turn(31, 10, 4), [10, 10, 10, 1]);
        assert_eq!(in_turn(45, 10, 4), [15, 10, 10, 10]);
    }
}
