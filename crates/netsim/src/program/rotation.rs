//! Programs and networks that look the same from each node as from the one so many behind it.
//!
//! Then what the first nodes do is what all others do, at the same times: a rotation maps each message to another one
//! and what the one crosses to what the other crosses, so that nothing ever makes a difference between them. Only the
//! first nodes are played. For each of their messages all its images are under way with it. Of a constraint's images,
//! its *orbit*, one stands for all, and a message crosses it as often as all of its images together cross each of them.
//! Rates are those of the whole, since equal transfers have equal rates.
//!
//! The order of what happens at one time on a processor is the only thing that may differ: there it has none.

use weft_plan::program::{Action, Node, Repeated};

use crate::network::{Flow, Network, Path};

/// How the first nodes stand for all.
#[derive(Debug)]
pub struct Rotation {
    /// So many are the first ones.
    pub shift: u32,
    /// How many nodes each of them stands for, itself among them.
    pub copies: u32,
    orbits: Orbits,
}

/// By constraint, and those of each orbit in the order in which the rotation takes them.
#[derive(Debug, Default)]
struct Orbits {
    first: Vec<u32>,
    place: Vec<u32>,
    size: Vec<u32>,
    members: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Rotation {
    /// The one with the fewest nodes, whose hosts these are; None where all are different. What comes back from a
    /// message's destination matters where messages are acknowledged.
    pub fn find(
        network: &dyn Network,
        program: &Repeated<'_>,
        hosts: &[u32],
        is_acknowledged: bool,
    ) -> Option<Self> {
        if !network.contended().is_empty() {
            return None;
        }
        let all = program.ranks;
        let shifts = program.periods().filter(|shift| *shift < all);
        let most = shifts.clone().next_back()?;
        let first = program.first(most);
        let peers: Vec<Vec<u32>> = first
            .iter()
            .map(|node| peers(node, is_acknowledged))
            .collect();
        let mut search = Search::new(network, hosts);
        let mut fits = shifts.filter(|shift| search.fits(&peers[..*shift]));
        let shift = fits.next()? as u32;
        Some(Self {
            shift,
            copies: all as u32 / shift,
            orbits: Orbits::of(&search.image),
        })
    }

    /// Makes of what a message crosses what stands for that, as often as all of its images cross it.
    pub fn stand_in(&self, route: &mut Vec<u32>) {
        let crossed = std::mem::take(route);
        for at in crossed {
            let first = self.orbits.first(at);
            let times = self.copies / self.orbits.size[at as usize];
            route.extend((0..times).map(|_| first));
        }
    }

    /// The constraint on a route that another one stands for.
    pub fn meant(&self, route: &[u32], first: u32) -> u32 {
        let mut same = route.iter().filter(|at| self.orbits.first(**at) == first);
        same.next().copied().unwrap_or(first)
    }

    /// What a constraint is to the so many-th image of a node.
    pub fn turned(&self, constraint: u32, copy: u32) -> u32 {
        self.orbits.turned(constraint, copy)
    }
}

/// The nodes to which paths of a node matter, each once.
fn peers(node: &Node, is_acknowledged: bool) -> Vec<u32> {
    let of = |action: Action| match action {
        Action::Compute { .. } => None,
        Action::Send(message) => Some(message.peer),
        Action::Receive(message) => is_acknowledged.then_some(message.peer),
    };
    let mut found: Vec<u32> = node
        .operations
        .iter()
        .filter_map(|one| of(one.action))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Looks whether a rotation of nodes is one of the network, too.
struct Search<'a> {
    network: &'a dyn Network,
    hosts: &'a [u32],
    /// By constraint: what it is turned to, and what is turned to it.
    image: Vec<u32>,
    origin: Vec<u32>,
    route: Vec<u32>,
    next_route: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(network: &'a dyn Network, hosts: &'a [u32]) -> Self {
        Self {
            network,
            hosts,
            image: Vec::new(),
            origin: Vec::new(),
            route: Vec::new(),
            next_route: Vec::new(),
        }
    }

    /// Whether paths from the first nodes, given with their peers, are turned into each other all the way round.
    fn fits(&mut self, peers: &[Vec<u32>]) -> bool {
        let count = self.network.capacities().len();
        for list in [&mut self.image, &mut self.origin] {
            list.clear();
            list.resize(count, NONE);
        }
        let (all, shift) = (self.hosts.len() as u32, peers.len() as u32);
        (0..shift)
            .zip(peers)
            .all(|(node, peers)| peers.iter().all(|peer| self.turns(node, *peer, all, shift)))
    }

    fn turns(&mut self, node: u32, peer: u32, all: u32, shift: u32) -> bool {
        let Some(mut path) = self.seek(node, peer) else {
            return false;
        };
        for copy in 1..=all / shift {
            std::mem::swap(&mut self.route, &mut self.next_route);
            let by = copy * shift;
            let next = self.seek((node + by) % all, (peer + by) % all);
            if next != Some(path) || !self.map_route() {
                return false;
            }
            path = next.expect("it is the same as the one before");
        }
        true
    }

    fn seek(&mut self, src: u32, dst: u32) -> Option<Path> {
        self.route.clear();
        let [src, dst] = [src, dst].map(|node| self.hosts[node as usize] as usize);
        self.network.path(Flow::between(src, dst), &mut self.route)
    }

    /// Whether the route before can be turned into the one that was found last, as those before were.
    fn map_route(&mut self) -> bool {
        let capacities = self.network.capacities();
        self.route.len() == self.next_route.len()
            && self.next_route.iter().zip(&self.route).all(|(from, to)| {
                let (from_at, to_at) = (*from as usize, *to as usize);
                if self.image[from_at] == NONE && self.origin[to_at] == NONE {
                    self.image[from_at] = *to;
                    self.origin[to_at] = *from;
                }
                self.image[from_at] == *to
                    && self.origin[to_at] == *from
                    && capacities[from_at] == capacities[to_at]
            })
    }
}

impl Orbits {
    fn of(image: &[u32]) -> Self {
        let mut found = Self {
            first: vec![NONE; image.len()],
            place: vec![0; image.len()],
            size: vec![1; image.len()],
            members: Vec::new(),
        };
        for start in 0..image.len() as u32 {
            if image[start as usize] != NONE && found.first[start as usize] == NONE {
                found.add(image, start);
            }
        }
        found
    }

    /// `first` is a place in `members`.
    fn add(&mut self, image: &[u32], start: u32) {
        let first = self.members.len() as u32;
        let mut at = start;
        while self.first[at as usize] == NONE {
            self.first[at as usize] = first;
            self.place[at as usize] = self.members.len() as u32 - first;
            self.members.push(at);
            at = image[at as usize];
        }
        let size = self.members.len() as u32 - first;
        for at in &self.members[first as usize..] {
            self.size[*at as usize] = size;
        }
    }

    fn first(&self, constraint: u32) -> u32 {
        match self.first[constraint as usize] {
            NONE => constraint,
            first => self.members[first as usize],
        }
    }

    fn turned(&self, constraint: u32, by: u32) -> u32 {
        let at = constraint as usize;
        match self.first.get(at) {
            None | Some(&NONE) => constraint,
            Some(first) => self.members[(first + (self.place[at] + by) % self.size[at]) as usize],
        }
    }
}
