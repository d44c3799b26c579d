//! The lab keeper.

fn main() {}
