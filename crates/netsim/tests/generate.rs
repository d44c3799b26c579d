//! Generated networks: their sizes, their paths, and what the literature says of them.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use weft_fabric::load;
use weft_netsim::network::{Network, generate, generators, of_fabric};

fn build(text: &str) -> Result<Box<dyn Network>, String> {
    let (name, rest) = text.split_once('(').unwrap_or((text, ")"));
    let values = rest
        .trim_end_matches(')')
        .split(',')
        .filter(|part| !part.is_empty());
    let pair = |part: &str| {
        part.split_once('=')
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
    };
    let values: BTreeMap<String, String> = values.filter_map(pair).collect();
    generate(name, &values, 1.0).expect("there is such a generator")
}

fn route(network: &dyn Network, src: usize, dst: usize) -> Vec<u32> {
    let mut route = Vec::new();
    network
        .path(src, dst, 0, &mut route)
        .expect("there is a way");
    route
}

#[test]
fn sizes_are_those_of_the_literature() {
    let hosts = |text: &str| build(text).unwrap().hosts();
    assert_eq!(hosts("fat-tree(k=4)"), 16);
    assert_eq!(hosts("fat-tree(k=32,levels=3,oversubscription=2)"), 16_384);
    assert_eq!(hosts("fat-tree(k=8,levels=2)"), 32);
    assert_eq!(hosts("clos(leaves=16,spines=4,hosts=24)"), 384);
    assert_eq!(hosts("torus(dims=8x8x4)"), 256);
    assert_eq!(hosts("hypercube(dims=10)"), 1024);
    assert_eq!(hosts("dragonfly(groups=9,routers=4,hosts=2,global=2)"), 72);
    assert_eq!(hosts("crossbar(hosts=64)"), 64);
    assert_eq!(hosts("stacked(switches=4,hosts=24)"), 96);
    assert_eq!(hosts("chassis(cards=2,chips=2,hosts=24)"), 96);
}

/// The catalogue has the same chassis as a file.
#[test]
fn a_chassis_is_the_published_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog/fabrics");
    let text = std::fs::read_to_string(root.join("xibalba-e7-config2.toml")).unwrap();
    let file = of_fabric(&load(&text, "file", 1.0).unwrap()).unwrap();
    let built = build(
        "chassis(cards=2,chips=2,hosts=24,rate=100 Mb/s,delay=5 us,chip=1600 Mb/s,card=800 Mb/s)",
    )
    .unwrap();
    for dst in [1, 24, 48, 95] {
        let capacities = |network: &dyn Network| -> Vec<f64> {
            let crossed = route(network, 0, dst);
            crossed
                .iter()
                .map(|at| network.capacities()[*at as usize])
                .collect()
        };
        assert_eq!(capacities(file.as_ref()), capacities(built.as_ref()));
    }
}

#[test]
fn switches_in_a_row_are_passed_one_by_one() {
    let names = |text: &str| -> Vec<String> {
        let built = build(text).unwrap();
        let crossed = route(built.as_ref(), 0, 7);
        crossed
            .iter()
            .map(|at| built.constraint_name(*at as usize))
            .collect()
    };
    assert_eq!(
        names("stacked(switches=4,hosts=2)"),
        [
            "n1 out",
            "switch1 to switch2",
            "switch2 to switch3",
            "switch3 to switch4",
            "n8 in"
        ]
    );
    assert_eq!(
        names("stacked(switches=4,hosts=2,join=star,uplink=1 Gb/s)"),
        ["n1 out", "switch1 to top", "top to switch4", "n8 in"]
    );
}

#[test]
fn every_example_is_right() {
    for (_, example) in generators() {
        let network = build(example).unwrap();
        let hosts = network.hosts();
        let count = network.capacities().len();
        for (src, dst) in [(0, hosts - 1), (hosts - 1, 0), (1, hosts / 2)] {
            let route = route(network.as_ref(), src, dst);
            assert!(route.iter().all(|at| (*at as usize) < count), "{example}");
            let distinct: HashSet<_> = route.iter().collect();
            assert_eq!(distinct.len(), route.len(), "{example}");
        }
        let names: HashSet<_> = (0..count).map(|at| network.constraint_name(at)).collect();
        assert_eq!(names.len(), count, "{example}");
        assert_eq!(route(network.as_ref(), 3, 3), [0; 0]);
    }
}

#[test]
fn paths_are_as_long_as_they_must_be() {
    let length = |text: &str, src, dst| route(build(text).unwrap().as_ref(), src, dst).len();
    assert_eq!(length("fat-tree(k=4)", 0, 1), 2);
    assert_eq!(length("fat-tree(k=4)", 0, 2), 4);
    assert_eq!(length("fat-tree(k=4)", 0, 15), 6);
    assert_eq!(length("torus(dims=8x8)", 0, 7), 1);
    assert_eq!(length("torus(dims=8x8)", 0, 4 * 8 + 4), 8);
    assert_eq!(length("hypercube(dims=10)", 0, 1023), 10);
    assert_eq!(length("star(hosts=4,capacity=1 Gb/s)", 0, 3), 3);
    let dragonfly = "dragonfly(groups=9,routers=4,hosts=2,global=2)";
    let longest = (1..72).map(|dst| length(dragonfly, 0, dst)).max();
    assert_eq!(longest, Some(5));
}

/// d mod k is free of contention for shifts (E. Zahavi, 2010): no link carries two transfers of a phase of AAPC.
#[test]
fn shifts_do_not_meet_in_a_fat_tree() {
    let network = build("fat-tree(k=8)").unwrap();
    let hosts = network.hosts();
    for distance in 1..hosts {
        let mut used = HashSet::new();
        for src in 0..hosts {
            for at in route(network.as_ref(), src, (src + distance) % hosts) {
                assert!(used.insert(at), "distance {distance}");
            }
        }
    }
}

/// A hash lets some meet; another seed lets others meet; the same seed the same.
#[test]
fn a_hash_spreads_and_is_the_same_for_a_seed() {
    let paths = |seed: u32| -> Vec<Vec<u32>> {
        let network = build(&format!("fat-tree(k=8,routing=hash,seed={seed})")).unwrap();
        (0..64)
            .map(|src| route(network.as_ref(), src, 127 - src))
            .collect()
    };
    assert_eq!(paths(1), paths(1));
    assert_ne!(paths(1), paths(2));
    let ups: HashSet<u32> = paths(1).iter().map(|path| path[1]).collect();
    assert!((25..64).contains(&ups.len()), "{}", ups.len());
}

#[test]
fn who_sends_up_a_link_and_who_receives_down_it_agree() {
    // All paths into a host end with its own link, all paths out begin with its own.
    for (_, example) in generators()
        .into_iter()
        .filter(|(name, _)| !name.contains("cube"))
    {
        let network = build(example).unwrap();
        if example.starts_with("torus") || network.hosts() > 1000 {
            continue;
        }
        let last: HashSet<_> = (1..network.hosts())
            .map(|src| *route(network.as_ref(), src, 0).last().unwrap())
            .collect();
        assert_eq!(last.len(), 1, "{example}");
    }
}

#[test]
fn what_is_wrong_is_refused_with_what_would_be_right() {
    let why = |text: &str| build(text).unwrap_err();
    assert!(why("fat-tree").contains("k is missing; for example fat-tree(k=32"));
    assert!(why("fat-tree(k=3)").contains("must be even"));
    assert!(
        why("fat-tree(k=4,level=2)")
            .contains("unknown parameter \"level\", did you mean \"levels\"?")
    );
    assert!(why("torus(dims=8x1)").contains("sizes of at least 2"));
    assert!(why("torus(dims=8,rate=fast)").contains("a rate is a number and a unit"));
    assert!(why("clos(leaves=2,spines=2,hosts=2,routing=best)").contains("d-mod-k or hash"));
    assert!(why("dragonfly(groups=10,routers=4,hosts=2,global=2)").contains("reach 9 groups"));
    assert!(why("hypercube(dims=21)").contains("from 1 to 20"));
}

/// Refused at once: nothing has been asked for of the memory that is named.
#[test]
fn a_million_hosts_by_a_slip_are_refused_with_an_estimate() {
    let why = |text: &str| build(text).unwrap_err();
    assert!(why("fat-tree(k=3200,levels=3)").contains("8192000000 hosts"));
    assert!(why("fat-tree(k=3200,levels=3)").contains("GB; at most 1048576 hosts"));
    assert!(why("fat-tree(k=1048576,levels=6)").contains("GB"));
    assert!(why("torus(dims=9999x9999x9999)").contains("GB"));
    assert!(why("crossbar(hosts=1)").contains("2"));
}
