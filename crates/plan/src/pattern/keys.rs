//! The keys of a pattern and what may stand there, for people who change a plan.

use serde::Serialize;
use toml::Value;
use toml::value::Date;

use super::Pattern;
use super::read::read_kind;
use crate::error::{PlanError, Result};
use crate::limits::Limits;
use crate::over;
use crate::reading::{self, Section};
use crate::step::Step;

/// The path of the step in faults, which are not shown.
const PATH: &str = "step";

/// A step as a plan has it, with the keys that its pattern has beyond those of every step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepKeys {
    /// What `steps.NAME.KEY` calls it.
    pub name: String,
    pub pattern: &'static str,
    pub keys: Vec<PatternKey>,
    /// The pattern as it is read, with what is usual for the keys that are left out.
    pub read: Pattern,
}

/// A key (`over.stride` where the step is repeated for each value of it), what may stand there, and the value in TOML
/// where the plan gives one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PatternKey {
    pub name: String,
    pub takes: String,
    pub given: Option<String>,
}

/// The steps of a plan that `load` takes, one with `over` as it is written.
pub fn step_keys(text: &str, origin: &str, limits: &Limits) -> Result<Vec<StepKeys>, PlanError> {
    reading::document(text, origin, &[], |plan| {
        let steps = plan.get("steps").and_then(Value::as_array);
        let steps = steps.into_iter().flatten();
        steps.map(|step| keys_of(step, limits)).collect()
    })
}

fn keys_of(written: &Value, limits: &Limits) -> Result<StepKeys> {
    let over = written.get(over::KEY);
    let step = over::expand(written, PATH)?.swap_remove(0).table;
    let kind = read_kind(&Section::unchecked(&step, PATH, "")?)?;
    let name = written.get("name").and_then(Value::as_str);
    let keys = kind.keys.iter().map(|key| {
        let varied = over.and_then(|over| over.get(key));
        PatternKey {
            name: match varied {
                Some(_) => format!("{}.{key}", over::KEY),
                None => (*key).to_owned(),
            },
            takes: taken(&step, key, limits),
            given: varied.or(written.get(key)).map(ToString::to_string),
        }
    });
    Ok(StepKeys {
        name: name.unwrap_or(kind.name).to_owned(),
        pattern: kind.name,
        keys: keys.collect(),
        read: Step::read(&step, PATH, limits)?.pattern,
    })
}

/// What reading says is right in place of a date, which no key takes, and of a text that has no meaning where it is a
/// text that is asked for.
fn taken(step: &Value, key: &str, limits: &Limits) -> String {
    let date = Date {
        year: 1,
        month: 1,
        day: 1,
    };
    let right = refusal(step, key, Value::Datetime(date.into()), limits);
    match right.as_deref() {
        Some(reading::NO_TEXT) => refusal(step, key, Value::String("?".to_owned()), limits),
        _ => right,
    }
    .unwrap_or_else(|| "a text".to_owned())
}

fn refusal(step: &Value, key: &str, value: Value, limits: &Limits) -> Option<String> {
    let mut step = step.clone();
    step.as_table_mut()?.insert(key.to_owned(), value);
    let fault = Step::read(&step, PATH, limits).err()?;
    (fault.key == format!("{PATH}.{key}")).then_some(fault.right)
}
