//! What moves: transfers, each with the constraints that it crosses.

/// Transfers in compact arrays, all of one phase.
///
/// A transfer crosses constraints, given by their index; one that stands in its route twice carries it twice. Of the
/// share that a constraint gives to each, a transfer takes `weight` times as much.
#[derive(Debug, Clone, Default)]
pub struct Transfers {
    ends: Vec<u32>,
    route: Vec<u32>,
    demands: Vec<Demand>,
    differ: bool,
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
}

impl Demand {
    /// So many bits from the start, one share, no cap.
    pub fn of_bits(bits: f64) -> Self {
        Self {
            bits,
            weight: 1.0,
            cap_bits_per_s: f64::INFINITY,
            start_s: 0.0,
        }
    }
}

impl Transfers {
    /// Adds a transfer. Panics unless its weight is positive and finite, and what it carries is not negative: whoever
    /// describes transfers checks them, with better words.
    pub fn push(&mut self, route: &[u32], demand: Demand) {
        self.push_found(|all| {
            all.extend_from_slice(route);
            Some(((), demand))
        });
    }

    /// Adds a transfer whose route `find` appends to what it is given, and gives what else that found. Where it finds
    /// none, nothing is added. Panics as `push` does.
    #[inline]
    pub fn push_found<T>(
        &mut self,
        find: impl FnOnce(&mut Vec<u32>) -> Option<(T, Demand)>,
    ) -> Option<T> {
        let start = self.route.len();
        let Some((found, demand)) = find(&mut self.route) else {
            self.route.truncate(start);
            return None;
        };
        assert!(demand.weight > 0.0 && demand.weight.is_finite());
        assert!(demand.bits >= 0.0 && demand.start_s >= 0.0 && demand.cap_bits_per_s >= 0.0);
        self.ends.push(self.route.len() as u32);
        self.differ |= self.demands.first().is_some_and(|first| *first != demand);
        self.demands.push(demand);
        Some(found)
    }

    /// Forgets all transfers and keeps the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.route.clear();
        self.demands.clear();
        self.differ = false;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How often all transfers together cross constraints.
    pub fn crossings(&self) -> usize {
        self.route.len()
    }

    /// The constraints that a transfer crosses.
    #[inline]
    pub fn route(&self, transfer: usize) -> &[u32] {
        let start = match transfer {
            0 => 0,
            _ => self.ends[transfer - 1] as usize,
        };
        &self.route[start..self.ends[transfer] as usize]
    }

    /// The routes of all transfers, in their order.
    #[inline]
    pub fn routes(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let route = &self.route[start..*end as usize];
            start = *end as usize;
            route
        })
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
