//! ClusterShell's node-set syntax: `n[1-64]`, `n[1-63/2]`, `n[01-16,20]`, `module[1-2]/asic[1-2]`, `a,b`.

use weft_plan::reading::NodeRange;

/// Guards against a slip of the finger such as `n[1-1000000000]`.
const MOST_NODES: usize = 100_000;

/// Expands a node set, the last bracket running fastest; the error says what would be right.
pub fn expand(text: &str) -> Result<Vec<String>, String> {
    let mut nodes = Vec::new();
    for part in split_outside_brackets(text) {
        nodes.extend(expand_part(part.trim()).map_err(|why| format!("{text:?}: {why}"))?);
    }
    Ok(nodes)
}

fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut inside = false;
    text.split(|c| {
        inside = (inside || c == '[') && c != ']';
        c == ',' && !inside
    })
    .collect()
}

fn expand_part(part: &str) -> Result<Vec<String>, String> {
    let mut nodes = vec![String::new()];
    let mut rest = part;
    while let Some((plain, after)) = rest.split_once('[') {
        let (ranges, tail) = after
            .split_once(']')
            .ok_or("a bracket is not closed; write for example n[1-4]")?;
        nodes = product(&nodes, plain, &expand_ranges(ranges)?)?;
        rest = tail;
    }
    let nodes = product(&nodes, rest, &[String::new()])?;
    match nodes.iter().find(|name| !is_name(name)) {
        Some(name) => Err(format!(
            "{name:?} is not a node name; use letters, digits, '-', '_', '.' and '/'"
        )),
        None => Ok(nodes),
    }
}

fn product(heads: &[String], middle: &str, tails: &[String]) -> Result<Vec<String>, String> {
    if heads.len() * tails.len() > MOST_NODES {
        return Err(format!("more than {MOST_NODES} nodes"));
    }
    let pairs = heads.iter().flat_map(|h| tails.iter().map(move |t| (h, t)));
    Ok(pairs.map(|(h, t)| format!("{h}{middle}{t}")).collect())
}

fn expand_ranges(ranges: &str) -> Result<Vec<String>, String> {
    let mut numbers = Vec::new();
    for range in ranges.split(',') {
        numbers.extend(expand_range(range.trim())?);
    }
    Ok(numbers)
}

fn expand_range(range: &str) -> Result<Vec<String>, String> {
    let parsed = NodeRange::parse(range).ok_or_else(|| {
        format!("[{range}] is not a range of numbers that go up; write for example n[1-4]")
    })?;
    if parsed.count() > MOST_NODES {
        return Err(format!("more than {MOST_NODES} nodes"));
    }
    let width = parsed.width;
    Ok(parsed
        .numbers()
        .map(|number| format!("{number:0width$}"))
        .collect())
}

fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    !name.is_empty() && name.chars().all(allowed) && name.split('/').all(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn expands_ranges_lists_and_padding() {
        assert_eq!(expand("n[1-3]").unwrap(), ["n1", "n2", "n3"]);
        assert_eq!(expand("n[08-10,12]").unwrap(), ["n08", "n09", "n10", "n12"]);
        assert_eq!(expand("n[1-5/2]").unwrap(), ["n1", "n3", "n5"]);
        assert_eq!(expand("a, b[1,2]").unwrap(), ["a", "b1", "b2"]);
    }

    #[test]
    fn the_last_bracket_runs_fastest() {
        let names = expand("module[1-2]/asic[1-2]").unwrap();
        let expected = [
            "module1/asic1",
            "module1/asic2",
            "module2/asic1",
            "module2/asic2",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn refuses_what_is_not_a_set() {
        for wrong in [
            "",
            "n[1-",
            "n[3-1]",
            "n[a-b]",
            "n 1",
            "n]",
            "n[1-999999999]",
            "/a",
        ] {
            assert!(expand(wrong).is_err(), "{wrong}");
        }
    }
}
