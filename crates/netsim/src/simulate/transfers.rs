//! What moves: transfers, each with the constraints that it crosses.

/// Transfers in compact arrays, all of one phase.
///
/// A transfer crosses constraints, given by their index; one that stands in its route twice carries it twice. Of the
/// share that a constraint gives to each, a transfer takes `weight` times as much. What is sent back for it crosses
/// constraints too, see `answers`.
#[derive(Debug, Clone, Default)]
pub struct Transfers {
    there: Lists,
    /// Empty where nothing is sent back at all.
    back: Lists,
    demands: Vec<Demand>,
    differ: bool,
}

/// The constraints that a transfer crosses.
#[derive(Debug, Clone, Copy)]
pub struct Route<'a> {
    /// Those that it crosses itself.
    pub there: &'a [u32],
    /// Those that what is sent back for it crosses.
    pub back: &'a [u32],
}

/// What is known of one transfer besides its route.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// What it carries.
    pub bits: f64,
    /// How many shares it takes: parallel streams, or wire bits for each bit that counts. Positive.
    pub weight: f64,
    /// It never runs faster than this, such as a window in a round trip.
    pub cap_bits_per_s: f64,
    /// When it begins, from the start of its phase.
    pub start_s: f64,
    /// Bits that are sent back for each bit that it carries.
    pub back: f64,
}

impl Demand {
    /// So many bits from the start, one share, no cap, nothing back.
    pub fn of_bits(bits: f64) -> Self {
        Self {
            bits,
            weight: 1.0,
            cap_bits_per_s: f64::INFINITY,
            start_s: 0.0,
            back: 0.0,
        }
    }
}

impl Transfers {
    /// Adds a transfer for which nothing is sent back. Panics unless its weight is positive and finite, and what it
    /// carries is not negative: the caller checks them, with better messages.
    pub fn push(&mut self, there: &[u32], demand: Demand) {
        self.push_found(|all| {
            all.extend_from_slice(there);
            Some(((), demand))
        });
    }

    /// Adds a transfer whose route `find` appends to what it is given, and gives what else that found; nothing is sent
    /// back for it. Where it finds none, nothing is added. Panics as `push` does.
    #[inline]
    pub fn push_found<T>(
        &mut self,
        find: impl FnOnce(&mut Vec<u32>) -> Option<(T, Demand)>,
    ) -> Option<T> {
        let start = self.there.constraints.len();
        let Some((found, demand)) = find(&mut self.there.constraints) else {
            self.there.constraints.truncate(start);
            return None;
        };
        if self.is_answered() {
            self.back.push(&[]);
        }
        self.end_route(demand);
        Some(found)
    }

    /// Adds a transfer for which something is sent back. Panics as `push` does, and where that is negative.
    pub fn push_answered(&mut self, route: Route<'_>, demand: Demand) {
        assert!(demand.back >= 0.0 && demand.back.is_finite());
        if demand.back == 0.0 {
            return self.push(route.there, demand);
        }
        self.back.extend_to(self.len());
        self.back.push(route.back);
        self.there.constraints.extend_from_slice(route.there);
        self.end_route(demand);
    }

    #[inline]
    fn end_route(&mut self, demand: Demand) {
        assert!(demand.weight > 0.0 && demand.weight.is_finite());
        assert!(demand.bits >= 0.0 && demand.start_s >= 0.0 && demand.cap_bits_per_s >= 0.0);
        self.there.end();
        self.differ |= self.demands.first().is_some_and(|first| *first != demand);
        self.demands.push(demand);
    }

    /// Forgets all transfers and keeps the memory.
    pub fn clear(&mut self) {
        self.there.clear();
        self.back.clear();
        self.demands.clear();
        self.differ = false;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.demands.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.demands.is_empty()
    }

    /// Whether anything is sent back for any of them.
    #[inline]
    pub fn is_answered(&self) -> bool {
        !self.back.is_empty()
    }

    /// The constraints that a transfer crosses.
    #[inline]
    pub fn route(&self, transfer: usize) -> &[u32] {
        self.there.of(transfer)
    }

    /// The constraints that what is sent back for a transfer crosses.
    #[inline]
    pub fn back(&self, transfer: usize) -> &[u32] {
        match self.is_answered() {
            true => self.back.of(transfer),
            false => &[],
        }
    }

    /// The routes of all transfers, in their order.
    #[inline]
    pub fn routes(&self) -> impl Iterator<Item = &[u32]> {
        self.there.all()
    }

    /// The same of what is sent back; none where nothing is sent back at all.
    #[inline]
    pub fn routes_back(&self) -> impl Iterator<Item = &[u32]> {
        self.back.all()
    }

    /// How many shares a transfer takes.
    #[inline]
    pub fn weight(&self, transfer: usize) -> f64 {
        self.demands[transfer].weight
    }

    /// What all of them ask for; None where they differ, or where there are none.
    pub fn common_demand(&self) -> Option<Demand> {
        let first = self.demands.first().copied();
        first.filter(|_| !self.differ)
    }

    /// What a transfer asks for.
    #[inline]
    pub fn demand(&self, transfer: usize) -> Demand {
        self.demands[transfer]
    }
}

/// Lists of constraints, one behind the other.
#[derive(Debug, Clone, Default)]
struct Lists {
    ends: Vec<u32>,
    constraints: Vec<u32>,
}

impl Lists {
    #[inline]
    fn push(&mut self, list: &[u32]) {
        self.constraints.extend_from_slice(list);
        self.end();
    }

    /// Makes what stands behind the last list the next one.
    #[inline]
    fn end(&mut self) {
        self.ends.push(self.constraints.len() as u32);
    }

    /// Adds empty lists until there are so many.
    fn extend_to(&mut self, count: usize) {
        if self.ends.len() < count {
            self.ends.resize(count, self.constraints.len() as u32);
        }
    }

    fn clear(&mut self) {
        self.ends.clear();
        self.constraints.clear();
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    #[inline]
    fn of(&self, number: usize) -> &[u32] {
        let start = match number {
            0 => 0,
            _ => self.ends[number - 1] as usize,
        };
        &self.constraints[start..self.ends[number] as usize]
    }

    #[inline]
    fn all(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let list = &self.constraints[start..*end as usize];
            start = *end as usize;
            list
        })
    }
}
