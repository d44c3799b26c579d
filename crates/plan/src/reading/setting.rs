//! Overrides: single keys of a plan set from outside its file.

use toml::{Table, Value};

use crate::error::{Fault, PlanError, Result, one_line};

/// An override that has been put into the table.
pub(crate) struct Setting {
    /// The key as checking will name it: `steps[0].sizes.max`.
    key: String,
    /// As the user gave it: `steps.pingpong.sizes.max=64 KiB`.
    given: String,
}

impl Setting {
    /// The keys that one with `*` for the items of a list stands for: `steps.*.transport`.
    pub fn keys(plan: &Value, key: &str) -> Vec<String> {
        let items = key.split_once(".*.").and_then(|(list, _)| plan.get(list));
        match items.and_then(Value::as_array) {
            Some(items) => (0..items.len())
                .map(|index| key.replacen('*', &index.to_string(), 1))
                .collect(),
            None => vec![key.to_owned()],
        }
    }

    /// Puts the value at the key. Keys that no plan has are found by the checking that follows.
    pub fn apply(
        plan: &mut Value,
        origin: &str,
        key: &str,
        value: &str,
    ) -> Result<Self, PlanError> {
        let given = one_line(&format!("{key}={value}"));
        let normal = key.replace('[', ".").replace(']', "");
        let names: Vec<&str> = normal.split('.').collect();
        set(plan, "", &names, parse(value))
            .map(|key| Self {
                key,
                given: given.clone(),
            })
            .map_err(|fault| PlanError::Value {
                origin: with(origin, &given),
                line: None,
                fault,
            })
    }
}

/// The override that set the key at fault, as the user gave it.
pub(crate) fn blame<'a>(settings: &'a [Setting], fault: &Fault) -> Option<&'a str> {
    let guilty =
        |setting: &&Setting| within(&fault.key, &setting.key) || within(&setting.key, &fault.key);
    settings
        .iter()
        .rev()
        .find(guilty)
        .map(|setting| setting.given.as_str())
}

pub(crate) fn with(origin: &str, given: &str) -> String {
    format!("{origin} with {given}")
}

fn within(key: &str, outer: &str) -> bool {
    key.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// A TOML value, or text where it is none: `tcp` and `8 MiB` need no quotes.
fn parse(text: &str) -> Value {
    text.parse()
        .unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Sets a value deep inside; gives back the key as checking will name it.
pub(crate) fn set(place: &mut Value, path: &str, names: &[&str], new: Value) -> Result<String> {
    let Some((name, deeper)) = names.split_first() else {
        *place = new;
        return Ok(path.to_owned());
    };
    if name.is_empty() {
        let right = "an override is KEY=VALUE with a dotted key, such as steps.pingpong.sizes.max";
        return Err(Fault::missing(format!("{path}."), right));
    }
    match place {
        Value::Table(table) => {
            let inner = table
                .entry(*name)
                .or_insert_with(|| Value::Table(Table::new()));
            let path = if path.is_empty() {
                (*name).to_owned()
            } else {
                format!("{path}.{name}")
            };
            set(inner, &path, deeper, new)
        }
        Value::Array(items) => {
            let index = find(items, name).ok_or_else(|| no_such_item(items, path, name))?;
            set(&mut items[index], &format!("{path}[{index}]"), deeper, new)
        }
        other => {
            let right = format!("has no key {name:?}; override it as a whole");
            Err(Fault::new(path, other, right))
        }
    }
}

/// An item by its index or its name; a step without a name has its pattern's.
fn find(items: &[Value], name: &str) -> Option<usize> {
    let index = name.parse().ok().filter(|index| *index < items.len());
    index.or_else(|| items.iter().position(|item| item_name(item) == Some(name)))
}

fn item_name(item: &Value) -> Option<&str> {
    item.get("name")
        .or_else(|| item.get("pattern"))
        .and_then(Value::as_str)
}

fn no_such_item(items: &[Value], path: &str, name: &str) -> Fault {
    let names: Vec<&str> = items.iter().filter_map(item_name).collect();
    let indices = format!("an index below {}", items.len());
    let right = if names.is_empty() {
        indices
    } else {
        format!("{} or {indices}", names.join(", "))
    };
    Fault::missing(format!("{path}.{name}"), format!("give {right}"))
}
