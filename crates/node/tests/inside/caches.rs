//! The fast caches against slow obvious ones, and against the theory of stacks.

use proptest::prelude::*;
use weft_node::{Caches, Hierarchy};

use super::load;
use super::plain::{Does, PlainCaches};

/// Caches small enough that random accesses fill them: two levels, three, shared, not a power of two.
const SHAPES: [&str; 8] = [
    r#"[{ name = "L1I", level = 1, holds = "instructions", size = "256 B", ways = 2, line = "32 B", read = "2 ns" },
        { name = "L1D", level = 1, holds = "data", size = "256 B", ways = 4, line = "32 B", read = "3 ns", write = "1 ns", policy = "through" },
        { name = "L2", level = 2, size = "1 KiB", ways = 4, line = "64 B", read = "5 ns", write = "4 ns", policy = "back" }]"#,
    r#"[{ name = "L1I", level = 1, holds = "instructions", size = "256 B", ways = 2, line = "32 B", read = "2 ns" },
        { name = "L1D", level = 1, holds = "data", size = "256 B", ways = 4, line = "32 B", read = "3 ns", write = "1 ns", policy = "through" },
        { name = "L2", level = 2, size = "1 KiB", ways = 4, line = "64 B", read = "5 ns", write = "4 ns", policy = "back", shared = true }]"#,
    r#"[{ name = "L1", level = 1, size = "256 B", ways = 2, line = "32 B", read = "2 ns", write = "1 ns", policy = "through", allocate = true },
        { name = "L2", level = 2, size = "1 KiB", ways = 4, line = "64 B", read = "5 ns", write = "4 ns", policy = "back" }]"#,
    r#"[{ name = "L1", level = 1, size = "256 B", ways = 2, line = "32 B", read = "1 ns", write = "1 ns", policy = "through", allocate = true }]"#,
    r#"[{ name = "L1", level = 1, size = "256 B", ways = 2, line = "32 B", read = "1 ns", write = "1 ns", policy = "back", allocate = false },
        { name = "L2", level = 2, size = "1 KiB", ways = 4, line = "64 B", read = "4 ns", write = "4 ns", policy = "back" }]"#,
    r#"[{ name = "L1", level = 1, size = "192 B", ways = 2, line = "32 B", read = "1 ns", write = "1 ns", policy = "back" },
        { name = "L2", level = 2, size = "768 B", ways = 3, line = "64 B", read = "4 ns", write = "4 ns", policy = "back" },
        { name = "L3", level = 3, size = "2 KiB", ways = 8, line = "64 B", read = "9 ns", write = "9 ns", policy = "back", shared = true }]"#,
    r#"[{ name = "L1", level = 1, size = "256 B", ways = 8, line = "32 B", read = "1 ns", write = "1 ns", policy = "back" }]"#,
    r#"[{ name = "L1", level = 1, size = "256 B", ways = 1, line = "32 B", read = "1 ns", write = "1 ns", policy = "through" }]"#,
];

fn described(shape: &str) -> Caches {
    let overrides = [("memory.model", "caches"), ("memory.caches", shape)];
    let machine = load("base", &overrides).unwrap();
    machine.memory.caches().unwrap().clone()
}

#[derive(Debug, Clone)]
struct Step {
    processor: usize,
    /// Read, write, fetch, or a transfer of the network interface.
    does: Option<Does>,
    address: u64,
}

fn step() -> impl Strategy<Value = Step> {
    let does = prop_oneof![
        6 => Just(Some(Does::Read)),
        6 => Just(Some(Does::Write)),
        3 => Just(Some(Does::Fetch)),
        1 => Just(None),
    ];
    // Few addresses, so that processors meet; and some anywhere.
    let address = prop_oneof![0..1024u64, 0..8192u64];
    (0..3usize, does, address).prop_map(|(processor, does, address)| Step {
        processor,
        does,
        address,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn fast_caches_do_what_plain_ones_do(
        shape in 0..SHAPES.len(),
        steps in prop::collection::vec(step(), 1..300),
    ) {
        let described = described(SHAPES[shape]);
        let mut fast = Hierarchy::of(3, &described);
        let mut plain = PlainCaches::new(3, &described);
        let mut stall_ps = 0;
        for Step { processor, does, address } in steps {
            let Some(does) = does else {
                fast.invalidate(address, 100);
                plain.transfer(address, 100);
                continue;
            };
            plain.access(processor, does, address);
            let cost = match does {
                Does::Read => fast.load(processor, address, 1),
                Does::Write => fast.store(processor, address, 1),
                Does::Fetch => fast.fetch(processor, address),
            };
            stall_ps += cost.stall_ps + cost.write_ps;
            let found: Vec<_> = fast.counts().iter().map(|one| [one.accesses, one.hits]).collect();
            prop_assert_eq!(&found, &plain.counts);
            prop_assert_eq!(stall_ps, plain.stall_ps);
        }
    }

    /// R. L. Mattson et al. (IBM Systems Journal 9(2), 1970): a fully associative LRU cache of n lines has what was used
    /// among the last n different lines, for every n.
    #[test]
    fn one_set_hits_within_its_stack_distance(
        lines in prop::collection::vec(0..40u64, 1..400),
        ways in 1..32usize,
    ) {
        let shape = format!(
            r#"[{{ name = "L1", level = 1, size = "{} B", ways = {ways}, line = "64 B", read = "1 ns", write = "1 ns", policy = "back" }}]"#,
            64 * ways
        );
        let mut cache = Hierarchy::of(1, &described(&shape));
        let mut stack: Vec<u64> = Vec::new();
        let mut hits = 0;
        for line in lines {
            let distance = stack.iter().rev().position(|other| *other == line);
            hits += u64::from(distance.is_some_and(|distance| distance < ways));
            stack.retain(|other| *other != line);
            stack.push(line);
            cache.load(0, 64 * line, 1);
            prop_assert_eq!(cache.counts()[0].hits, hits);
        }
    }

    /// Several words of a line at once are the same as one after the other.
    #[test]
    fn words_of_a_line_may_be_taken_together(
        shape in 0..SHAPES.len(),
        steps in prop::collection::vec((step(), 1..9u64), 1..200),
    ) {
        let described = described(SHAPES[shape]);
        let (mut together, mut single) = (Hierarchy::of(3, &described), Hierarchy::of(3, &described));
        for (Step { processor, does, address }, words) in steps {
            let access = |caches: &mut Hierarchy, words| match does {
                Some(Does::Write) => caches.store(processor, address, words),
                _ => caches.load(processor, address, words),
            };
            let once = access(&mut together, words);
            let mut sum = weft_node::Cost::default();
            (0..words).for_each(|_| sum += access(&mut single, 1));
            prop_assert_eq!(once, sum);
            prop_assert_eq!(together.counts(), single.counts());
        }
    }
}

/// Of 16 words of a line the first is missed: with write-allocate, 15 of them hit.
#[test]
fn sequential_writes_hit_only_where_lines_are_allocated() {
    for (allocate, hits) in [("false", 0), ("true", 15 * 8)] {
        let shape = format!(
            r#"[{{ name = "L1", level = 1, size = "256 B", ways = 2, line = "64 B", read = "1 ns", write = "1 ns", policy = "through", allocate = {allocate} }}]"#
        );
        let mut cache = Hierarchy::of(1, &described(&shape));
        for word in 0..16 * 8 {
            cache.store(0, 4 * word, 1);
        }
        assert_eq!(cache.counts()[1].accesses, 16 * 8);
        assert_eq!(cache.counts()[1].hits, hits, "allocate = {allocate}");
    }
}
