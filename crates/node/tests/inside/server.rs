//! Large sends, merged packets, a driver that polls, and cycles by category.

use weft_node::{Census, Machine, measure, observe};

use super::{load_text, pingpong, stream};

const SERVER: &str = include_str!("../../../../catalog/machines/server-100g.toml");
const BYTES: u64 = 128 << 10;
const PLACEMENTS: [&str; 5] = ["no-opts", "tso-gro", "jumbo", "all", "smartnic"];

/// The catalogue's server with some keys changed.
pub fn server(placement: &str, overrides: &[(&str, &str)]) -> Machine {
    load(placement, overrides).unwrap()
}

fn load(placement: &str, overrides: &[(&str, &str)]) -> Result<Machine, String> {
    load_text(SERVER, placement, overrides)
}

fn rate_mbps(machine: &Machine) -> f64 {
    BYTES as f64 * 8e6 / measure(machine, stream(BYTES)).unwrap().period_ps
}

#[test]
fn what_a_placement_says_of_other_keys_goes_behind_what_is_asked() {
    assert_eq!(server("no-opts", &[]).nic.mtu_bytes, 1500);
    assert_eq!(server("all", &[]).nic.mtu_bytes, 9000);
    assert_eq!(
        server("all", &[("nic.mtu_bytes", "4000")]).nic.mtu_bytes,
        4000
    );
}

#[test]
fn each_step_of_optimisation_is_faster_until_the_link_is_full() {
    let rates = ["no-opts", "tso-gro", "jumbo"].map(|placement| rate_mbps(&server(placement, &[])));
    assert!(rates.is_sorted(), "{rates:?}");
    for placement in PLACEMENTS {
        assert!(
            rate_mbps(&server(placement, &[])) <= 100_000.0,
            "{placement}"
        );
    }
}

/// Large sends alone spare the sender work, merging the receiver.
#[test]
fn large_sends_and_merging_spare_processors() {
    let busy_ps = |node: usize, overrides: &[(&str, &str)]| {
        let machine = server("no-opts", overrides);
        let found = measure(&machine, stream(BYTES)).unwrap();
        let busy_ps: u64 = found.tallies[node].busy_ps.iter().flatten().sum();
        busy_ps as f64 / found.messages as f64
    };
    let large = ("nic.large_send", "64 KiB");
    assert!(busy_ps(0, &[large]) < 0.8 * busy_ps(0, &[]));
    // A sender that is spared sends more at once, so that there is something to merge.
    assert!(busy_ps(1, &[large, ("nic.merge", "64 KiB")]) < 0.6 * busy_ps(1, &[large]));
}

#[test]
fn a_driver_that_polls_is_interrupted_less() {
    let calls = |poll| {
        let machine = server("tso-gro", &[("nic.poll", poll), ("nic.merge", "1 B")]);
        let found = measure(&machine, stream(BYTES)).unwrap();
        let tally = &found.tallies[1];
        // Those of the interface; the other processor is called to wake the reader.
        tally.interrupts[1] as f64 / tally.elapsed_ps as f64
    };
    assert!(calls("true") < calls("false"));
}

#[test]
fn large_messages_and_small_ones_arrive_whole_in_all_placements() {
    for placement in PLACEMENTS {
        for bytes in [1, 1448, 1449, 65_536, 1_000_001] {
            assert!(
                measure(&server(placement, &[]), pingpong(bytes)).is_ok(),
                "{placement} {bytes}"
            );
        }
    }
}

/// What the writer's processor made is freed where acknowledgements are processed, if that is another one.
#[test]
fn remote_costs_are_where_acknowledgements_are_processed_elsewhere() {
    for key in ["costs.remote.acknowledgement", "costs.remote.page_out"] {
        let sender_ps = |placement, cycles| {
            let found = measure(&server(placement, &[(key, cycles)]), stream(BYTES)).unwrap();
            let busy_ps: u64 = found.tallies[0].busy_ps.iter().flatten().sum();
            busy_ps as f64 / found.messages as f64
        };
        let of = |placement| ["0", "5000"].map(|cycles| sender_ps(placement, cycles));
        let ([none, some], [here_none, here_some]) = (of("tso-gro"), of("all"));
        assert!(some > 1.02 * none, "{key}: {some} {none}");
        assert_eq!(here_none, here_some, "{key}");
    }
}

/// All cycles of a machine whose memory is not shared are what its processors were busy for.
#[test]
fn cycles_by_category_are_the_processors_busy_time() {
    for placement in ["no-opts", "tso-gro", "all"] {
        let machine = server(placement, &[]);
        let (found, census) = observe(&machine, stream(BYTES), Census::new(&machine)).unwrap();
        for (tally, cycles) in found.tallies.iter().zip(&census.cycles()) {
            let busy_ps: u64 = tally.busy_ps.iter().flatten().sum();
            let busy_cycles = busy_ps as f64 * 3.4e9 / 1e12;
            let sum: f64 = cycles.iter().sum();
            assert!(
                (sum / busy_cycles - 1.0).abs() < 0.02,
                "{placement}: {sum} {busy_cycles}"
            );
        }
    }
}

#[test]
fn wrong_costs_and_sizes_are_refused_by_name() {
    for (key, value, part) in [
        ("nic.large_send", "1 MiB", "64 KiB"),
        ("nic.merge", "0 B", "nic.merge"),
        ("costs.protocol.tcp_ip", "-1", "costs.protocol.tcp_ip"),
        ("costs.driver", "fast", "costs.driver"),
        ("costs.remote.paket", "1", "costs.remote.paket"),
    ] {
        let refusal = load("all", &[(key, value)]).unwrap_err();
        assert!(refusal.contains(part), "{refusal}");
    }
}
