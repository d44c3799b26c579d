//! A race: in each launch the candidates run in random order, and those that are known to lose are dropped.

use serde::{Deserialize, Serialize};

use crate::error::{Fault, Result};
use crate::goal::WIDTH;
use crate::pattern::Pattern;
use crate::reading::Section;
use crate::step::Step;

const KEYS: [&str; 7] = [
    "baseline",
    "measure",
    "margin",
    "time",
    "confirm",
    "seed",
    "candidates",
];
const DEFAULT_MARGIN_PPM: u64 = 10_000;
const MOST_MARGIN_PPM: u64 = 1_000_000;
const DEFAULT_TIME_NS: u64 = 120_000_000_000;

json_enum! {
    /// What makes a candidate good.
    pub enum Prize {
        /// The rate of what is not a round trip.
        Throughput = "throughput",
        /// The time of round trips.
        Latency = "latency",
        /// Both: the geometric mean of the two ratios.
        Mixed = "mixed",
        /// The time in which one message of each size of each step is over.
        Time = "time",
    }
}

json_enum! {
    /// Which candidates are confirmed.
    pub enum Confirm {
        /// The one that leads when the race is over.
        Winner = "winner",
        /// All: there is no race, so that no block chooses.
        All = "all",
        /// None: the race is to choose what another one confirms.
        None = "none",
    }
}

/// Steps that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    pub name: String,
    /// Positions in the plan, in the order in which they run.
    pub steps: Vec<u32>,
}

/// What candidates compete for, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// The candidate that the others have to beat.
    pub baseline: String,
    pub measure: Prize,
    /// A ratio that is nearer to one does not matter, in parts of a million.
    pub margin_ppm: u32,
    /// No block begins after this time; half of it is for the race, the rest for its confirmation.
    pub time_ns: u64,
    /// Which candidates are measured against the baseline in blocks that the race did not use.
    pub confirm: Confirm,
    /// The order of candidates in each block follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// At least two, with steps of the same patterns and sizes.
    pub candidates: Vec<Entrant>,
}

impl Race {
    /// Reads the `race` of a plan with these steps.
    pub(crate) fn read(plan: &Section, steps: &[Step]) -> Result<Option<Self>> {
        let Some(value) = plan.get("race") else {
            return Ok(None);
        };
        let example = "[race] with baseline = \"default\"";
        let section = Section::of(value, "race", &KEYS, example)?;
        let candidates = read_candidates(&section, steps)?;
        let names: Vec<&str> = candidates.iter().map(|one| one.name.as_str()).collect();
        let baseline = section.required_text("baseline", names[0])?;
        if !names.contains(&baseline) {
            let right = format!("must be one of the candidates: {}", names.join(", "));
            return Err(section.refuse("baseline", right));
        }
        let margin = section.quantity("margin", &WIDTH, 0)?;
        if margin.is_some_and(|ppm| ppm > MOST_MARGIN_PPM) {
            return Err(section.refuse("margin", "is at most \"100 %\""));
        }
        Ok(Some(Self {
            baseline: baseline.to_owned(),
            measure: read_measure(&section, &candidates[0], steps)?,
            margin_ppm: margin.unwrap_or(DEFAULT_MARGIN_PPM) as u32,
            time_ns: section.time("time")?.unwrap_or(DEFAULT_TIME_NS),
            confirm: section
                .choice("confirm", &Confirm::NAMED)?
                .unwrap_or(Confirm::Winner),
            seed: section.count("seed", 0..=u32::MAX)?,
            candidates,
        }))
    }
}

/// Those that are named with their steps, or else each step by its own name.
fn read_candidates(section: &Section, steps: &[Step]) -> Result<Vec<Entrant>> {
    let mut found = match section.section("candidates")? {
        Some(named) => read_named(&named, steps)?,
        None => steps
            .iter()
            .zip(0..)
            .map(|(step, index)| Entrant {
                name: step.name.clone(),
                steps: vec![index],
            })
            .collect(),
    };
    if found.len() < 2 {
        return Err(section.refuse("candidates", "a race is between two candidates or more"));
    }
    found.sort_by_key(|one| one.steps[0]);
    let shape = |entrant: &Entrant| -> Vec<(&str, Vec<u64>)> {
        let of = |index: &u32| &steps[*index as usize];
        let each = entrant.steps.iter().map(of);
        each.map(|step| (step.pattern.name(), step.sizes.sizes()))
            .collect()
    };
    match found.iter().find(|one| shape(one) != shape(&found[0])) {
        Some(odd) => {
            let right = format!(
                "candidates differ in settings, not in what is measured: {:?} has other patterns or sizes than {:?}",
                odd.name, found[0].name
            );
            Err(section.refuse("candidates", right))
        }
        None => Ok(found),
    }
}

fn read_named(named: &Section, steps: &[Step]) -> Result<Vec<Entrant>> {
    let mut taken = vec![false; steps.len()];
    let mut found = Vec::new();
    for name in named.names() {
        let mut mine = Vec::new();
        for wanted in named.texts(name)? {
            let place = steps.iter().position(|step| step.name == wanted);
            let place = place.filter(|place| !std::mem::replace(&mut taken[*place], true));
            let right = || format!("{wanted:?} is no step, or that of another candidate");
            mine.push(place.ok_or_else(|| named.refuse(name, right()))? as u32);
        }
        if mine.is_empty() {
            return Err(named.refuse(name, "give at least one step"));
        }
        found.push(Entrant {
            name: name.to_owned(),
            steps: mine,
        });
    }
    match taken.iter().position(|is_taken| !is_taken) {
        Some(left) => {
            let right = format!("step {:?} belongs to none of them", steps[left].name);
            Err(named.refuse("", right))
        }
        None => Ok(found),
    }
}

/// What it measures must be there.
fn read_measure(section: &Section, one: &Entrant, steps: &[Step]) -> Result<Prize> {
    let of = |index: &u32| &steps[*index as usize].pattern;
    let (trips, rates): (Vec<_>, Vec<_>) = one
        .steps
        .iter()
        .map(of)
        .partition(|pattern| pattern.is_round_trip());
    let usual = match (trips.is_empty(), rates.is_empty()) {
        (true, _) => Prize::Throughput,
        (_, true) => Prize::Latency,
        _ => Prize::Mixed,
    };
    let measure = section.choice("measure", &Prize::NAMED)?.unwrap_or(usual);
    let lacks = match measure {
        Prize::Throughput | Prize::Mixed if rates.is_empty() => "a step that measures a rate",
        Prize::Latency | Prize::Mixed if trips.is_empty() => "a step of round trips",
        _ => return Ok(measure),
    };
    Err(section.refuse("measure", format!("takes {lacks}")))
}

/// A race repeats its steps whole, and says itself how often.
pub(crate) fn settled(mut step: Step, at: usize) -> Result<Step> {
    let (key, right) = match (&step.pattern, step.pin_ns) {
        (Pattern::Xray(_) | Pattern::Paths(_) | Pattern::Health(_), _) => (
            "pattern",
            "a race cannot have phases that are chosen while it runs",
        ),
        (Pattern::Webserver(_), _) => (
            "pattern",
            "a race is measured, and these users are simulated",
        ),
        (_, Some(_)) => ("pin", "remove it: a race measures the sizes of its plan"),
        _ => {
            step.goal = None;
            return Ok(step);
        }
    };
    Err(Fault::missing(format!("steps[{at}].{key}"), right))
}
