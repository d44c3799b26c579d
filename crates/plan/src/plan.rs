//! A plan: a list of steps and how often to launch them.

use serde::{Deserialize, Serialize};
use toml::Value;

use crate::error::{Fault, PlanError, Result};
use crate::limits::Limits;
use crate::options;
use crate::over::{self, Variant};
use crate::race::{self, Race};
use crate::reading::{self, Section};
use crate::step::Step;

/// The fewest from which a rank-based interval says anything useful.
const DEFAULT_LAUNCHES: u32 = 5;
/// Of steps with a goal and of races, which end by themselves.
const MOST_LAUNCHES_OF_THEMSELVES: u32 = 1000;
const MOST_LAUNCHES: u32 = 100_000;

/// What to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub name: String,
    /// For readers; may be empty.
    pub title: String,
    /// How often everything is done with fresh processes and connections: at most so often where steps have a goal, and
    /// in a race.
    pub launches: u32,
    pub steps: Vec<Step>,
    /// Options of the plan that a transport given beside it does not have: `steps.pingpong.options.wait`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Its steps are candidates, and each launch is a block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<Race>,
}

/// Reads a plan, with overrides applied first; nothing of a wrong plan comes through.
///
/// `origin` is what messages call the text, usually its file. An override is a dotted key, in which a step goes
/// by its name or index, and a TOML value or bare text: `("steps.pingpong.sizes.max", "64 KiB")`.
pub fn load(
    text: &str,
    origin: &str,
    overrides: &[(String, String)],
    limits: &Limits,
) -> Result<Plan, PlanError> {
    reading::document(text, origin, overrides, |plan| {
        let mut plan = plan.clone();
        let left_out = leave_out_of_others(&mut plan, overrides);
        let read = Plan::read(&plan, limits)?;
        Ok(Plan { left_out, ..read })
    })
}

/// Where a transport is given beside the plan, the plan's own options that it does not have are left out; the keys of
/// those. What was given beside the plan, too, stays, to be refused.
fn leave_out_of_others(plan: &mut Value, overrides: &[(String, String)]) -> Vec<String> {
    if !overrides.iter().any(|(key, _)| key.ends_with(".transport")) {
        return Vec::new();
    }
    let is_given = |name: &str| {
        let end = format!(".options.{name}");
        overrides
            .iter()
            .any(|(key, _)| key.ends_with(&end) || key.ends_with(".options"))
    };
    let steps = plan.get_mut("steps").and_then(Value::as_array_mut);
    let steps = steps.into_iter().flatten().enumerate();
    steps
        .flat_map(|(at, step)| {
            let names = options::take_of_others(step, &is_given);
            names
                .into_iter()
                .map(move |name| format!("steps[{at}].options.{name}"))
        })
        .collect()
}

impl Plan {
    fn read(plan: &Value, limits: &Limits) -> Result<Self> {
        let keys = ["name", "title", "launches", "steps", "race"];
        let section = Section::of(plan, "", &keys, "name = \"my-plan\"")?;
        let name = section
            .name("name")?
            .ok_or_else(|| section.refuse("name", "give the plan a name, such as \"mine\""))?;
        let mut steps = read_steps(&section, limits)?;
        let race = Race::read(&section, &steps)?;
        if race.is_some() {
            let settled = |(at, step)| race::settled(step, at);
            steps = steps
                .into_iter()
                .enumerate()
                .map(settled)
                .collect::<Result<_>>()?;
        }
        let launches = section.count("launches", 1..=MOST_LAUNCHES)?;
        if launches.is_some() {
            steps.iter_mut().for_each(|step| step.goal = None);
        }
        Ok(Self {
            name,
            title: section.text("title")?.unwrap_or_default().to_owned(),
            launches: launches.unwrap_or(match steps[0].goal {
                _ if race.is_some() => MOST_LAUNCHES_OF_THEMSELVES,
                Some(_) => MOST_LAUNCHES_OF_THEMSELVES,
                None => DEFAULT_LAUNCHES,
            }),
            steps,
            left_out: Vec::new(),
            race,
        })
    }
}

fn read_steps(section: &Section, limits: &Limits) -> Result<Vec<Step>> {
    let right = "give at least one step: [[steps]] followed by its keys";
    let values = section.require("steps", right)?;
    let values = values.as_array().filter(|values| !values.is_empty());
    let values = values.ok_or_else(|| section.refuse("steps", right))?;
    let read = |(index, value): (usize, &Value)| read_variants(value, index, limits);
    let read = values.iter().enumerate().map(read);
    let numbered = read.collect::<Result<Vec<_>, _>>()?.concat();
    refuse_duplicates(&numbered, values)?;
    refuse_mixed_goals(&numbered)?;
    Ok(numbered.into_iter().map(|(_, step)| step).collect())
}

/// A step with its position in the plan's text: one with `over` stands for several.
type Numbered = (usize, Step);

fn read_variants(value: &Value, index: usize, limits: &Limits) -> Result<Vec<Numbered>> {
    let path = format!("steps[{index}]");
    let read = |Variant { table, over }: Variant| match Step::read(&table, &path, limits) {
        Ok(step) => Ok((index, Step { over, ..step })),
        Err(fault) => Err(over::written(fault, &path, &over)),
    };
    over::expand(value, &path)?.into_iter().map(read).collect()
}

/// All steps of a launch run in it, so either all end by themselves or none does.
fn refuse_mixed_goals(steps: &[Numbered]) -> Result<()> {
    let odd = |(_, step): &&Numbered| step.goal.is_some() != steps[0].1.goal.is_some();
    let Some((index, _)) = steps.iter().find(odd) else {
        return Ok(());
    };
    let right =
        "\"decided\" and \"relative\" are for all steps of a plan or for none; make two plans";
    Err(Fault::missing(format!("steps[{index}].stop.rule"), right))
}

fn refuse_duplicates(steps: &[Numbered], values: &[Value]) -> Result<()> {
    for (at, (index, step)) in steps.iter().enumerate() {
        let Some((first, _)) = steps[..at]
            .iter()
            .find(|(_, earlier)| earlier.name == step.name)
        else {
            continue;
        };
        let key = format!("steps[{index}].name");
        let right = format!(
            "steps[{first}] is called {:?} too; give each step its own name",
            step.name
        );
        return Err(match values[*index].get("name") {
            Some(value) => Fault::new(key, value, right),
            None => Fault::missing(key, right),
        });
    }
    Ok(())
}
