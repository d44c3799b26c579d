//! Fabrics whose switches form loops: paths with as few links as possible.

use std::collections::HashSet;
use std::path::Path;

use weft_fabric::load;
use weft_netsim::network::{Flow, Network, of_fabric};

const RING: &str = r#"
name = "ring"
[[hosts]]
ids = "n[1-8]"
attach = "s[1-4]"
per_switch = 2
link = { rate = "1 Gb/s" }
[[switches]]
ids = "s[1-4]"
[[links]]
between = ["s[1-4]", "s[2,3,4,1]"]
rate = "1 Gb/s"
"#;

fn with_routing(text: &str, routing: &str) -> Box<dyn Network> {
    let fabric = load(&format!("{routing}\n{text}"), "f.toml", 1.0).unwrap();
    of_fabric(&fabric).unwrap()
}

fn names(network: &dyn Network, src: usize, dst: usize) -> Vec<String> {
    names_of(network, Flow::between(src, dst))
}

fn names_of(network: &dyn Network, flow: Flow) -> Vec<String> {
    let mut route = Vec::new();
    network.path(flow, &mut route).expect("there is a way");
    let name = |at: &u32| network.constraint_name(*at as usize);
    route.iter().map(name).collect()
}

/// What connections of some ports from the first host to the third cross at a place of their way.
fn crossed(
    network: &dyn Network,
    in_network: u32,
    place: usize,
    ports: impl Iterator<Item = u16>,
) -> HashSet<String> {
    let of = |port| Flow {
        network: in_network,
        port,
        ..Flow::between(0, 2)
    };
    let names = ports.map(|port| names_of(network, of(port)).swap_remove(place));
    names.collect()
}

fn catalogued(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog/fabrics");
    std::fs::read_to_string(root.join(format!("{name}.toml"))).unwrap()
}

#[test]
fn a_path_round_a_ring_is_the_shorter_one() {
    let ring = with_routing(RING, "routing = \"shortest\"");
    assert_eq!(names(ring.as_ref(), 0, 2), ["n1 out", "s1 to s2", "n3 in"]);
    assert_eq!(names(ring.as_ref(), 0, 6), ["n1 out", "s1 to s4", "n7 in"]);
    assert_eq!(names(ring.as_ref(), 0, 1), ["n1 out", "n2 in"]);
    let across = names(ring.as_ref(), 0, 4);
    assert_eq!(across, ["n1 out", "s1 to s2", "s2 to s3", "n5 in"]);
    assert_eq!(
        across,
        names(with_routing(RING, "routing = \"shortest\"").as_ref(), 0, 4)
    );
}

#[test]
fn a_hash_takes_all_of_the_shortest_paths_and_the_same_for_a_seed() {
    let across = |seed: u32| -> Vec<Vec<String>> {
        let ring = with_routing(RING, &format!("routing = \"hash\"\nrouting_seed = {seed}"));
        (0..8)
            .map(|src| names(ring.as_ref(), src, (src + 4) % 8))
            .collect()
    };
    assert_eq!(across(7), across(7));
    let seconds: HashSet<String> = (0..20).map(|seed| across(seed)[0][1].clone()).collect();
    assert_eq!(
        seconds,
        HashSet::from(["s1 to s2".into(), "s1 to s4".into()])
    );
}

#[test]
fn parallel_cables_are_constraints_of_their_own() {
    let text = RING.replace(
        "[2,3,4,1]\"]",
        "[2,3,4,1]\"]\nrate = \"2 Gb/s\"\n[[links]]\nbetween = [\"s1\", \"s2\"]",
    );
    let ring = with_routing(&text, "routing = \"hash\"");
    let used: HashSet<String> = (0..2)
        .flat_map(|src| (2..4).map(move |dst| (src, dst)))
        .map(|(src, dst)| names(ring.as_ref(), src, dst)[1].clone())
        .collect();
    assert!(
        used.iter().all(|name| name.starts_with("s1 to s2")),
        "{used:?}"
    );
    let count = ring.capacities().len();
    let named: HashSet<_> = (0..count).map(|at| ring.constraint_name(at)).collect();
    assert_eq!(named.len(), count);
    assert!(named.contains("s1 to s2 (2)"), "{named:?}");
}

#[test]
fn on_a_tree_all_paths_are_those_of_the_tree() {
    for name in [
        "two-racks",
        "xibalba-maintenance",
        "fat-tree-16",
        "bad-cable",
    ] {
        let text = catalogued(name);
        let (tree, meshed) = (
            with_routing(&text, ""),
            with_routing(&text, "routing = \"shortest\""),
        );
        for (src, dst) in (0..tree.hosts()).flat_map(|s| [(s, 0), (0, s), (s, tree.hosts() - 1)]) {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            let paths = [
                tree.path(Flow::between(src, dst), &mut one),
                meshed.path(Flow::between(src, dst), &mut other),
            ];
            assert_eq!(paths[0], paths[1], "{name} {src} {dst}");
            let rates = |network: &dyn Network, route: &[u32]| -> Vec<f64> {
                route
                    .iter()
                    .map(|at| network.capacities()[*at as usize])
                    .collect()
            };
            assert_eq!(
                rates(tree.as_ref(), &one),
                rates(meshed.as_ref(), &other),
                "{name}"
            );
        }
    }
}

#[test]
fn what_a_switch_passes_is_one_constraint() {
    let text = RING.replace(
        "ids = \"s[1-4]\"\n[[links]]",
        "ids = \"s[1-4]\"\ncapacity = \"3 Gb/s\"\n[[links]]",
    );
    let ring = with_routing(&text, "routing = \"shortest\"");
    let expected = ["n1 out", "through s1", "s1 to s2", "through s2", "n3 in"];
    assert_eq!(names(ring.as_ref(), 0, 2), expected);
}

#[test]
fn islands_have_no_path_between_them() {
    let text = RING.replace(
        "between = [\"s[1-4]\", \"s[2,3,4,1]\"]",
        "between = [\"s[1,3]\", \"s[2,4]\"]",
    );
    let islands = with_routing(&text, "routing = \"shortest\"");
    assert!(islands.path(Flow::between(0, 2), &mut Vec::new()).is_some());
    assert_eq!(islands.path(Flow::between(0, 4), &mut Vec::new()), None);
}

#[test]
fn what_cannot_be_is_refused() {
    let refusal = |text: &str| {
        let fabric = load(text, "f.toml", 1.0).map_err(|error| error.to_string());
        fabric
            .and_then(|one| of_fabric(&one))
            .map(|_| ())
            .unwrap_err()
    };
    for (routing, expected) in [
        (
            "",
            "closes a loop; where there are several ways, the fabric must say which is taken",
        ),
        (
            "routing = \"ospf\"",
            "must be \"tree\", \"shortest\" or \"hash\"",
        ),
        (
            "routing = \"shortest\"\nrouting_seed = 3",
            "routing_seed = 3: belongs to routing = \"hash\"",
        ),
        (
            "routing = \"shortest\"\nrouting_unit = \"packet\"",
            "routing_unit = \"packet\": belongs to routing = \"hash\"",
        ),
        (
            "routing = \"hash\"\nrouting_unit = \"byte\"",
            "must be \"flow\", \"flowlet\" or \"packet\"",
        ),
        (
            "routing = \"hash\"\nrouting_gap = \"1 ms\"",
            "belongs to routing_unit = \"flowlet\"",
        ),
        (
            "routing = \"hash\"\nrouting_fields = \"vlan\"",
            "must be \"five-tuple\" or \"addresses\"",
        ),
        (
            "routing = \"hash\"\nrouting_seed = -3",
            "routing_seed = -3: must be a whole number from 0",
        ),
    ] {
        let why = refusal(&format!("{routing}\n{RING}"));
        assert!(why.contains(expected), "{why}");
    }
    let two = RING.replace(
        "rate = \"1 Gb/s\"\n",
        "rate = \"1 Gb/s\"\n[[links]]\nbetween = [\"n1\", \"s2\"]\n",
    );
    let why = refusal(&format!("routing = \"shortest\"\n{two}"));
    assert!(why.contains("n1"), "{why}");
}

/// Two leaves and four spines, and behind each spine nothing to choose.
const LEAF_SPINE: &str = r#"
name = "leaf-spine"
[[hosts]]
ids = "n[1-4]"
attach = "leaf[1-2]"
per_switch = 2
link = { rate = "1 Gb/s" }
[[switches]]
ids = "leaf[1-2],spine[1-4]"
[[links]]
between = ["leaf1", "spine[1-4]"]
rate = "1 Gb/s"
[[links]]
between = ["leaf2", "spine[1-4]"]
rate = "1 Gb/s"
"#;

#[test]
fn ports_choose_the_path_of_a_connection_unless_the_hash_ignores_them() {
    let ports = || 40_000..40_064;
    let hashed = with_routing(LEAF_SPINE, "routing = \"hash\"");
    assert_eq!(crossed(hashed.as_ref(), 0, 1, ports()).len(), 4);
    let again = with_routing(LEAF_SPINE, "routing = \"hash\"");
    for port in ports() {
        let one = |network: &dyn Network| crossed(network, 0, 1, port..port + 1);
        assert_eq!(one(hashed.as_ref()), one(again.as_ref()));
    }
    let keys = "routing = \"hash\"\nrouting_fields = \"addresses\"";
    let blind = with_routing(LEAF_SPINE, keys);
    assert_eq!(crossed(blind.as_ref(), 0, 1, ports()).len(), 1);
    assert!(hashed.hashes_ports() && !blind.hashes_ports());
}

/// Two levels of two choices each.
const THREE_TIER: &str = r#"
name = "three-tier"
[[hosts]]
ids = "n[1-4]"
attach = "leaf[1-2]"
per_switch = 2
[[switches]]
ids = "leaf[1-2],a[1-4],core[1-4]"
[[links]]
between = ["leaf1", "a[1-2]"]
[[links]]
between = ["leaf2", "a[3-4]"]
[[links]]
between = ["a[1,3]", "core[1]"]
[[links]]
between = ["a[1,3]", "core[2]"]
[[links]]
between = ["a[2,4]", "core[3]"]
[[links]]
between = ["a[2,4]", "core[4]"]
"#;

#[test]
fn where_switches_hash_alike_the_second_choice_is_the_first_again() {
    let cores = |keys: &str| -> HashSet<String> {
        let network = with_routing(THREE_TIER, &format!("routing = \"hash\"\n{keys}"));
        crossed(network.as_ref(), 0, 2, 40_000..40_064)
    };
    assert_eq!(cores("").len(), 4);
    assert_eq!(cores("routing_polarised = true").len(), 2);
}

#[test]
fn each_network_has_paths_of_its_own_and_links_in_parallel_are_counted() {
    let second = "[[attachments]]\nhosts = \"n[1-4]\"\nattach = \"t[1-2]\"\nper_switch = 2\n\
                  [[switches]]\nids = \"t[1-2]\"\n[[links]]\nbetween = [\"t1\", \"t2\"]\ncount = 3\n";
    let text = format!("{LEAF_SPINE}{second}");
    let network = with_routing(&text, "routing = \"hash\"");
    let used = crossed(network.as_ref(), 1, 1, 40_000..40_064);
    let expected = ["t1 to t2", "t1 to t2 (2)", "t1 to t2 (3)"];
    assert_eq!(used, expected.map(str::to_owned).into_iter().collect());
}
