//! What a placement changes of its machine: `with` in its row.

use weft_plan::reading::{Table, Value};

/// The keys and values of a placement's `with`, as overrides. What is wrong in the text is found when it is read whole.
pub fn configuration(text: &str, placement: Option<&str>) -> Vec<(String, String)> {
    let table: Option<Table> = text.parse().ok();
    let rows = table.as_ref().and_then(|table| table.get("placements"));
    let row = rows
        .and_then(Value::as_table)
        .and_then(|rows| match placement {
            Some(name) => rows.get(name),
            None => rows.values().next(),
        });
    let mut found = Vec::new();
    if let Some(changes) = row.and_then(|row| row.get("with")) {
        flatten(changes, "", &mut found);
    }
    found
}

/// A value's keys, dotted, and values.
pub fn flatten(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Table(table) => table.iter().for_each(|(key, inner)| {
            let path = match path {
                "" => key.clone(),
                outer => format!("{outer}.{key}"),
            };
            flatten(inner, &path, found);
        }),
        value => found.push((path.to_owned(), value.to_string())),
    }
}
