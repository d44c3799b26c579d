//! Large sends help, as published (catalog/published/nic_offload.toml: feat_lso, lit_lso_gain_max_pct).

use weft_node::Measured;

use super::{PLACEMENTS, measured, stream};

const MOST_GAIN: f64 = 1.5;

fn rate_mbps(found: &Measured, bytes: u64) -> f64 {
    bytes as f64 * 8e6 / found.period_ps
}

/// What each processor of the sender is busy for a message, in all.
fn sender_ps(found: &Measured) -> f64 {
    let busy_ps: u64 = found.tallies[0].busy_ps.iter().flatten().sum();
    busy_ps as f64 / found.messages as f64
}

#[test]
fn a_large_send_spares_the_sender_and_slows_nothing() {
    for (placement, bytes) in PLACEMENTS
        .iter()
        .flat_map(|one| [(one, 65_536), (one, 1 << 20)])
    {
        let of = |size| {
            let keys = [("nic.mtu_bytes", "1500"), ("nic.large_send", size)];
            measured(placement, &keys, stream(bytes))
        };
        let without = of("1 B");
        for size in ["8 KiB", "16 KiB", "32 KiB", "64 KiB"] {
            let with = of(size);
            let gain = rate_mbps(&with, bytes) / rate_mbps(&without, bytes);
            let case = format!("{placement} {bytes} {size}: {gain}");
            assert!((1.0..MOST_GAIN).contains(&gain), "{case}");
            assert!(sender_ps(&with) < 0.95 * sender_ps(&without), "{case}");
        }
    }
}

/// With jumbo frames there is little to spare.
#[test]
fn a_large_send_of_jumbo_frames_slows_nothing() {
    for placement in PLACEMENTS {
        for sends in ["3", "8"] {
            let of = |size| {
                let keys = [("nic.large_send", size), ("sockets.large_sends", sends)];
                rate_mbps(&measured(placement, &keys, stream(1 << 20)), 1 << 20)
            };
            let [without, with] = ["1 B", "64 KiB"].map(of);
            assert!(with > 0.99 * without, "{placement}: {without}, {with}");
        }
    }
}

/// A window of one has its parts wait for each other: copied, sent, read, one after the other.
#[test]
fn a_large_send_that_fills_the_window_stalls() {
    let of = |sends| {
        let keys = [
            ("nic.mtu_bytes", "1500"),
            ("nic.large_send", "64 KiB"),
            ("sockets.large_sends", sends),
        ];
        rate_mbps(&measured("base", &keys, stream(1 << 20)), 1 << 20)
    };
    assert!(of("1") < 0.8 * of("8"));
}
