//! Samples by column.

/// The rows of phases, one for each timed batch: `start_ns` counts from the start of the first of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Columns {
    pub phase: Vec<i32>,
    pub batch: Vec<i32>,
    pub src: Vec<i32>,
    pub dst: Vec<i32>,
    pub size_bytes: Vec<i64>,
    pub messages: Vec<i32>,
    pub start_ns: Vec<i64>,
    pub elapsed_ns: Vec<i64>,
    /// The constraint that held the row's transfer back, or `OWN_CAP` or `NOTHING`.
    pub bottleneck: Vec<u32>,
}

/// One row, with times in seconds from the start of its phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    pub batch: u32,
    pub src: u32,
    pub dst: u32,
    pub size_bytes: u64,
    pub messages: u32,
    pub start_s: f64,
    pub elapsed_s: f64,
    pub bottleneck: u32,
}

impl Columns {
    /// Adds a row of a phase.
    pub fn push(&mut self, phase: u32, row: Row) {
        self.phase.push(phase as i32);
        self.batch.push(row.batch as i32);
        self.src.push(row.src as i32);
        self.dst.push(row.dst as i32);
        self.size_bytes.push(row.size_bytes as i64);
        self.messages.push(row.messages as i32);
        self.start_ns.push(nanoseconds(row.start_s));
        self.elapsed_ns.push(nanoseconds(row.elapsed_s));
        self.bottleneck.push(row.bottleneck);
    }

    /// Adds the rows of a later phase that begins at `start_ns`.
    pub fn append(&mut self, later: Columns, start_ns: i64) {
        self.phase.extend(later.phase);
        self.batch.extend(later.batch);
        self.src.extend(later.src);
        self.dst.extend(later.dst);
        self.size_bytes.extend(later.size_bytes);
        self.messages.extend(later.messages);
        self.start_ns
            .extend(later.start_ns.iter().map(|start| start + start_ns));
        self.elapsed_ns.extend(later.elapsed_ns);
        self.bottleneck.extend(later.bottleneck);
    }

    /// The rows whose position passes.
    pub fn only(&self, passes: impl Fn(usize) -> bool) -> Columns {
        let kept: Vec<usize> = (0..self.len()).filter(|row| passes(*row)).collect();
        self.in_order(&kept)
    }

    /// The rows at these positions.
    pub fn in_order(&self, kept: &[usize]) -> Columns {
        fn some<T: Copy>(column: &[T], kept: &[usize]) -> Vec<T> {
            kept.iter().map(|row| column[*row]).collect()
        }
        Columns {
            phase: some(&self.phase, kept),
            batch: some(&self.batch, kept),
            src: some(&self.src, kept),
            dst: some(&self.dst, kept),
            size_bytes: some(&self.size_bytes, kept),
            messages: some(&self.messages, kept),
            start_ns: some(&self.start_ns, kept),
            elapsed_ns: some(&self.elapsed_ns, kept),
            bottleneck: some(&self.bottleneck, kept),
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.phase.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.phase.is_empty()
    }
}

/// What constraints carried in phases: the mean over the phase, of those that carried anything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loads {
    pub phase: Vec<i32>,
    pub constraint: Vec<u32>,
    pub bits_per_s: Vec<f64>,
}

impl Loads {
    /// Adds those of a later phase.
    pub fn append(&mut self, later: Loads) {
        self.phase.extend(later.phase);
        self.constraint.extend(later.constraint);
        self.bits_per_s.extend(later.bits_per_s);
    }
}

/// To the nearest nanosecond.
pub fn nanoseconds(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}
