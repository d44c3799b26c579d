use weft_plan::program::goal_binary;

use crate::program;

const TWO: &str = "
rank 0 {
l1: calc 100
l2: send 10b to 1 tag 7
l2 requires l1
}
rank 1 {
l1: recv 10b from 0 tag 7 cpu 1
}";

/// What `txt2bin` of LogGOPSim makes of it, byte by byte as its Parser.hpp lays it out.
fn expected() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(4223u64.to_le_bytes());
    bytes.extend(2u32.to_le_bytes());
    bytes.extend([1, 0]);
    let first = 6 + 2 * 16u64;
    let second = first + 8 + 4 + 2 * 39 + 4;
    for at in [first, second, second, second + 8 + 4 + 39] {
        bytes.extend(at.to_le_bytes());
    }
    let operation = |bytes: &mut Vec<u8>,
                     needs: u32,
                     kind: u8,
                     peer: u32,
                     amount: u64,
                     rest: [u32; 5],
                     cpu: u8| {
        bytes.extend(needs.to_le_bytes());
        bytes.push(kind);
        bytes.extend(peer.to_le_bytes());
        bytes.extend(amount.to_le_bytes());
        bytes.extend(rest[0].to_le_bytes());
        bytes.extend([cpu, 0]);
        rest[1..]
            .iter()
            .for_each(|number| bytes.extend(number.to_le_bytes()));
    };
    [2u32, 1, 0]
        .iter()
        .for_each(|number| bytes.extend(number.to_le_bytes()));
    operation(&mut bytes, 0, 3, 0, 100, [0, 1, 0, 0, 1], 0);
    operation(&mut bytes, 1, 1, 1, 10, [7, 0, 1, 0, 1], 0);
    bytes.extend(1u32.to_le_bytes());
    [1u32, 1, 0]
        .iter()
        .for_each(|number| bytes.extend(number.to_le_bytes()));
    operation(&mut bytes, 0, 2, 0, 10, [7, 0, 0, 0, 0], 1);
    bytes
}

#[test]
fn it_is_what_txt2bin_writes() {
    let program = program(2, TWO);
    assert_eq!(goal_binary::write(&program), expected());
    assert_eq!(goal_binary::parse(&expected()).unwrap(), program);
}

#[test]
fn a_damaged_file_is_refused_wherever_it_ends() {
    let whole = expected();
    for length in 0..whole.len() {
        let refused = goal_binary::parse(&whole[..length]).unwrap_err();
        assert!(refused.contains("damaged"), "{length}: {refused}");
    }
    let mut other = whole;
    other[0] = 0;
    assert_eq!(
        goal_binary::parse(&other).unwrap_err(),
        "is no binary GOAL file"
    );
}
