//! What is inside of a fabric: implied switches, further networks, overrides and single slow routes.

use weft_fabric::{BitRate, Fabric, Link, Nanoseconds, load};

const RACKS: &str = r#"
name = "racks"
[[hosts]]
ids = "n[1-8]"
attach = "rack[1-2]"
per_switch = 4
link = { rate = "100 Mb/s", delay = "5 us" }
[[links]]
between = ["rack[1-2]", "core"]
rate = "200 Mb/s"
"#;

const SECOND: &str = r#"
[[attachments]]
hosts = "n[1-8]"
attach = "slow[1-2]"
per_switch = 4
link = { rate = "10 Mb/s" }
[[links]]
between = ["slow1", "slow2"]
rate = "20 Mb/s"
"#;

fn fabric(text: &str) -> Fabric {
    load(text, "test.toml", 0.1).unwrap()
}

fn refusal(text: &str) -> String {
    load(text, "test.toml", 1.0).unwrap_err().to_string()
}

fn links<'a>(fabric: &'a Fabric, node: &'a str) -> Vec<&'a Link> {
    fabric
        .links
        .iter()
        .filter(|link| link.joins(node))
        .collect()
}

fn rates(link: &Link) -> [u64; 2] {
    [link.forward, link.backward]
        .map(|direction| direction.rate_bits_per_s.map_or(0, |rate| rate.0))
}

#[test]
fn nodes_that_only_links_name_are_switches_without_limits() {
    let fabric = fabric(RACKS);
    let names: Vec<_> = fabric.switches.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["rack1", "core", "rack2"]);
    let unlimited = fabric
        .switches
        .iter()
        .all(|s| s.capacity_bits_per_s.is_none());
    assert!(unlimited);
    assert_eq!(links(&fabric, "n4")[0].ends[1], "rack1");
    assert_eq!(links(&fabric, "n5")[0].ends[1], "rack2");
}

#[test]
fn a_slip_of_the_finger_is_no_switch() {
    let message = refusal(&RACKS.replace("[\"rack[1-2]\", \"core\"]", "[\"rack[1-3]\", \"core\"]"));
    assert!(
        message.contains(
            "test.toml:9: links[0].between = [\"rack[1-3]\", \"core\"]: unknown node \"rack3\""
        ),
        "{message}"
    );
    assert!(message.contains("it would join only core"), "{message}");
    let message = refusal(&RACKS.replace("attach = \"rack[1-2]\"", "attach = \"rakc[1-2]\""));
    assert!(
        message.contains("unknown switch \"rakc1\"; the switches are rack1"),
        "{message}"
    );
}

#[test]
fn hosts_of_an_entry_are_spread_evenly_and_no_port_is_used_twice() {
    let ports = "[[switches]]\nids = \"rack[1-2]\"\nports = 3";
    assert!(refusal(&format!("{RACKS}{ports}")).contains("no port left for \"n7\""));
    assert!(refusal(&RACKS.replace("per_switch = 4", "per_switch = 3")).contains("\"n7\""));
    assert!(refusal(&RACKS.replace("per_switch = 4", "")).contains("or this entry per_switch"));
}

#[test]
fn an_attachment_is_a_second_network() {
    let fabric = fabric(&format!("{RACKS}{SECOND}"));
    let of_host: Vec<_> = links(&fabric, "n5")
        .iter()
        .map(|link| link.network)
        .collect();
    assert_eq!(of_host, [0, 1]);
    let trunk = links(&fabric, "slow1")
        .into_iter()
        .find(|link| link.ends[1] == "slow2")
        .unwrap();
    assert_eq!((trunk.network, rates(trunk)), (1, [2_000_000; 2]));
    assert_eq!(links(&fabric, "core")[0].network, 0);
}

#[test]
fn networks_do_not_share_switches() {
    let shared = format!("{RACKS}{SECOND}[[links]]\nbetween = [\"slow1\", \"core\"]");
    let message = refusal(&shared);
    assert!(
        message.contains("belongs to network 1 and to network 2"),
        "{message}"
    );
    let stranger = SECOND.replace("n[1-8]", "n[1-9]");
    assert!(refusal(&format!("{RACKS}{stranger}")).contains("unknown host \"n9\""));
}

#[test]
fn an_override_changes_only_what_it_names() {
    let slow = "[[overrides]]\nids = \"n[6-7]\"\nlink = { rate = \"10 Mb/s\" }";
    let fabric_with = |text: &str| fabric(&format!("{RACKS}{SECOND}{text}"));
    let changed = fabric_with(slow);
    assert_eq!(rates(links(&changed, "n7")[0]), [1_000_000; 2]);
    assert_eq!(
        links(&changed, "n7")[0].forward.delay_ns,
        Nanoseconds(5_000)
    );
    assert_eq!(
        rates(links(&changed, "n7")[1]),
        [1_000_000; 2],
        "10 Mb/s at scale 0.1"
    );
    assert_eq!(rates(links(&changed, "n5")[0]), [10_000_000; 2]);
    let back =
        fabric_with("[[overrides]]\nids = \"n1\"\nlink = { rate_back = \"1 Mb/s\" }\nnetwork = 2");
    assert_eq!(rates(links(&back, "n1")[0]), [10_000_000; 2]);
    assert_eq!(rates(links(&back, "n1")[1]), [1_000_000, 100_000]);
    let dead = fabric_with("[[overrides]]\nids = \"n2\"\ndead = true");
    let state: Vec<_> = ["n1", "n2"].map(|host| links(&dead, host)[0].dead).into();
    assert_eq!(state, [false, true]);
}

#[test]
fn an_overridden_cable_is_seen_from_its_host() {
    let pair = "name = \"p\"\n[[hosts]]\nids = \"n[1-2]\"\n[[links]]\nbetween = [\"n1\", \"n2\"]\n\
                rate = \"100 Mb/s\"\n[[overrides]]\nids = \"n2\"\n\
                link = { rate = \"10 Mb/s\", rate_back = \"100 Mb/s\" }";
    assert_eq!(rates(&fabric(pair).links[0]), [10_000_000, 1_000_000]);
}

#[test]
fn overrides_that_cannot_be_meant_are_refused() {
    let with = |text: &str| refusal(&format!("{RACKS}[[overrides]]\n{text}"));
    assert!(
        with("ids = \"n9\"\ndead = true")
            .contains("overrides[0].ids = \"n9\": unknown host \"n9\"")
    );
    assert!(with("ids = \"rack1\"\ndead = true").contains("unknown host \"rack1\""));
    assert!(with("ids = \"n1\"").contains("changes nothing"));
    assert!(with("ids = \"n1\"\ndead = 1").contains("dead = 1: must be true or false"));
    assert!(with("ids = \"n1\"\ndead = true\nnetwork = 2").contains("no link in network 2"));
    assert!(
        with("ids = \"n1\"\nlink = { rat = \"1 Mb/s\" }")
            .contains("link.rat = \"1 Mb/s\": unknown key, did you mean \"rate\"?")
    );
}

#[test]
fn a_path_is_one_way() {
    let path = "[[paths]]\nfrom = \"n3\"\nto = \"n[7-8]\"\nrate = \"20 Mb/s\"\ndelay = \"1 ms\"";
    let found = fabric(&format!("{RACKS}{path}"));
    let ends: Vec<_> = found
        .paths
        .iter()
        .map(|p| (p.from.as_str(), p.to.as_str()))
        .collect();
    assert_eq!(ends, [("n3", "n7"), ("n3", "n8")]);
    assert_eq!(
        found.paths[0].direction.rate_bits_per_s,
        Some(BitRate(2_000_000))
    );
    assert_eq!(found.paths[0].direction.delay_ns, Nanoseconds(1_000_000));
    for (old, new, said) in [
        (
            "from = \"n3\"",
            "from = \"n0\"",
            "paths[0].from = \"n0\": unknown host \"n0\"",
        ),
        ("to = \"n[7-8]\"", "to = \"n3\"", "\"n3\" sends to itself"),
        ("rate = \"20 Mb/s\"\ndelay = \"1 ms\"", "", "limits nothing"),
        ("\"n3\"", "\"n[1-3]\"", "3 nodes cannot be paired with 2"),
    ] {
        let message = refusal(&format!("{RACKS}{}", path.replace(old, new)));
        assert!(message.contains(said), "{message}");
    }
}
