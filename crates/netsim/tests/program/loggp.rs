//! Against the formulas of LogGP and LogGOPS, for their parameters.

use crate::{DEFAULTS, LogGops, assert_alike, ends_ns, played};

const MODELS: [LogGops; 4] = [
    DEFAULTS,
    LogGops {
        gap: 4000,
        ..DEFAULTS
    },
    LogGops {
        overhead: 9000,
        per_byte: 1,
        ..DEFAULTS
    },
    LogGops {
        latency: 50_000,
        overhead: 10,
        gap: 20,
        per_byte: 3,
        ..DEFAULTS
    },
];
const SIZES: [u64; 4] = [1, 2, 1000, 65_535];

fn each(check: impl Fn(LogGops, u64)) {
    for model in MODELS {
        SIZES.into_iter().for_each(|bytes| check(model, bytes));
    }
}

/// o + L + (k-1)G + o.
fn one_way(model: LogGops, bytes: u64) -> u64 {
    2 * model.overhead + model.latency + (bytes - 1) * model.per_byte
}

/// From one message's begin to the next one's: max(o, g + (k-1)G).
fn between(model: LogGops, bytes: u64) -> u64 {
    model.overhead.max(model.gap + (bytes - 1) * model.per_byte)
}

#[test]
fn a_message_and_its_answer() {
    each(|model, bytes| {
        let text = format!(
            "rank 0 {{\na: send {bytes}b to 1\nb: recv {bytes}b from 1\nb requires a\n}}\n\
             rank 1 {{\na: recv {bytes}b from 0\nb: send {bytes}b to 0\nb requires a\n}}"
        );
        let (outcome, messages) = played(model, 2, &text);
        assert_alike(ends_ns(&outcome)[0], 2 * one_way(model, bytes));
        assert_alike(messages[0].end_s * 1e9, one_way(model, bytes));
    });
}

#[test]
fn messages_one_behind_the_other() {
    each(|model, bytes| {
        let sends = format!("send {bytes}b to 1\n").repeat(5);
        let receives = format!("recv {bytes}b from 0\n").repeat(5);
        let text = format!("rank 0 {{\n{sends}}}\nrank 1 {{\n{receives}}}");
        let (outcome, messages) = played(model, 2, &text);
        for (number, message) in (0..).zip(&messages) {
            let begun = number * between(model, bytes);
            assert_alike(message.end_s * 1e9, begun + one_way(model, bytes));
        }
        // The last send has ended when it begins to leave.
        let last = 4 * between(model, bytes) + model.overhead;
        assert_alike(ends_ns(&outcome)[0], last);
    });
}

#[test]
fn computing_between_messages() {
    each(|model, bytes| {
        let text = format!(
            "rank 0 {{\na: calc 777\nb: send {bytes}b to 1\nb requires a\nc: calc 50\nc requires b\n}}\n\
             rank 1 {{\na: recv {bytes}b from 0\nb: calc 100000\nb requires a\n}}"
        );
        let (outcome, _) = played(model, 2, &text);
        assert_alike(ends_ns(&outcome)[0], 777 + model.overhead + 50);
        assert_alike(ends_ns(&outcome)[1], 777 + one_way(model, bytes) + 100_000);
    });
}

/// A binomial tree over 32 ranks: rank r with its highest bit b gets its message from r - 2^b.
#[test]
fn a_binomial_broadcast() {
    each(|model, bytes| {
        let mut text = String::new();
        for rank in 0..32u32 {
            text.push_str(&format!("rank {rank} {{\n"));
            let high = 32 - rank.leading_zeros();
            if rank > 0 {
                text.push_str(&format!(
                    "r: recv {bytes}b from {}\n",
                    rank - (1 << (high - 1))
                ));
            }
            for bit in high..5 {
                text.push_str(&format!("s{bit}: send {bytes}b to {}\n", rank + (1 << bit)));
                if rank > 0 {
                    text.push_str(&format!("s{bit} requires r\n"));
                }
            }
            text.push_str("}\n");
        }
        let (_, messages) = played(model, 32, &text);
        let mut has = [0u64; 32];
        for rank in 1..32u32 {
            let high = 31 - rank.leading_zeros();
            let parent = rank - (1 << high);
            // The parent sends in the order of bits, from that above its own highest.
            let before = u64::from(high - (32 - parent.leading_zeros()));
            has[rank as usize] =
                has[parent as usize] + before * between(model, bytes) + one_way(model, bytes);
        }
        assert_eq!(messages.len(), 31);
        for message in messages {
            assert_alike(message.end_s * 1e9, has[message.dst as usize]);
        }
    });
}

#[test]
fn a_long_message_waits_for_its_receive_and_a_short_one_does_not() {
    for (bytes, waits) in [(65_535, false), (65_536, true)] {
        let text = format!(
            "rank 0 {{\na: send {bytes}b to 1\n}}\n\
             rank 1 {{\na: calc 9000000\nb: recv {bytes}b from 0\nb requires a\n}}"
        );
        let (outcome, _) = played(DEFAULTS, 2, &text);
        let model = DEFAULTS;
        let left = bytes * model.per_byte;
        let [sent, received] = match waits {
            false => [model.overhead, 9_000_000 + model.overhead],
            true => [
                9_000_000 + left,
                9_000_000 + one_way(model, bytes) - model.overhead,
            ],
        };
        assert_alike(ends_ns(&outcome)[0], sent);
        assert_alike(ends_ns(&outcome)[1], received);
    }
}
