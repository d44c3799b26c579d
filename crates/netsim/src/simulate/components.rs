//! Which transfers have anything to do with each other: those that are joined by constraints, however indirectly.

use super::transfers::Transfers;

/// Splits transfers into groups that share no constraint; each can be solved by itself.
#[derive(Debug, Default)]
pub struct Components {
    /// Union-find over constraints; a constraint that no transfer crosses is its own parent.
    parent: Vec<u32>,
    touched: Vec<u32>,
    /// By constraint that stands for a component: its number, in the order of the first transfers.
    number: Vec<u32>,
    component_of: Vec<u32>,
    order: Vec<u32>,
    bounds: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Components {
    /// Splits those of the transfers that `takes_part` keeps and that cross a constraint. Takes time in proportion to
    /// the crossings, up to the inverse of Ackermann's function.
    pub fn split(
        &mut self,
        constraints: usize,
        transfers: &Transfers,
        takes_part: impl Fn(usize) -> bool,
    ) {
        self.grow(constraints);
        for index in (0..transfers.len()).filter(|index| takes_part(*index)) {
            self.join_route(transfers.route(index));
        }
        self.number_transfers(transfers, takes_part);
        self.forget();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// The transfers of a component, in order.
    pub fn members(&self, component: usize) -> &[u32] {
        let (start, end) = (self.bounds[component], self.bounds[component + 1]);
        &self.order[start as usize..end as usize]
    }

    fn grow(&mut self, constraints: usize) {
        let known = self.parent.len();
        if known < constraints {
            self.parent.extend(known as u32..constraints as u32);
            self.number.resize(constraints, NONE);
        }
    }

    fn join_route(&mut self, route: &[u32]) {
        let Some((first, rest)) = route.split_first() else {
            return;
        };
        let mut root = self.find(*first);
        self.touched.push(*first);
        for at in rest {
            let other = self.find(*at);
            if other != root {
                // The lower number stands for both, so that the outcome does not depend on the order.
                let (low, high) = (root.min(other), root.max(other));
                self.parent[high as usize] = low;
                root = low;
            }
            self.touched.push(*at);
        }
    }

    /// The constraint that stands for another's component; halves the path for later calls.
    fn find(&mut self, mut at: u32) -> u32 {
        while self.parent[at as usize] != at {
            let above = self.parent[at as usize];
            self.parent[at as usize] = self.parent[above as usize];
            at = above;
        }
        at
    }

    fn number_transfers(&mut self, transfers: &Transfers, takes_part: impl Fn(usize) -> bool) {
        self.component_of.clear();
        self.bounds.clear();
        let mut count = 0;
        for index in 0..transfers.len() {
            let component = match transfers.route(index).first() {
                Some(first) if takes_part(index) => {
                    let root = self.find(*first) as usize;
                    if self.number[root] == NONE {
                        self.number[root] = count;
                        self.bounds.push(0);
                        count += 1;
                    }
                    let component = self.number[root];
                    self.bounds[component as usize] += 1;
                    component
                }
                _ => NONE,
            };
            self.component_of.push(component);
        }
        self.sort();
    }

    /// Counting sort of the transfers by component; `bounds` holds the counts before and the bounds after.
    fn sort(&mut self) {
        let mut total = 0;
        for bound in &mut self.bounds {
            total += std::mem::replace(bound, total);
        }
        self.bounds.push(total);
        self.order.clear();
        self.order.resize(total as usize, 0);
        for (index, component) in self.component_of.iter().enumerate() {
            if *component != NONE {
                let next = &mut self.bounds[*component as usize];
                self.order[*next as usize] = index as u32;
                *next += 1;
            }
        }
        // Each bound has moved to the start of the next component.
        self.bounds.pop();
        self.bounds.insert(0, 0);
    }

    fn forget(&mut self) {
        for at in self.touched.drain(..) {
            self.parent[at as usize] = at;
            self.number[at as usize] = NONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::transfers::Demand;
    use super::*;

    fn split(routes: &[&[u32]]) -> Vec<Vec<u32>> {
        let mut transfers = Transfers::default();
        for route in routes {
            transfers.push(route, Demand::of_bits(1.0));
        }
        let mut components = Components::default();
        // Twice, to see that nothing is left over.
        components.split(10, &transfers, |_| true);
        components.split(10, &transfers, |_| true);
        (0..components.len())
            .map(|index| components.members(index).to_vec())
            .collect()
    }

    #[test]
    fn transfers_that_share_nothing_are_apart() {
        assert_eq!(split(&[&[0, 1], &[2], &[3, 4]]), [[0], [1], [2]]);
    }

    #[test]
    fn a_chain_of_shared_constraints_joins() {
        let found = split(&[&[0, 1], &[5, 6], &[2, 3], &[1, 2], &[6]]);
        assert_eq!(found, [vec![0, 2, 3], vec![1, 4]]);
    }

    #[test]
    fn who_crosses_nothing_is_nowhere() {
        assert_eq!(split(&[&[], &[1], &[]]), [[1]]);
        assert!(split(&[]).is_empty());
    }
}
