//! The links of a fabric, and which of them a frame passes on its way from one port to another.

use weft_fabric::{Between, ETHERNET_BYTES, Layout, Limit, Medium, Paths, Span};

use crate::forward::balancer::Balancer;
use crate::forward::conditions::Conditions;
use crate::forward::link::Link;

/// The links of a fabric and the paths through them: one link for each limit.
pub struct Links {
    links: Vec<Link>,
    paths: Paths,
    /// Where switches hash.
    balancer: Option<Balancer>,
}

impl Links {
    pub fn new(layout: &Layout) -> Self {
        let paths = Paths::of(layout);
        Self {
            links: (0..).zip(&paths.limits).map(link_of).collect(),
            paths,
            balancer: match &layout.between {
                Between::Mesh(mesh) => {
                    let balancer = |hashing| Balancer::new(hashing, layout);
                    mesh.hashing.map(balancer)
                }
                Between::Cable | Between::Trees(_) => None,
            },
        }
    }

    /// Which way a frame takes between two ports that are joined, and which arrives at `now_ns`.
    pub fn span(&mut self, from: usize, to: usize, frame: &[u8], now_ns: u64) -> Span {
        let hashed = self
            .balancer
            .as_mut()
            .map_or(0, |balancer| balancer.hashed(from, to, frame, now_ns));
        self.paths.span(from, to, hashed)
    }

    /// The link a frame passes at a step of its path to a port; none when it is there. Step 0 is the
    /// sender's own link. Takes time in proportion to the step, and there are few.
    pub fn link_at(
        &mut self,
        step: usize,
        from: usize,
        to: usize,
        span: Span,
    ) -> Option<&mut Link> {
        let link = self.paths.limit_at(step, from, to, span)?;
        self.links.get_mut(link)
    }

    /// The limits of the fabric, each as it describes it, by the number of its link.
    pub fn limits(&self) -> &[Limit] {
        &self.paths.limits
    }

    /// Changes the conditions of a link.
    pub fn set(&mut self, link: usize, conditions: Conditions) {
        self.links[link].set(conditions);
    }

    /// How long the largest frame takes on the fastest of the hosts' own links that have a rate.
    pub fn shortest_frame_ns(&self, mtu_bytes: u32) -> u64 {
        let frame_bytes = u64::from(mtu_bytes + ETHERNET_BYTES);
        let own = 2 * self.paths.ports();
        let times = self
            .links
            .iter()
            .take(own)
            .map(|link| link.time_on_wire(frame_bytes).0);
        times.filter(|time| *time > 0).min().unwrap_or(0)
    }
}

fn link_of((number, limit): (u64, &Limit)) -> Link {
    let medium = match limit.place.is_inside() {
        true => Medium::INSIDE,
        false => Medium::WIRE,
    };
    let (mtu_bytes, queue_frames) = (limit.mtu_bytes, limit.queue_frames);
    let admission = limit.place.admission();
    let conditions = Conditions::of(limit);
    Link::new(conditions, medium, mtu_bytes, queue_frames, admission).with_seed(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Topology;

    /// Two cards with two chips of one host each; every limit has a rate of its own, in bit/s.
    const CARDS: &str = r#"
name = "cards"
[[hosts]]
ids = "n[1-4]"
attach = "card[1-2]/chip[1-2]"
per_switch = 1
link = { rate = "1 b/s", rate_back = "2 b/s" }
[[switches]]
ids = "card[1-2]/chip[1-2]"
capacity = "10 b/s"
[[links]]
between = ["card[1-2]", "back"]
rate = "100 b/s"
rate_back = "200 b/s"
"#;

    fn links(text: &str) -> Links {
        let fabric = weft_fabric::load(text, "test", 1.0).unwrap();
        match Topology::of(&fabric) {
            Ok(Topology::Forwarded(layout)) => Links::new(&layout),
            other => panic!("not forwarded: {other:?}"),
        }
    }

    /// The links on a path, each by the rate that it is known by.
    fn rates(links: &mut Links, from: usize, to: usize) -> Vec<u64> {
        let numbers = numbers(links, from, to);
        let rate = |link: &u32| links.links[*link as usize].bits_per_s();
        numbers.iter().map(rate).collect()
    }

    /// The same as the forwarder finds them, which is as the simulator does.
    fn numbers(links: &mut Links, from: usize, to: usize) -> Vec<u32> {
        let mut route = Vec::new();
        links.paths.append(from, to, 0, &mut route).unwrap();
        let span = links.paths.span(from, to, 0);
        let at = |step| links.paths.limit_at(step, from, to, span);
        let steps: Vec<_> = (0..).map_while(at).map(|link| link as u32).collect();
        assert_eq!(route, steps);
        route
    }

    #[test]
    fn a_frame_passes_every_limit_between_its_hosts() {
        let mut links = links(CARDS);
        assert_eq!(rates(&mut links, 0, 3), [1, 10, 100, 200, 10, 2]);
        assert_eq!(rates(&mut links, 0, 1), [1, 10, 10, 2]);
    }

    #[test]
    fn what_stays_on_a_chip_passes_it_in_and_out() {
        let mut links = links(&CARDS.replace("per_switch = 1", "per_switch = 4"));
        assert_eq!(rates(&mut links, 0, 1), [1, 10, 10, 2]);
    }

    #[test]
    fn directions_and_chips_do_not_share() {
        let mut links = links(CARDS);
        let (there, back) = (numbers(&mut links, 0, 3), numbers(&mut links, 3, 0));
        assert!(there.iter().all(|link| !back.contains(link)));
        let span = links.span(0, 3, &[], 0);
        assert!(links.link_at(6, 0, 3, span).is_none());
    }

    #[test]
    fn the_capacity_above_counts_for_all_below() {
        let all = "[[switches]]\nids = \"back\"\ncapacity = \"50 b/s\"";
        let mut links = links(&format!("{CARDS}{all}"));
        assert_eq!(rates(&mut links, 0, 3), [1, 10, 100, 50, 50, 200, 10, 2]);
        assert_eq!(rates(&mut links, 0, 1), [1, 10, 10, 2]);
    }

    #[test]
    fn a_link_to_the_whole_says_how_a_part_is_joined() {
        let bus = "[[links]]\nbetween = [\"card1/chip[1-2]\", \"card1\"]\nrate = \"7 b/s\"";
        let mut links = links(&format!("{CARDS}{bus}"));
        assert_eq!(rates(&mut links, 0, 1), [1, 10, 7, 7, 10, 2]);
        assert_eq!(rates(&mut links, 2, 3), [1, 10, 10, 2]);
    }

    #[test]
    fn a_slow_route_is_slow_one_way() {
        let path = "[[paths]]\nfrom = \"n1\"\nto = \"n2\"\nrate = \"3 b/s\"";
        let mut links = links(&format!("{CARDS}{path}"));
        assert_eq!(rates(&mut links, 0, 1), [1, 10, 10, 3, 2]);
        assert_eq!(rates(&mut links, 1, 0), [1, 10, 10, 2]);
        assert_eq!(rates(&mut links, 0, 3).len(), 6);
    }

    #[test]
    fn a_dead_host_neither_sends_nor_receives() {
        let mut links = links(&format!("{CARDS}[[overrides]]\nids = \"n1\"\ndead = true"));
        let mut passes = |step, from, to| {
            let span = links.span(from, to, &[], 0);
            let link = links.link_at(step, from, to, span);
            link.unwrap().pass(0, 60, 0)
        };
        assert_eq!(passes(0, 0, 1), None);
        assert_eq!(passes(3, 1, 0), None);
        assert!(passes(0, 1, 0).is_some());
    }
}
