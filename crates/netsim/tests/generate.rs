//! Generated networks: their sizes, their paths, and what the literature says of them.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use weft_fabric::load;
use weft_netsim::network::{Flow, Network, generate, generators, of_fabric};

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
        .path(Flow::between(src, dst), &mut route)
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

/// Hosts, the ports of each switch, and the number of cables; no switch has more of these than ports.
fn pieces(text: &str) -> (u32, Vec<u32>, usize) {
    let wiring = build(text).unwrap().wiring().unwrap();
    let mut used = vec![0; wiring.hosts as usize + wiring.switch_ports.len()];
    for [one, other] in &wiring.cables {
        assert_ne!(one, other, "{text}");
        used[*one as usize] += 1;
        used[*other as usize] += 1;
    }
    let hosts = wiring.hosts as usize;
    for (ports, used) in wiring.switch_ports.iter().zip(&used[hosts..]) {
        assert!(
            used <= ports,
            "{text}: {used} cables at a switch of {ports} ports"
        );
    }
    (wiring.hosts, wiring.switch_ports, wiring.cables.len())
}

/// Where all places are taken, every port of a switch has a cable: twice the cables are its ends.
#[test]
fn whole_networks_leave_no_port_free() {
    for (text, switches, cables) in [
        ("fat-tree(k=4)", 20, 48),
        ("fat-tree(k=8,levels=2)", 12, 64),
        ("clos(leaves=4,spines=2,hosts=8)", 6, 40),
        ("xgft(down=4x4,up=1x2)", 6, 24),
        (
            "xgft(down=4x4x3,up=2x2x2)",
            3 * 4 * 2 + 3 * 4 + 8,
            48 * 2 + 12 * 4 + 3 * 8,
        ),
        ("crossbar(hosts=64)", 1, 64),
        ("star(hosts=64,capacity=16 Gb/s)", 1, 64),
        (
            "dragonfly(groups=9,routers=4,hosts=2,global=2)",
            36,
            72 + 9 * 6 + 36,
        ),
        ("chassis(cards=2,chips=2,hosts=24)", 1, 96),
    ] {
        let (hosts, ports, count) = pieces(text);
        assert_eq!((ports.len(), count), (switches, cables), "{text}");
        let ports = ports.iter().sum::<u32>() as usize;
        let at_hosts = if text.starts_with("xgft(down=4x4x3") {
            2 * hosts
        } else {
            hosts
        };
        assert_eq!(ports + at_hosts as usize, 2 * count, "{text}");
    }
}

#[test]
fn hosts_that_pass_on_what_others_send_have_their_cables_in_one_interface() {
    for (text, cables, of_interface) in [
        ("torus(dims=8x8x4)", 3 * 256, 6),
        ("torus(dims=2x4)", 4 + 8, 3),
        ("hypercube(dims=10)", 5 * 1024, 10),
        ("hypercube(hosts=64)", 3 * 64, 6),
        ("torus(hosts=256)", 3 * 256, 6),
    ] {
        let wiring = build(text).unwrap().wiring().unwrap();
        assert_eq!(wiring.cables.len(), cables, "{text}");
        assert_eq!(wiring.cables_per_interface, of_interface, "{text}");
        let hosts: Vec<_> = wiring.cables.iter().flatten().collect();
        let each = |host: u32| hosts.iter().filter(|end| ***end == host).count() as u32;
        assert!(
            (0..wiring.hosts).all(|host| each(host) == of_interface),
            "{text}"
        );
    }
}

/// What leads to switches without hosts is not there; what is there routes as in the whole network.
#[test]
fn some_places_may_stay_empty() {
    for (text, part, switches, cables) in [
        (
            "fat-tree(k=4)",
            "fat-tree(k=4,hosts=5)",
            3 + 4 + 4,
            5 + 3 * 2 + 2 * 4,
        ),
        (
            "clos(leaves=4,spines=2,hosts=8)",
            "clos(leaves=4,spines=2,hosts=8,total=17)",
            5,
            17 + 6,
        ),
        (
            "stacked(switches=4,hosts=24)",
            "stacked(switches=4,hosts=24,total=50)",
            3,
            50 + 2,
        ),
        (
            "chassis(cards=4,chips=2,hosts=4)",
            "chassis(cards=4,chips=2,hosts=4,total=9)",
            1,
            9,
        ),
        (
            "dragonfly(groups=9,routers=4,hosts=2,global=2)",
            "dragonfly(groups=9,routers=4,hosts=2,global=2,total=17)",
            3 * 4,
            17 + 3 * 6 + 3,
        ),
    ] {
        let (hosts, ports, count) = pieces(part);
        assert_eq!((ports.len(), count), (switches, cables), "{part}");
        let (whole, some) = (build(text).unwrap(), build(part).unwrap());
        for (src, dst) in [(0, 1), (0, hosts as usize - 1), (hosts as usize - 1, 2)] {
            let names = |network: &dyn Network| -> Vec<String> {
                let crossed = route(network, src, dst);
                let name = |at: &u32| network.constraint_name(*at as usize);
                crossed.iter().map(name).collect()
            };
            assert_eq!(names(whole.as_ref()), names(some.as_ref()), "{part}");
        }
    }
}

#[test]
fn hosts_beyond_the_places_are_refused() {
    let refused = |text: &str| build(text).unwrap_err();
    assert!(refused("fat-tree(k=4,hosts=17)").contains("there is room for 16"));
    assert!(refused("fat-tree(k=4,hosts=-3)").contains("must be a whole number"));
    assert!(refused("torus(dims=4x4,hosts=15)").contains("these dims have 16 places"));
    assert!(refused("torus(hosts=15)").contains("no product of three sizes"));
    assert!(refused("hypercube(hosts=12)").contains("must be a power of two"));
    assert!(refused("fat-tree(k=1024)").contains("are simulated"));
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

/// Phase k of an all-to-all sends all of a group to one other: with minimal routing over the one link between the two.
/// By way of groups that a hash chooses they go over all links of their group.
#[test]
fn valiant_spreads_what_goes_to_one_group_over_the_links_to_all() {
    let text = "dragonfly(groups=9,routers=4,hosts=2,global=2";
    let links = |routing: &str| {
        let network = build(&format!("{text},routing={routing})")).unwrap();
        assert_eq!(network.routing(), routing);
        let mut used = HashSet::new();
        for src in 0..8 {
            let crossed = route(network.as_ref(), src, src + 8);
            let names = crossed
                .iter()
                .map(|at| network.constraint_name(*at as usize));
            let global: Vec<_> = names.filter(|name| name.contains("to group")).collect();
            assert!(global[0].starts_with("group 1 to"), "{global:?}");
            assert!(
                global[global.len() - 1].ends_with("to group 2"),
                "{global:?}"
            );
            assert_eq!(global.len(), if routing == "minimal" { 1 } else { 2 });
            used.insert(global[0].clone());
        }
        used
    };
    assert_eq!(links("minimal").len(), 1);
    let detours = links("valiant");
    assert!(
        detours.len() > 3 && !detours.contains("group 1 to group 2"),
        "{detours:?}"
    );
}

/// Groups that are not there are no way, and two groups have none between them.
#[test]
fn valiant_goes_by_groups_that_are_there() {
    for (total, most) in [(16, 1), (24, 2)] {
        let text =
            format!("dragonfly(groups=9,routers=4,hosts=2,global=2,routing=valiant,total={total})");
        let network = build(&text).unwrap();
        for dst in 8..total {
            let crossed = route(network.as_ref(), 0, dst);
            let names: Vec<_> = crossed
                .iter()
                .map(|at| network.constraint_name(*at as usize))
                .collect();
            let global = names
                .iter()
                .filter(|name| name.contains("to group"))
                .count();
            assert_eq!(global, most, "{names:?}");
            assert!(
                names.iter().all(|name| !name.contains("group 4")),
                "{names:?}"
            );
        }
    }
}

#[test]
fn cables_have_the_rates_of_their_links() {
    let rates = |text: &str| -> HashSet<u64> {
        build(text)
            .unwrap()
            .wiring()
            .unwrap()
            .rates
            .into_iter()
            .collect()
    };
    assert_eq!(
        rates("clos(leaves=2,spines=2,hosts=2,rate=25 Gb/s)"),
        HashSet::from([25_000_000_000])
    );
    let mixed = "rail(units=2,hosts=2,rails=1,spines=1,rate=25 Gb/s,uplink=100 Gb/s)";
    assert_eq!(
        rates(mixed),
        HashSet::from([25_000_000_000, 100_000_000_000])
    );
}
