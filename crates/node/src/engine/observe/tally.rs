//! What everything was busy with.

use crate::caches::Count;
use crate::machine::Task;

/// Of one node, over some time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    pub elapsed_ps: u64,
    /// By processor, then by task.
    pub busy_ps: Vec<[u64; Task::ALL.len()]>,
    /// By processor.
    pub interrupts: Vec<u64>,
    pub io_bus_ps: u64,
    /// What accesses and transfers held the memory bus for, each taken by itself.
    pub memory_bus_ps: f64,
    /// What its own frames had the wire for.
    pub link_ps: u64,
    pub frames_out: u64,
    /// Frames that left the ring, how long they were in it, and the frames in it times the time.
    pub ring_frames: u64,
    pub ring_stay_ps: u64,
    pub ring_area_ps: u64,
    /// By processor of the host, cache as described, and kind of access; nothing where there are no caches.
    pub caches: Vec<Count>,
}

impl Tally {
    /// From an earlier tally of the same node to this one.
    pub fn since(&self, earlier: &Self) -> Self {
        let busy = self.busy_ps.iter().zip(&earlier.busy_ps);
        let caches = self.caches.iter().zip(&earlier.caches);
        let calls = self.interrupts.iter().zip(&earlier.interrupts);
        Self {
            elapsed_ps: self.elapsed_ps - earlier.elapsed_ps,
            busy_ps: busy
                .map(|(now, then)| std::array::from_fn(|task| now[task] - then[task]))
                .collect(),
            interrupts: calls.map(|(now, then)| now - then).collect(),
            io_bus_ps: self.io_bus_ps - earlier.io_bus_ps,
            memory_bus_ps: self.memory_bus_ps - earlier.memory_bus_ps,
            link_ps: self.link_ps - earlier.link_ps,
            frames_out: self.frames_out - earlier.frames_out,
            ring_frames: self.ring_frames - earlier.ring_frames,
            ring_stay_ps: self.ring_stay_ps - earlier.ring_stay_ps,
            ring_area_ps: self.ring_area_ps - earlier.ring_area_ps,
            caches: caches.map(|(now, then)| now.since(*then)).collect(),
        }
    }

    /// Takes in what came after it.
    pub fn add(&mut self, later: &Self) {
        self.busy_ps.resize(later.busy_ps.len(), Default::default());
        self.interrupts.resize(later.interrupts.len(), 0);
        for (mine, more) in self.busy_ps.iter_mut().zip(&later.busy_ps) {
            mine.iter_mut()
                .zip(more)
                .for_each(|(mine, more)| *mine += more);
        }
        let interrupts = self.interrupts.iter_mut().zip(&later.interrupts);
        interrupts.for_each(|(mine, more)| *mine += more);
        self.caches.resize(later.caches.len(), Count::default());
        let caches = self.caches.iter_mut().zip(&later.caches);
        caches.for_each(|(mine, more)| mine.add(*more));
        self.elapsed_ps += later.elapsed_ps;
        self.io_bus_ps += later.io_bus_ps;
        self.memory_bus_ps += later.memory_bus_ps;
        self.link_ps += later.link_ps;
        self.frames_out += later.frames_out;
        self.ring_frames += later.ring_frames;
        self.ring_stay_ps += later.ring_stay_ps;
        self.ring_area_ps += later.ring_area_ps;
    }

    /// What part of the time a processor was busy.
    pub fn share(&self, processor: usize) -> f64 {
        let busy_ps: u64 = self.busy_ps[processor].iter().sum();
        busy_ps as f64 / self.elapsed_ps.max(1) as f64
    }
}
