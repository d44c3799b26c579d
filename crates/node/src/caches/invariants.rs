//! What must hold after every access, whatever was accessed.

use proptest::prelude::*;

use super::cache::State;
use super::hierarchy::Hierarchy;
use crate::machine::Machine;

const CATALOGUE: &str = include_str!("../../../../catalog/machines/p4-400.toml");

fn hierarchy(shared: bool, back: bool) -> Hierarchy {
    let policy = if back { "back" } else { "through" };
    let small = [
        ("memory.model", "caches"),
        ("memory.caches.L1I.size", "256 B"),
        ("memory.caches.L1D.size", "512 B"),
        ("memory.caches.L1D.policy", policy),
        ("memory.caches.L2.size", "2 KiB"),
        (
            "memory.caches.L2.shared",
            if shared { "true" } else { "false" },
        ),
    ];
    let owned: Vec<_> = small
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
    let machine = Machine::load(CATALOGUE, "m.toml", Some("base"), &owned).unwrap();
    Hierarchy::of(3, machine.memory.caches().unwrap())
}

/// A processor that has a line exclusive or modified is the only one that has it (MESI).
fn check_coherence(hierarchy: &Hierarchy) {
    let own = || hierarchy.members.iter().filter(|one| one.owner.is_some());
    for member in own() {
        for (line, _) in member
            .cache
            .lines()
            .filter(|(_, state)| *state > State::Shared)
        {
            let granule = (line << member.cache.line_bits) / hierarchy.granule_bytes;
            for other in own().filter(|other| other.owner != member.owner) {
                let mut meets = other.cache.lines();
                let bits = other.cache.line_bits;
                let found =
                    meets.find(|(one, _)| (one << bits) / hierarchy.granule_bytes == granule);
                assert_eq!(found, None, "{:?} has line {line} alone", member.owner);
            }
        }
    }
}

/// What an inner cache has, the outer one has too; and no line is twice in a cache.
fn check_inclusion(hierarchy: &Hierarchy) {
    for outer in &hierarchy.members {
        for inner in &outer.inner {
            let inner = &hierarchy.members[*inner].cache;
            for (line, _) in inner.lines() {
                let address = line << inner.line_bits;
                assert!(outer.cache.peek(outer.cache.line(address)).is_some());
            }
        }
        let mut lines: Vec<_> = outer.cache.lines().map(|(line, _)| line).collect();
        lines.sort_unstable();
        assert!(lines.windows(2).all(|pair| pair[0] != pair[1]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn coherence_and_inclusion_hold(
        shared: bool,
        back: bool,
        steps in prop::collection::vec((0..5u8, 0..3usize, prop_oneof![0..2048u64, 0..16384u64]), 1..200),
    ) {
        let mut caches = hierarchy(shared, back);
        for (does, processor, address) in steps {
            match does {
                0 => drop(caches.load(processor, address, 2)),
                1 => drop(caches.store(processor, address, 2)),
                2 => drop(caches.fetch(processor, address)),
                3 => caches.invalidate(address, 300),
                _ => caches.clean(address, 300),
            }
            check_coherence(&caches);
            check_inclusion(&caches);
        }
    }

    /// What a transfer wrote is in no cache; what it read is exclusive in none.
    #[test]
    fn transfers_reach_all_caches(
        shared: bool,
        back: bool,
        steps in prop::collection::vec((0..3u8, 0..3usize, 0..4096u64), 1..100),
        address in 0..4096u64,
        bytes in 1..1000u64,
    ) {
        let mut caches = hierarchy(shared, back);
        for (does, processor, address) in steps {
            match does {
                0 => drop(caches.load(processor, address, 1)),
                1 => drop(caches.store(processor, address, 1)),
                _ => drop(caches.fetch(processor, address)),
            }
        }
        caches.clean(address, bytes);
        for member in &caches.members {
            let (first, last) = (member.cache.line(address), member.cache.line(address + bytes - 1));
            let states: Vec<_> = (first..=last).filter_map(|line| member.cache.peek(line)).collect();
            prop_assert!(states.iter().all(|state| *state == State::Shared));
        }
        caches.invalidate(address, bytes);
        for member in &caches.members {
            let (first, last) = (member.cache.line(address), member.cache.line(address + bytes - 1));
            prop_assert!((first..=last).all(|line| member.cache.peek(line).is_none()));
        }
    }
}
