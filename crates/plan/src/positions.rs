//! Positions of nodes as people write them, from 1: "1-24", "1-13/2", "1,3,5".

use toml::Value;

use crate::error::Result;
use crate::limits::MOST_NODES;
use crate::reading::{NodeRange, Section, count};

const EXAMPLE: &str = "\"1-24\", \"1-13/2\" or \"1,3,5\"";

/// Reads the positions at a key, made indices from 0; they keep their order.
pub(crate) fn read(step: &Section, name: &str) -> Result<Option<Vec<u32>>> {
    let right = || format!("must be positions in quotes, such as {EXAMPLE}");
    step.value(name, |value| parse(value.as_str().ok_or_else(right)?))
}

/// Reads `nodes`, where a number means so many of the first.
pub(crate) fn read_nodes(step: &Section) -> Result<Option<Vec<u32>>> {
    step.value("nodes", |value| match value {
        Value::Integer(_) => Ok((0..count(value, 2..=MOST_NODES)?).collect()),
        Value::String(text) => parse(text),
        _ => Err(format!(
            "must be a number of nodes, such as 16, or positions, such as {EXAMPLE}"
        )),
    })
}

/// The indices from 0 that a set of positions means, or what would be right.
fn parse(text: &str) -> Result<Vec<u32>, String> {
    let mut indices = Vec::new();
    for part in text.split(',') {
        indices.extend(parse_part(part.trim())?);
        // Each part is bounded; many of them are not.
        if indices.len() > MOST_NODES as usize {
            return Err(format!("a step has at most {MOST_NODES} nodes"));
        }
    }
    Ok(indices)
}

fn parse_part(part: &str) -> Result<impl Iterator<Item = u32>, String> {
    NodeRange::parse(part)
        .filter(|range| range.first > 0 && range.last <= MOST_NODES)
        .map(|range| range.numbers().map(|position| position - 1))
        .ok_or_else(|| {
            format!("must be positions from 1 to {MOST_NODES} that go up, such as {EXAMPLE}")
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sets_mean_what_they_say() {
        assert_eq!(parse("1-3").unwrap(), [0, 1, 2]);
        assert_eq!(parse("1-7/2").unwrap(), [0, 2, 4, 6]);
        assert_eq!(parse("5, 1,3-4").unwrap(), [4, 0, 2, 3]);
        assert_eq!(parse("4096").unwrap(), [4095]);
    }

    #[test]
    fn what_is_no_set_is_refused() {
        for wrong in [
            "",
            "0",
            "1-",
            "-1",
            "3-1",
            "a",
            "1,,2",
            "1-4/0",
            "+1",
            "1 - 4",
            "4097",
            "1-99999999999",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let many = ["1-4096"; 2].join(",");
        assert!(parse(&many).unwrap_err().contains("at most 4096 nodes"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "[0-9,/ -]{0,30}|\\PC*") {
            if let Ok(indices) = parse(&text) {
                prop_assert!(!indices.is_empty() && indices.iter().all(|index| *index < MOST_NODES));
            }
        }
    }
}
