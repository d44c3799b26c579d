//! Transfers that are too many to be kept, where many of them are alike.
//!
//! Constraints and transfers are coloured until nothing distinguishes more of them: a transfer by what it asks for and
//! the colours that it and its answers cross, a constraint by its capacity and the colours of what crosses it (colour
//! refinement; R. Paige and R. E. Tarjan, SIAM J. Comput. 16(6), 1987). Then every constraint of a colour is crossed by
//! equally many transfers of each colour. Filling treats what is alike alike: constraints of a colour become full in
//! the same round, and so transfers of a colour have the same rate at all times and the same end. One constraint and
//! one transfer of each colour are therefore all that is solved, and the solution is that of the whole.
//!
//! Colours are hashes of 64 bits, so that two of n different ones are taken for one with a probability of n^2 / 2^65.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::classes::{self, Class, ClassEnd};
use super::solution::Interrupted;
use super::solver::Settings;
use super::transfers::{Demand, Route};
use weft_fabric::hash::mixed;

/// Beyond so many colours of constraints, or of transfers, there is not much that is alike.
const MOST_COLOURS: usize = 4096;

/// Transfers that are made anew each time they are looked at; they begin together.
pub trait Crowd: Sync {
    /// How many parts there are, which threads look at side by side.
    fn parts(&self) -> usize;

    /// Shows the transfers of a part, each with its route.
    fn show(&self, part: usize, look: &mut dyn FnMut(Demand, Route<'_>));
}

/// A crowd that is solved.
#[derive(Debug)]
pub struct Lumped {
    colours: Vec<u64>,
    /// By colour of transfer; the bottleneck is the one constraint that stands for all of its colour.
    ends: HashMap<u64, ClassEnd>,
    pub events: u64,
}

impl Lumped {
    /// Solves a crowd on so many threads; None where too few of its transfers are alike.
    pub fn solve(
        capacities: &[f64],
        crowd: &dyn Crowd,
        threads: usize,
        settings: Settings<'_>,
    ) -> Result<Option<Self>, Interrupted> {
        let Some(colours) = refined(capacities, crowd, threads, settings)? else {
            return Ok(None);
        };
        let chosen = first_of_each(&colours);
        let Some(classes) = classes(&colours, &chosen, crowd, threads, settings)? else {
            return Ok(None);
        };
        let (keys, classes): (Vec<_>, Vec<_>) = classes.into_iter().unzip();
        let (ends, events) = classes::ends(capacities, &classes, settings)?;
        Ok(Some(Self {
            ends: keys.into_iter().zip(ends).collect(),
            colours,
            events,
        }))
    }

    /// When a transfer of the crowd ends, and the constraint that held it back.
    pub fn end(&self, demand: Demand, route: Route<'_>) -> (f64, u32) {
        let found = self.ends[&colour_of(demand, route, &self.colours)];
        let colour = |at: u32| self.colours.get(at as usize).copied();
        let held = colour(found.bottleneck);
        let there = route.there.iter().copied();
        let mut alike = there.filter(|at| colour(*at) == held);
        let bottleneck = alike.next().unwrap_or(found.bottleneck);
        (found.end_s, bottleneck)
    }
}

/// Colours by constraint; None where they are too many.
fn refined(
    capacities: &[f64],
    crowd: &dyn Crowd,
    threads: usize,
    settings: Settings<'_>,
) -> Result<Option<Vec<u64>>, Interrupted> {
    let mut colours: Vec<u64> = capacities.iter().map(|at| mixed(at.to_bits())).collect();
    let mut count = 0;
    loop {
        let found = first_of_each(&colours).len();
        if found > MOST_COLOURS {
            return Ok(None);
        }
        if found == count {
            return Ok(Some(colours));
        }
        count = found;
        let sums = sums(&colours, crowd, threads, settings)?;
        for (colour, sum) in colours.iter_mut().zip(sums) {
            *colour = mixed(*colour ^ mixed(sum));
        }
    }
}

/// By constraint: the colours of the transfers across it, added up in whatever order.
fn sums(
    colours: &[u64],
    crowd: &dyn Crowd,
    threads: usize,
    settings: Settings<'_>,
) -> Result<Vec<u64>, Interrupted> {
    let zeros = || vec![0u64; colours.len()];
    let look = |sums: &mut Vec<u64>, demand: Demand, route: Route<'_>| {
        let colour = mixed(colour_of(demand, route, colours));
        let mut add = |constraints: &[u32], colour: u64| {
            for &at in constraints {
                let sum = &mut sums[at as usize];
                *sum = sum.wrapping_add(colour);
            }
        };
        add(route.there, colour);
        add(route.back, mixed(!colour));
    };
    let found = looked_at(crowd, threads, settings, zeros, look)?;
    let mut all = zeros();
    for sums in found {
        for (sum, more) in all.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(more);
        }
    }
    Ok(all)
}

/// The transfers by colour; None where there are too many of them.
fn classes(
    colours: &[u64],
    chosen: &HashMap<u64, u32>,
    crowd: &dyn Crowd,
    threads: usize,
    settings: Settings<'_>,
) -> Result<Option<BTreeMap<u64, Class>>, Interrupted> {
    let mut is_chosen = vec![false; colours.len()];
    chosen
        .values()
        .for_each(|at| is_chosen[*at as usize] = true);
    let look = |classes: &mut HashMap<u64, Class>, demand: Demand, route: Route<'_>| {
        let colour = colour_of(demand, route, colours);
        if classes.len() > MOST_COLOURS {
            return;
        }
        let class = classes.entry(colour).or_insert_with(|| Class {
            demand,
            crossings: BTreeMap::new(),
        });
        let chosen = |at: &&u32| is_chosen[**at as usize];
        for at in route.there.iter().filter(chosen) {
            class.crossings.entry(*at).or_default().there += 1;
        }
        for at in route.back.iter().filter(chosen) {
            class.crossings.entry(*at).or_default().back += 1;
        }
    };
    let found = looked_at(crowd, threads, settings, HashMap::new, look)?;
    let mut all: BTreeMap<u64, Class> = BTreeMap::new();
    for (colour, class) in found.into_iter().flatten() {
        match all.get_mut(&colour) {
            None => drop(all.insert(colour, class)),
            Some(known) => {
                for (at, times) in class.crossings {
                    let sum = known.crossings.entry(at).or_default();
                    sum.there += times.there;
                    sum.back += times.back;
                }
            }
        }
    }
    Ok((all.len() <= MOST_COLOURS).then_some(all))
}

/// The first constraint of each colour.
fn first_of_each(colours: &[u64]) -> HashMap<u64, u32> {
    let numbered = colours.iter().enumerate().rev();
    let found = numbered.map(|(at, colour)| (*colour, at as u32));
    found.collect()
}

#[inline]
fn colour_of(demand: Demand, route: Route<'_>, colours: &[u64]) -> u64 {
    let colour = |at: &u32| mixed(colours[*at as usize]);
    let back = route.back.iter().map(|at| mixed(!colour(at)));
    let crossed = route.there.iter().map(colour).chain(back);
    let crossed = crossed.fold(0, u64::wrapping_add);
    let asked = mixed(demand.bits.to_bits()).wrapping_add(mixed(!demand.weight.to_bits()));
    let asked = asked.wrapping_add(mixed(demand.back.to_bits().rotate_left(1)));
    mixed(crossed ^ mixed(asked ^ demand.cap_bits_per_s.to_bits()))
}

/// Has threads look at all transfers, each with notes of its own; gives all notes.
fn looked_at<N: Send>(
    crowd: &dyn Crowd,
    threads: usize,
    settings: Settings<'_>,
    start: impl Fn() -> N + Sync,
    look: impl Fn(&mut N, Demand, Route<'_>) + Sync,
) -> Result<Vec<N>, Interrupted> {
    side_by_side(
        crowd.parts(),
        threads,
        settings.stop,
        start,
        |notes, part| {
            crowd.show(part, &mut |demand, route| look(notes, demand, route));
        },
    )
}

/// Has threads work through numbered parts, each with notes of its own; gives all notes.
pub fn side_by_side<N: Send>(
    parts: usize,
    threads: usize,
    stop: &AtomicBool,
    start: impl Fn() -> N + Sync,
    work: impl Fn(&mut N, usize) + Sync,
) -> Result<Vec<N>, Interrupted> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let take_parts = || {
        let mut notes = start();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts || stop.load(Ordering::Relaxed) {
                break;
            }
            work(&mut notes, part);
        }
        if let Ok(mut all) = all.lock() {
            all.push(notes);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(take_parts);
        }
        take_parts();
    });
    match stop.load(Ordering::Relaxed) {
        true => Err(Interrupted),
        false => Ok(all.into_inner().unwrap_or_default()),
    }
}
