//! Caches as users write them wrong.

use super::{CACHES, refuse, table};

/// A key, its value, and a part of the message.
const WRONG: &str = r#"
memory.caches.L2.size => 500 kB => must be a multiple of line x ways = 128 x 8 = 1024 B
memory.caches.L2.size => 8 KiB => must not be smaller than L1I
memory.caches.L2.size => 128 MiB => give at most 64 MiB
memory.caches.L2.ways => 0 => must be a whole number from 1 to 64
memory.caches.L1D.line => 48 B => a line is a power of two
memory.caches.L1D.line => 8 B => at least 16 B
memory.caches.L2.line => 32 B => must not be shorter than that of L1I

memory.caches.L2.read => 2 ns => must not be faster than L1I
memory.caches.L2.write => 2 ns => must not be faster than L1D
memory.latency => 2 ns => memory must not be faster than L2

memory.caches.L1I.policy => back => belongs to caches that hold data
memory.caches.L1I.allocate => true => belongs to caches that hold data
memory.caches.L2.policy => bck => unknown policy, did you mean "back"?
memory.caches.L2.level => 1 => level 1 has L1I for that
memory.caches.L1D.name => L1I => give each cache its own name
memory.caches.L2.level => 3 => from the inside out; 2 comes next
memory.caches.L2.holds => data => one for instructions and one for data
memory.caches.L1D.shared => true => must be shared as is L1D

memory.model => men => unknown model, did you mean "mean"?
footprints.stack => 0 B => must be positive
footprints.socket => 2 MiB => give at most 1 MiB
footprints.reads => 1.5 => must be a number from 0 to 1
"#;

#[test]
fn caches_that_cannot_be_are_refused() {
    for [key, value, expected] in table::rows(WRONG) {
        refuse(&[CACHES, (&key, &value)], &expected);
    }
}

#[test]
fn caches_that_do_not_go_together_are_refused() {
    let first = r#"{ name = "L1", level = 1, size = "1 KiB", ways = 2, line = "32 B", read = "2 ns", write = "2 ns", policy = "back" }"#;
    let second = |keys: &str, policy: &str| {
        let rest = r#"ways = 2, line = "32 B", read = "2 ns", write = "2 ns""#;
        format!(
            r#"[{first}, {{ name = "L2", level = 2, size = "1 KiB", {rest}, {keys} policy = "{policy}" }}]"#
        )
    };
    refuse(
        &[CACHES, ("memory.caches", "[]")],
        "list caches from the inside out",
    );
    let data = second(r#"holds = "data","#, "back");
    refuse(&[CACHES, ("memory.caches", &data)], "L1, which holds both");
    let through = second("", "through");
    refuse(
        &[CACHES, ("memory.caches", &through)],
        "must be \"back\" as is that of L1",
    );
}
