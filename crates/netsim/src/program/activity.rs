//! What a node does with its time.

/// The time of a node from the start to its last end, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Activity {
    /// A processor of it computes.
    pub compute_s: f64,
    /// None does; a processor handles a message, or one is on its way from or to the node.
    pub communicate_s: f64,
    /// Neither.
    pub wait_s: f64,
    /// When its last operation ended.
    pub end_s: f64,
}

/// The same while it goes on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meter {
    so_far: Activity,
    /// As it was when the last operation ended.
    at_end: Activity,
    since_s: f64,
    computing: u32,
    communicating: u32,
}

/// What may begin or end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Computing,
    Communicating,
}

impl Meter {
    pub fn begin(&mut self, doing: Doing, now_s: f64) {
        self.advance(now_s);
        *self.count(doing) += 1;
    }

    pub fn end(&mut self, doing: Doing, now_s: f64) {
        self.advance(now_s);
        *self.count(doing) -= 1;
    }

    /// Notes the end of an operation.
    pub fn end_operation(&mut self, now_s: f64) {
        self.advance(now_s);
        self.so_far.end_s = now_s;
        self.at_end = self.so_far;
    }

    /// Up to the last operation's end: what still leaves then is no time of the node.
    pub fn activity(&self) -> Activity {
        self.at_end
    }

    fn count(&mut self, doing: Doing) -> &mut u32 {
        match doing {
            Doing::Computing => &mut self.computing,
            Doing::Communicating => &mut self.communicating,
        }
    }

    fn advance(&mut self, now_s: f64) {
        let passed_s = now_s - self.since_s;
        self.since_s = now_s;
        match (self.computing, self.communicating) {
            (0, 0) => self.so_far.wait_s += passed_s,
            (0, _) => self.so_far.communicate_s += passed_s,
            _ => self.so_far.compute_s += passed_s,
        }
    }
}
