//! A step for each value of a setting: `over = { options.send_buffer = ["8 KiB", "64 KiB"] }`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::error::{Fault, Result};
use crate::reading::set;

pub(crate) const KEY: &str = "over";
/// The value that leaves a key out.
const DEFAULT: &str = "default";
const RIGHT: &str = "write the keys that change with a list of values each, such as { options.send_buffer = [\"8 KiB\", \"64 KiB\"] }";

/// The step of the plan that a step is made from, and the values that are its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Over {
    /// The name of the step in the plan.
    pub of: String,
    /// By dotted key, as written: `options.send_buffer` is `8 KiB`, or `default`.
    pub values: BTreeMap<String, String>,
}

/// A step as it is read: its table, and what it was made with.
pub(crate) struct Variant {
    pub table: Value,
    pub over: Option<Over>,
}

/// The steps that one of a plan's steps stands for: itself, or one for each value in its key `over`.
pub(crate) fn expand(step: &Value, path: &str) -> Result<Vec<Variant>> {
    let Some(over) = step.get(KEY) else {
        let table = step.clone();
        return Ok(vec![Variant { table, over: None }]);
    };
    let key = format!("{path}.{KEY}");
    let mut lists = Vec::new();
    collect(over, &key, &mut Vec::new(), &mut lists)?;
    let amount = lists.first().map_or(0, |(_, list)| list.len());
    if let Some((names, list)) = lists.iter().find(|(_, list)| list.len() != amount) {
        let right =
            format!("keys of one `over` change together; give each as many values, {amount}");
        let key = format!("{key}.{}", names.join("."));
        return Err(Fault::new(key, &Value::Array(list.to_vec()), right));
    }
    if amount == 0 {
        return Err(Fault::new(key, over, RIGHT));
    }
    let variant = |at| variant(step, &lists, at);
    (0..amount).map(variant).collect()
}

/// A key inside of the step, and the values that it takes one after the other.
type List<'a> = (Vec<&'a str>, &'a [Value]);

fn collect<'a>(
    value: &'a Value,
    key: &str,
    names: &mut Vec<&'a str>,
    lists: &mut Vec<List<'a>>,
) -> Result<()> {
    match value {
        Value::Array(list) if !names.is_empty() && !list.is_empty() => {
            lists.push((names.clone(), list));
            Ok(())
        }
        Value::Table(table) => table.iter().try_for_each(|(name, inner)| {
            names.push(name);
            collect(inner, &format!("{key}.{name}"), names, lists)?;
            names.pop();
            Ok(())
        }),
        other => Err(Fault::new(key, other, RIGHT)),
    }
}

fn variant(step: &Value, lists: &[List], at: usize) -> Result<Variant> {
    let mut table = step.clone();
    let of = ["name", "pattern"]
        .iter()
        .find_map(|key| step.get(*key)?.as_str())
        .unwrap_or_default();
    let mut values = BTreeMap::new();
    for (names, list) in lists {
        let shown = text(&list[at]);
        if shown == DEFAULT {
            remove(table.as_table_mut(), names);
        } else {
            set(&mut table, "", names, list[at].clone())?;
        }
        values.insert(names.join("."), shown);
    }
    let name = format!("{of}-{}", suffix(lists, at));
    let keys = table.as_table_mut().expect("has the key `over`");
    keys.remove(KEY);
    keys.insert("name".to_owned(), Value::String(name));
    let of = of.to_owned();
    let over = Some(Over { of, values });
    Ok(Variant { table, over })
}

/// A text without its quotes.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn remove(table: Option<&mut Table>, names: &[&str]) {
    match (table, names) {
        (Some(table), [name]) => drop(table.remove(*name)),
        (Some(table), [name, deeper @ ..]) => {
            let inner = table.get_mut(*name).and_then(Value::as_table_mut);
            remove(inner, deeper);
        }
        _ => (),
    }
}

/// The values as a name may have them, each once: "64KiB", "64KiB-85KiB", "0-1".
fn suffix(lists: &[List], at: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (_, list) in lists {
        let part = plain(&text(&list[at]));
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join("-")
}

fn plain(text: &str) -> String {
    let text = text.replace(' ', "");
    let pieces = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let kept: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
    kept.join("-")
}

/// A fault in a value of `over` is named there, where it was written.
pub(crate) fn written(mut fault: Fault, path: &str, over: &Option<Over>) -> Fault {
    let inner = fault
        .key
        .strip_prefix(path)
        .and_then(|key| key.strip_prefix('.'));
    let is_own = |inner: &str| {
        let values = over.iter().flat_map(|over| over.values.keys());
        values.map(String::as_str).any(|key| key == inner)
    };
    if let Some(inner) = inner.filter(|inner| is_own(inner)) {
        fault.key = format!("{path}.{KEY}.{inner}");
    }
    fault
}
