//! A map of roads: junctions, and links from one to another.

/// Flow capacities count in parts of a car.
pub const ONE_CAR: u32 = 1 << 16;
/// What a standing car takes of a lane.
const CAR_M: f64 = 7.5;

/// One way from a junction to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Road {
    pub from: u32,
    pub to: u32,
    pub length_m: f64,
    pub speed_m_s: f64,
    pub lanes: u32,
    /// What a lane lets through.
    pub cars_per_hour: f64,
}

/// Links by their number, a column for each of their properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Where junctions are, in metres.
    pub places: Vec<(i32, i32)>,
    pub from: Vec<u32>,
    pub to: Vec<u32>,
    /// How many steps a car takes where nothing is in its way.
    pub free_s: Vec<u32>,
    /// What may leave in a step, in parts of `ONE_CAR`.
    pub flow: Vec<u32>,
    /// How many cars have room.
    pub storage: Vec<u32>,
    outgoing: Lists,
    incoming: Lists,
}

/// Links by junction.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lists {
    first: Vec<u32>,
    links: Vec<u32>,
}

impl Map {
    /// A map of junctions at these places. With a `share` of all cars, roads have that share of their capacities, as is
    /// usual for samples of a population.
    pub fn new(places: Vec<(i32, i32)>, roads: &[Road], share: f64) -> Self {
        let mut map = Self {
            from: roads.iter().map(|road| road.from).collect(),
            to: roads.iter().map(|road| road.to).collect(),
            ..Self::default()
        };
        for road in roads {
            let free_s = (road.length_m / road.speed_m_s).round().max(1.0);
            let lanes = f64::from(road.lanes);
            let flow = lanes * road.cars_per_hour / 3600.0 * share;
            // Less room than for those that drive at full flow would be a lower flow.
            let room = (lanes * road.length_m / CAR_M * share).max(flow * free_s);
            map.free_s.push(free_s as u32);
            map.flow
                .push((flow * f64::from(ONE_CAR)).round().max(1.0) as u32);
            map.storage.push(room.ceil().max(1.0) as u32);
        }
        map.outgoing = Lists::new(places.len(), &map.from);
        map.incoming = Lists::new(places.len(), &map.to);
        map.places = places;
        map
    }

    /// Lets no car into a link, whose end cars can still begin at.
    pub fn close(&mut self, link: u32) -> Result<(), String> {
        if link as usize >= self.links() {
            let links = self.links();
            return Err(format!(
                "closed: there is no link {link}; there are {links}, counted from 0"
            ));
        }
        let from = self.from[link as usize];
        self.outgoing.remove(from, link);
        Ok(())
    }

    /// Whether cars may enter a link.
    pub fn is_open(&self, link: u32) -> bool {
        self.outgoing(self.from[link as usize]).contains(&link)
    }

    pub fn junctions(&self) -> usize {
        self.places.len()
    }

    pub fn links(&self) -> usize {
        self.from.len()
    }

    /// The links that begin at a junction, by number.
    pub fn outgoing(&self, junction: u32) -> &[u32] {
        self.outgoing.of(junction)
    }

    /// The links that end at a junction, by number.
    pub fn incoming(&self, junction: u32) -> &[u32] {
        self.incoming.of(junction)
    }

    /// How many cars may wait at the end of a link: those of one step.
    pub fn buffer(&self, link: usize) -> u32 {
        self.flow[link].div_ceil(ONE_CAR)
    }
}

impl Lists {
    fn new(junctions: usize, ends: &[u32]) -> Self {
        let mut first = vec![0u32; junctions + 1];
        for end in ends {
            first[*end as usize + 1] += 1;
        }
        for junction in 0..junctions {
            first[junction + 1] += first[junction];
        }
        let mut free = first.clone();
        let mut links = vec![0; ends.len()];
        for (link, end) in (0..).zip(ends) {
            let at = &mut free[*end as usize];
            links[*at as usize] = link;
            *at += 1;
        }
        Self { first, links }
    }

    fn remove(&mut self, junction: u32, link: u32) {
        let first = self.first[junction as usize] as usize;
        if let Some(at) = self.of(junction).iter().position(|one| *one == link) {
            self.links.remove(first + at);
            let behind = &mut self.first[junction as usize + 1..];
            behind.iter_mut().for_each(|first| *first -= 1);
        }
    }

    fn of(&self, junction: u32) -> &[u32] {
        let [from, to] = [junction, junction + 1].map(|at| self.first[at as usize] as usize);
        &self.links[from..to]
    }
}
