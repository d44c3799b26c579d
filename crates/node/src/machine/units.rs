//! The quantities of a machine's description.

use weft_plan::reading::Quantity;

/// Clocks in hertz.
pub const CLOCK: Quantity = Quantity {
    noun: "clock",
    example: "400 MHz",
    smallest: "hertz",
    units: &[
        ("Hz", 1),
        ("kHz", 1000),
        ("MHz", 1_000_000),
        ("GHz", 1_000_000_000),
    ],
};

/// Rates in bits per second.
pub const RATE: Quantity = Quantity {
    noun: "rate",
    example: "64 Gb/s",
    smallest: "bits per second",
    units: &[
        ("b/s", 1),
        ("kb/s", 1000),
        ("Mb/s", 1_000_000),
        ("Gb/s", 1_000_000_000),
        ("Tb/s", 1_000_000_000_000),
    ],
};

/// Times in picoseconds, the clock of the simulator.
pub const SPAN: Quantity = Quantity {
    noun: "time",
    example: "2.5 ns",
    smallest: "picoseconds",
    units: &[
        ("ps", 1),
        ("ns", 1000),
        ("us", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
    ],
};
