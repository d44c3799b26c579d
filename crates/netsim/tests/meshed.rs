//! Fabrics whose switches form loops: paths with as few links as possible.

use std::collections::HashSet;
use std::path::Path;

use weft_fabric::load;
use weft_netsim::network::{Network, of_fabric};

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
    let mut route = Vec::new();
    network
        .path(src, dst, 0, &mut route)
        .expect("there is a way");
    let name = |at: &u32| network.constraint_name(*at as usize);
    route.iter().map(name).collect()
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
                tree.path(src, dst, 0, &mut one),
                meshed.path(src, dst, 0, &mut other),
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
    assert!(islands.path(0, 2, 0, &mut Vec::new()).is_some());
    assert_eq!(islands.path(0, 4, 0, &mut Vec::new()), None);
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
            "closes a loop; there must be one way only, but in a simulation of a fabric with routing",
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
