//! The same cars wherever the map is cut, and what the model says of them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use weft_plan::{Demand, Limits, Pattern, Traffic, load};
use weft_traffic::{Census, Journey, Map, Partition, Road, Routes, Scenario, Trip, bisect, sample};

fn traffic(keys: &str) -> Traffic {
    let text = format!("name = \"t\"\n[[steps]]\npattern = \"traffic\"\n{keys}");
    let limits = Limits {
        max_message_bytes: 1 << 30,
    };
    let plan = load(&text, "t.toml", &[], &limits).unwrap();
    match plan.steps.into_iter().next().unwrap().pattern {
        Pattern::Traffic(traffic) => traffic,
        other => panic!("{other:?}"),
    }
}

fn small(demand: &str) -> Arc<Scenario> {
    let keys = format!("demand = \"{demand}\"\nlinks = 400\ncars = 100000\nscale = 0.2");
    Arc::new(Scenario::of(&traffic(&keys)).unwrap())
}

/// After some seconds, and more.
fn censuses(scenario: &Arc<Scenario>, domains: u32, from_second: u32) -> Vec<Census> {
    let mut journey = Journey::new(scenario, domains, from_second);
    let mut found = Vec::new();
    for second in from_second..900 {
        journey.advance();
        if second % 100 == 99 {
            found.push(journey.census());
        }
    }
    found
}

#[test]
fn cars_are_the_same_at_any_time_for_any_number_of_domains() {
    for demand in ["bottleneck", "even"] {
        let scenario = small(demand);
        let alone = censuses(&scenario, 1, 0);
        assert!(alone.iter().all(|one| one.cars() == 20_000));
        let last = alone.last().unwrap();
        assert!(last.arrived > 50 && last.driving > 50, "{last:?}");
        for domains in [2, 3, 4, 8, 16, 64] {
            assert_eq!(censuses(&scenario, domains, 0), alone, "{demand} {domains}");
        }
    }
}

#[test]
fn domains_may_begin_when_cars_are_on_their_way() {
    let scenario = small("bottleneck");
    let alone = censuses(&scenario, 1, 0);
    for domains in [1, 5, 16] {
        assert_eq!(censuses(&scenario, domains, 500), alone[5..]);
    }
}

#[test]
fn more_domains_than_junctions_leave_some_empty() {
    let keys = "demand = \"even\"\nlinks = 8\ncars = 500\nscale = 1.0";
    let scenario = Arc::new(Scenario::of(&traffic(keys)).unwrap());
    let alone = censuses(&scenario, 1, 0);
    assert_eq!(censuses(&scenario, 64, 0), alone);
    let partition = Partition::of(&scenario, 64);
    let is_empty = |domain: &u32| !partition.owner.contains(domain);
    assert!((0..64).filter(is_empty).count() >= 64 - scenario.map.junctions());
}

#[test]
fn a_seed_is_a_day() {
    let day = |seed: u32| {
        let keys = format!("demand = \"even\"\nlinks = 400\ncars = 2000\nseed = {seed}");
        let scenario = Arc::new(Scenario::of(&traffic(&keys)).unwrap());
        censuses(&scenario, 1, 500).pop().unwrap().hash
    };
    assert_eq!(day(1), day(1));
    assert_ne!(day(1), day(2));
}

/// A road of three links: in, through a narrow one, and out.
fn narrow(cars: u32) -> Arc<Scenario> {
    let places = vec![(0, 0), (750, 0), (1500, 0), (2250, 0)];
    let road = |from: u32, cars_per_hour| Road {
        from,
        to: from + 1,
        length_m: 750.0,
        speed_m_s: 15.0,
        lanes: 1,
        cars_per_hour,
    };
    let roads = [road(0, 3600.0), road(1, 360.0), road(2, 3600.0)];
    let map = Map::new(places, &roads, 1.0);
    let routes = Routes::new(&map, vec![3]);
    let trip = Trip {
        departure_s: 0,
        origin: 0,
        zone: 0,
    };
    let trips = vec![trip; cars as usize];
    Arc::new(Scenario::new(map, routes, trips, 0).unwrap())
}

#[test]
fn a_car_alone_drives_the_free_flow_time() {
    let scenario = narrow(1);
    let mut journey = Journey::new(&scenario, 1, 0);
    let mut arrived_s = 0;
    while journey.census().arrived == 0 {
        journey.advance();
        arrived_s += 1;
    }
    // In second 0 the flow has let no car through. It leaves in second 1, crosses in 2, is at the end of the second link in
    // 52, crosses in 53, and is there in 103; the narrow link has gathered what lets a car through long before.
    assert_eq!(arrived_s, 104);
}

#[test]
fn a_narrow_link_lets_through_what_it_can_and_cars_jam_in_front_of_it() {
    let scenario = narrow(500);
    let mut journey = Journey::new(&scenario, 2, 0);
    for _ in 0..600 {
        journey.advance();
    }
    let census = journey.census();
    // One car in ten seconds, from second 102 on.
    assert!((48..=51).contains(&census.arrived), "{census:?}");
    // The narrow link is full (100 cars), the one behind has what comes through, and the others wait to leave.
    assert!((100..=120).contains(&census.driving), "{census:?}");
    assert_eq!(census.cars(), 500);
}

#[test]
fn a_car_without_a_way_is_named() {
    let keys = "demand = \"bottleneck\"\nlinks = 400\ncars = 100\nclosed = [442]";
    let refused = Scenario::of(&traffic(keys)).unwrap_err();
    assert_eq!(
        refused,
        "closed: there is no link 442; there are 442, counted from 0"
    );
    let keys = keys.replace("442", "440");
    let refused = Scenario::of(&traffic(&keys)).unwrap_err();
    assert!(
        refused.starts_with("car 0 has no route: from link ")
            && refused.ends_with("no way leads to junction 121"),
        "{refused}"
    );
}

#[test]
fn domains_have_about_as_many_passing_cars() {
    let scenario = small("even");
    let partition = Partition::of(&scenario, 16);
    let mut loads = vec![0u64; 16];
    for (link, cars) in scenario.passages().into_iter().enumerate() {
        loads[partition.owner[scenario.map.to[link] as usize] as usize] += u64::from(cars);
    }
    let mean = loads.iter().sum::<u64>() / 16;
    assert!(loads.iter().all(|load| *load < mean * 3 / 2), "{loads:?}");
}

#[test]
fn parts_of_a_line_follow_each_other() {
    let places: Vec<_> = (0..6).map(|x| (x, 0)).collect();
    assert_eq!(bisect(&places, &[1; 6], 3), [0, 0, 1, 1, 2, 2]);
    assert_eq!(bisect(&places, &[5, 1, 1, 1, 1, 1], 2), [0, 1, 1, 1, 1, 1]);
}

#[test]
fn a_program_has_the_steps_that_its_messages_allow() {
    let keys = "demand = \"even\"\nlinks = 400\ncars = 4000\nfrom_second = 0\nseconds = 100\ncompute = \"10 us\"\ncar = \"100 B\"\nmessages = 1000";
    let traffic = traffic(keys);
    assert_eq!(traffic.demand, Demand::Even);
    let scenario = Arc::new(Scenario::of(&traffic).unwrap());
    let stop = AtomicBool::new(false);
    let found = sample(&traffic, Journey::new(&scenario, 4, 0), 4, &stop).unwrap();
    let each = found.messages / 100;
    assert_eq!(found.every, (found.messages as u32).div_ceil(1000));
    assert_eq!(found.steps, 100u32.div_ceil(found.every));
    assert_eq!(
        found.program.sends().count() as u64,
        each * u64::from(found.steps)
    );
    assert!(found.bytes > found.messages * 8 && found.passed > 0);
    let mut alone = Journey::new(&scenario, 1, 0);
    (0..100).for_each(|_| alone.advance());
    assert_eq!(found.census, alone.census());
}
