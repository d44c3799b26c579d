//! Laws of queues that hold for any machine.

use proptest::prelude::*;
use weft_node::{Carrier, Exchange, measure};
use weft_plan::Grain;

use super::{PLACEMENTS, load, measured, pingpong, stream};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn utilisation_and_little_hold(
        placement in 0..4usize,
        bytes in 1u64..200_000,
        answer in prop_oneof![Just(0u64), 1u64..50_000],
        mtu in 100u32..9000,
        frames in 1u32..20,
        hit_rate in 0.5f64..1.0,
        buffer in 1u64..200,
        nodelay: bool,
    ) {
        let texts = [mtu.to_string(), frames.to_string(), hit_rate.to_string(), format!("{buffer} KiB")];
        let overrides = [
            ("nic.mtu_bytes", texts[0].as_str()),
            ("nic.coalesce_frames", &texts[1]),
            ("memory.hit_rate", &texts[2]),
            ("sockets.receive_buffer", &texts[3]),
            ("sockets.send_buffer", &texts[3]),
        ];
        let machine = load(PLACEMENTS[placement], &overrides).unwrap();
        let exchange = Exchange { message_bytes: bytes, answer_bytes: answer, nodelay, compute: Grain::Read, carrier: Carrier::Tcp };
        let found = measure(&machine, exchange).unwrap();
        for tally in &found.tallies {
            for busy in &tally.busy_ps {
                prop_assert!(busy.iter().sum::<u64>() <= tally.elapsed_ps);
            }
            prop_assert!(tally.link_ps <= tally.elapsed_ps * 101 / 100 + 100_000_000);
            // Little: frames in the ring on average = frames per time x time of each. Frames that are there at the
            // beginning or the end count on one side only; among many they do not matter.
            if tally.ring_frames > 400 {
                let (area, stay) = (tally.ring_area_ps as f64, tally.ring_stay_ps as f64);
                prop_assert!((area - stay).abs() <= 0.15 * area, "{area} {stay}");
            }
        }
        // Nothing is faster than the wire.
        let payload_ps = (bytes + answer) as f64 * 8e12 / machine.link.bits_per_s as f64;
        prop_assert!(found.period_ps >= 0.999 * payload_ps);
    }
}

/// Utilisation = throughput x service time, for the wire, whose service time is known.
#[test]
fn the_link_is_busy_for_what_it_carries() {
    for placement in PLACEMENTS {
        let found = measured(placement, &[], pingpong(8948));
        let [sender, _] = &found.tallies;
        let busy_ps = sender.frames_out as f64 * 9038.0 * 8e3;
        assert_eq!(sender.link_ps as f64, busy_ps, "{placement}");
        assert_eq!(sender.frames_out, found.messages, "{placement}");
    }
}

/// Little's law exactly, where nothing is in the ring when counting begins and ends.
#[test]
fn frames_in_the_ring_are_rate_times_stay() {
    for placement in PLACEMENTS {
        for tally in &measured(placement, &[], pingpong(100_000)).tallies {
            assert!(tally.ring_frames > 0);
            let (area, stay) = (tally.ring_area_ps as f64, tally.ring_stay_ps as f64);
            assert!(
                (area - stay).abs() <= 0.02 * area,
                "{placement}: {area} {stay}"
            );
        }
    }
}

#[test]
fn the_same_again_is_the_same_to_the_last_event() {
    for placement in PLACEMENTS {
        let once = measured(placement, &[], stream(10_000));
        assert_eq!(once, measured(placement, &[], stream(10_000)));
        assert_ne!(
            once.fingerprint,
            measured(placement, &[], stream(10_001)).fingerprint
        );
    }
}
