//! Which part was busy with what, as rows of a table.

use weft_netsim::table;

use crate::caches::Access;
use crate::engine::{Stage, Tally};
use crate::machine::{Machine, Task};

table! {
    /// Of phases, by column: a row for each node, part of it and task.
    pub struct Occupation {
        phase: i32,
        node: i32,
        /// An index of [`parts`].
        part: i32,
        /// An index of [`Task::ALL`], or behind them for what is no processor.
        task: i32,
        /// What part of the time.
        share: f64,
        /// Of the whole processor, in the rows of its interrupts.
        interrupts_per_s: f64,
    }
}

table! {
    /// What caches had, by column: a row for each phase, node, processor, cache and kind of access that there was.
    pub struct CacheHits {
        phase: i32,
        node: i32,
        /// An index of [`parts`].
        part: i32,
        /// An index of the machine's caches.
        cache: i32,
        /// An index of [`Access::ALL`].
        access: i32,
        /// For each message; of a ping-pong, both ways.
        accesses: f64,
        /// What part of them.
        hit_rate: f64,
    }
}

table! {
    /// Where a message's time went, by column: a row for each phase and stage.
    pub struct Budgets {
        phase: i32,
        /// An index of [`Stage::ALL`].
        stage: i32,
        /// One way.
        elapsed_ns: f64,
    }
}

table! {
    /// Cycles of a message by category, by column: a row for each phase, node and category, where they are known.
    pub struct Categories {
        phase: i32,
        node: i32,
        /// An index of the breakdown's categories.
        category: i32,
        /// Of each message.
        cycles: f64,
    }
}

/// The names of a node's parts: its processors, then what they share.
pub fn parts(machine: &Machine) -> Vec<String> {
    let processors = machine.processors.iter().map(|one| one.name.clone());
    let shared = ["I/O bus", "memory bus", "link out"].map(str::to_owned);
    processors.chain(shared).collect()
}

/// What part of the time each of a node's parts was busy.
pub fn shares(tally: &Tally) -> Vec<f64> {
    let elapsed_ps = tally.elapsed_ps.max(1) as f64;
    let processors = (0..tally.busy_ps.len()).map(|index| tally.share(index));
    let shared = [
        tally.io_bus_ps as f64,
        tally.memory_bus_ps,
        tally.link_ps as f64,
    ];
    processors
        .chain(shared.map(|busy_ps| busy_ps / elapsed_ps))
        .collect()
}

/// The part that was busy most of the time.
pub fn busiest(shares: impl IntoIterator<Item = f64>) -> u32 {
    let most = shares.into_iter().enumerate();
    let most = most.max_by(|(_, one), (_, other)| one.total_cmp(other));
    most.map_or(0, |(index, _)| index as u32)
}

impl Occupation {
    /// Adds what a node was busy with in a phase.
    pub fn add(&mut self, phase: u32, node: usize, tally: &Tally) {
        let elapsed_ps = tally.elapsed_ps.max(1) as f64;
        for (part, busy) in tally.busy_ps.iter().enumerate() {
            for task in Task::ALL {
                let share = busy[task as usize] as f64 / elapsed_ps;
                let per_s = match task {
                    Task::Interrupt => tally.interrupts[part] as f64 * 1e12 / elapsed_ps,
                    _ => 0.0,
                };
                self.push(phase, node, (part, task as usize), share, per_s);
            }
        }
        let processors = tally.busy_ps.len();
        for (part, share) in shares(tally).iter().enumerate().skip(processors) {
            self.push(phase, node, (part, Task::ALL.len()), *share, 0.0);
        }
    }

    fn push(&mut self, phase: u32, node: usize, at: (usize, usize), share: f64, per_s: f64) {
        self.phase.push(phase as i32);
        self.node.push(node as i32);
        self.part.push(at.0 as i32);
        self.task.push(at.1 as i32);
        self.share.push(share);
        self.interrupts_per_s.push(per_s);
    }
}

impl CacheHits {
    /// Adds those of a node's processors over some messages of a phase.
    pub fn add(&mut self, phase: u32, node: usize, caches: usize, messages: u64, tally: &Tally) {
        for (index, count) in tally.caches.iter().enumerate() {
            if count.accesses == 0 {
                continue;
            }
            let (member, access) = (index / Access::ALL.len(), index % Access::ALL.len());
            self.phase.push(phase as i32);
            self.node.push(node as i32);
            self.part.push((member / caches) as i32);
            self.cache.push((member % caches) as i32);
            self.access.push(access as i32);
            self.accesses.push(count.accesses as f64 / messages as f64);
            self.hit_rate
                .push(count.hits as f64 / count.accesses as f64);
        }
    }
}

impl Budgets {
    /// Adds a phase's, given that of messages both ways.
    pub fn add(&mut self, phase: u32, both_ways_ps: &[f64; Stage::ALL.len()]) {
        for (stage, both_ps) in both_ways_ps.iter().enumerate() {
            self.phase.push(phase as i32);
            self.stage.push(stage as i32);
            self.elapsed_ns.push(both_ps / 2.0 / 1e3);
        }
    }
}

impl Categories {
    /// Adds a phase's, given those of so many messages by node.
    pub fn add(&mut self, phase: u32, cycles: &[Vec<f64>; 2], messages: u64) {
        for (node, by_category) in cycles.iter().enumerate() {
            for (category, sum) in by_category.iter().enumerate() {
                self.phase.push(phase as i32);
                self.node.push(node as i32);
                self.category.push(category as i32);
                self.cycles.push(sum / messages.max(1) as f64);
            }
        }
    }
}
