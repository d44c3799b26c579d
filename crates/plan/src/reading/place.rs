//! Where a key stands in a text.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The line, from 1, of a key such as `steps[0].sizes`; that of what is around it where it is not there. None for a
/// text that is no TOML.
pub fn line_of(text: &str, key: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut table = Some(root.get_ref());
    let mut value: Option<&Spanned<DeValue>> = None;
    let mut start = None;
    for part in key.split(['.', '[']) {
        let index = part
            .strip_suffix(']')
            .and_then(|index| index.parse::<usize>().ok());
        let found = match (index, table) {
            (Some(index), _) => {
                let items = value.and_then(|value| value.get_ref().as_array());
                items
                    .and_then(|items| items.get(index))
                    .map(|item| (item.span().start, item))
            }
            (None, Some(table)) => {
                let entry = table.get_key_value(part);
                entry.map(|(key, value)| (key.span().start, value))
            }
            (None, None) => None,
        };
        let Some((at, inner)) = found else {
            break;
        };
        start = Some(at);
        table = inner.get_ref().as_table();
        value = Some(inner);
    }
    let before = text.as_bytes().get(..start.unwrap_or(0))?;
    Some(1 + before.iter().filter(|byte| **byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::line_of;

    #[test]
    fn keys_are_found_or_what_is_around_them() {
        let text = "name = 1\n[[steps]]\na = 1\n[[steps]]\nb = { c = 2 }\n[x]\ny = [\n1,\n2]";
        let lines = [
            "name",
            "steps[0].a",
            "steps[1]",
            "steps[1].b.c",
            "steps[1].d",
            "x.y[1]",
            "z",
        ];
        let found = lines.map(|key| line_of(text, key).unwrap());
        assert_eq!(found, [1, 3, 4, 5, 4, 9, 1]);
        assert_eq!(line_of("name = ", "name"), None);
    }
}
