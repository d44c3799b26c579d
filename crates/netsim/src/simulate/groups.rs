//! Groups: the transfers that one constraint holds back.
//!
//! All of a group have one rate for their weight, so that its end is one number, and what it takes of other
//! constraints one for each of them. From one event to the next few transfers change their group, though the rates of
//! nearly all change: in an all-to-all of 128 hosts 23 of 4,000. A group is therefore gathered anew, transfer by
//! transfer, only when a transfer has joined or left it.

use super::local::Local;
use super::symmetry::span_s;

/// By transfer and by constraint; keeps its memory from one component to the next.
#[derive(Debug, Default)]
pub struct Groups {
    /// By transfer: the number of its group, which is that of its constraint.
    group_of: Vec<u32>,
    /// By transfer: what it has still to get for each share, from when its group was last gathered.
    need: Vec<f64>,
    /// Those of constraints, then those without a constraint, those that have ended, and those to come.
    groups: Vec<Group>,
    /// By constraint: what its group takes.
    burdens: Vec<Vec<Burden>>,
    /// By constraint: where among the burdens that are gathered it stands.
    place_of: Vec<u32>,
}

/// A constraint that a group crosses, and the weight with which it does.
#[derive(Debug, Clone, Copy)]
pub struct Burden {
    pub constraint: u32,
    pub weight: i64,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    /// Rate of a transfer of weight 1, since when, and what such a transfer had got until then since the group was
    /// gathered.
    level: f64,
    since_s: f64,
    served: f64,
    /// The least that any of them needs.
    first_need: f64,
    /// With which weight they cross their own constraint.
    weight: i64,
    is_open: bool,
    /// A transfer has left.
    is_stale: bool,
}

impl Group {
    fn new(is_open: bool) -> Self {
        Self {
            level: 0.0,
            since_s: 0.0,
            served: 0.0,
            first_need: f64::INFINITY,
            weight: 0,
            is_open,
            is_stale: true,
        }
    }

    #[inline]
    fn served_until(&self, now_s: f64) -> f64 {
        self.served + self.level * (now_s - self.since_s)
    }

    fn end_s(&self, need: f64) -> f64 {
        self.since_s + span_s(need - self.served, self.level)
    }
}

const NOWHERE: u32 = u32::MAX;

impl Groups {
    /// Begins again, with all transfers to come.
    pub fn reset(&mut self, local: &Local) {
        let constraints = local.capacity.len();
        self.groups.clear();
        self.groups.resize(constraints + 1, Group::new(true));
        self.groups.resize(constraints + 3, Group::new(false));
        self.group_of.clear();
        self.group_of.resize(local.len(), self.to_come());
        let need = |transfer: usize| local.demand[transfer].bits / local.share[transfer];
        self.need.clear();
        self.need.extend((0..local.len()).map(need));
        if self.burdens.len() < constraints {
            self.burdens.resize(constraints, Vec::new());
            self.place_of.resize(constraints, NOWHERE);
        }
    }

    fn nobodys(&self) -> u32 {
        self.groups.len() as u32 - 3
    }

    fn gone(&self) -> u32 {
        self.groups.len() as u32 - 2
    }

    fn to_come(&self) -> u32 {
        self.groups.len() as u32 - 1
    }

    /// Lets a transfer begin.
    pub fn admit(&mut self, transfer: u32) {
        self.group_of[transfer as usize] = self.nobodys();
    }

    /// Takes a frozen transfer away; gives the constraint that held it back.
    pub fn dismiss(&mut self, transfer: u32) -> u32 {
        let gone = self.gone();
        let group = std::mem::replace(&mut self.group_of[transfer as usize], gone);
        self.groups[group as usize].is_stale = true;
        group
    }

    /// The constraint that holds a transfer back, if it runs and there is one.
    pub fn limit_of(&self, transfer: u32) -> Option<u32> {
        let group = self.group_of[transfer as usize];
        (group < self.nobodys()).then_some(group)
    }

    /// The transfers of a group.
    pub fn members(&self, local: &Local, constraint: u32) -> impl Iterator<Item = u32> {
        let (start, end) = local.members_of(constraint);
        let members = local.members[start..end].iter().copied();
        members.filter(move |transfer| self.group_of[*transfer as usize] == constraint)
    }

    /// The rate of a group's transfers of weight 1.
    pub fn level(&self, constraint: u32) -> f64 {
        self.groups[constraint as usize].level
    }

    /// When the first of a group ends at its rate.
    pub fn first_end_s(&self, constraint: u32) -> f64 {
        let group = self.groups[constraint as usize];
        group.end_s(group.first_need)
    }

    /// When a transfer ends at the rate of its group.
    pub fn end_s(&self, transfer: u32) -> f64 {
        let group = self.group_of[transfer as usize];
        self.groups[group as usize].end_s(self.need[transfer as usize])
    }

    /// Lets a group's transfers be taken by other constraints, until it is frozen again.
    pub fn open(&mut self, constraint: u32) {
        self.groups[constraint as usize].is_open = true;
    }

    /// Freezes all over a constraint that no other has frozen; `open` is the weight with which they cross it. Gives what
    /// they take.
    pub fn freeze(
        &mut self,
        local: &mut Local,
        constraint: u32,
        open: i64,
        level: f64,
        now_s: f64,
    ) -> &[Burden] {
        // A transfer in an open group has not been frozen. So where weights are the same, so are the transfers.
        let group = self.groups[constraint as usize];
        if group.is_stale || group.weight != open {
            self.gather(local, constraint, open, now_s);
        }
        let group = &mut self.groups[constraint as usize];
        if level != group.level {
            group.served = group.served_until(now_s);
            group.since_s = now_s;
            group.level = level;
        }
        group.is_open = false;
        &self.burdens[constraint as usize]
    }

    /// Finds all transfers over a constraint in open groups that cross it with such a weight in all.
    fn gather(&mut self, local: &mut Local, constraint: u32, open: i64, now_s: f64) {
        let gone = self.gone();
        let mut first_need = f64::INFINITY;
        self.begin_burdens(constraint);
        let (mut next, mut end) = local.members_of(constraint);
        let mut found = next;
        while self.burdens[constraint as usize][0].weight < open {
            let transfer = local.members[next];
            let before = self.group_of[transfer as usize];
            if before == gone {
                end -= 1;
                local.members[next] = local.members[end];
                continue;
            }
            let group = &mut self.groups[before as usize];
            if group.is_open {
                group.is_stale = true;
                let need = &mut self.need[transfer as usize];
                *need = (*need - group.served_until(now_s)).max(0.0);
                first_need = first_need.min(*need);
                self.group_of[transfer as usize] = constraint;
                self.add_burdens(local, constraint, transfer);
                // Most of them will be found first again.
                local.members.swap(found, next);
                found += 1;
            }
            next += 1;
        }
        local.keep_members(constraint, end);
        self.end_burdens(constraint);
        self.groups[constraint as usize] = Group {
            since_s: now_s,
            served: 0.0,
            first_need,
            weight: open,
            is_stale: false,
            ..self.groups[constraint as usize]
        };
    }

    /// A group's own constraint comes first.
    fn begin_burdens(&mut self, constraint: u32) {
        let burdens = &mut self.burdens[constraint as usize];
        burdens.clear();
        burdens.push(Burden {
            constraint,
            weight: 0,
        });
        self.place_of[constraint as usize] = 0;
    }

    fn add_burdens(&mut self, local: &Local, constraint: u32, transfer: u32) {
        let burdens = &mut self.burdens[constraint as usize];
        let weight = local.weight[transfer as usize];
        for &at in local.route(transfer) {
            let place = &mut self.place_of[at as usize];
            if *place == NOWHERE {
                *place = burdens.len() as u32;
                burdens.push(Burden {
                    constraint: at,
                    weight,
                });
            } else {
                burdens[*place as usize].weight += weight;
            }
        }
    }

    fn end_burdens(&mut self, constraint: u32) {
        for burden in &self.burdens[constraint as usize] {
            self.place_of[burden.constraint as usize] = NOWHERE;
        }
    }
}
