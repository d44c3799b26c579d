//! Fabric descriptions as users write them, right and wrong.

use weft_fabric::weather::{Again, Change, Heading, load_weather};
use weft_fabric::{BitRate, Fabric, Nanoseconds, load};

const PAIR: &str = r#"
name = "two"
[[hosts]]
ids = "n[1-2]"
[[links]]
between = ["n1", "n2"]
rate = "100 Mb/s"
delay = "20 us"
"#;

const XIBALBA: &str = r#"
name = "xibalba"
[[hosts]]
ids = "n[1-64]"
link = { rate = "100 Mb/s", delay = "20 us" }
attach = "module[1-2]/asic[1-2]"
[[switches]]
ids = "module[1-2]/asic[1-2]"
ports = 24
capacity = "1600 Mb/s"
[[switches]]
ids = "backplane"
[[links]]
between = ["module[1-2]", "backplane"]
rate = "800 Mb/s"
"#;

fn refusal(text: &str) -> String {
    load(text, "test.toml", 1.0).unwrap_err().to_string()
}

fn refusal_of(old: &str, new: &str) -> String {
    assert!(PAIR.contains(old));
    refusal(&PAIR.replace(old, new))
}

#[test]
fn a_pair_has_both_directions_and_the_defaults() {
    let fabric = load(PAIR, "test.toml", 1.0).unwrap();
    let link = &fabric.links[0];
    assert_eq!(link.ends, ["n1", "n2"]);
    assert_eq!(link.forward.rate_bits_per_s, Some(BitRate(100_000_000)));
    assert_eq!(link.forward, link.backward);
    assert_eq!(link.forward.delay_ns, Nanoseconds(20_000));
    assert_eq!((link.mtu_bytes, link.queue_frames), (1500, 1000));
}

#[test]
fn the_path_back_may_differ() {
    let text = PAIR.replace("delay", "rate_back = \"10 Mb/s\"\ndelay");
    let link = load(&text, "test.toml", 1.0).unwrap().links.remove(0);
    assert_eq!(link.forward.rate_bits_per_s, Some(BitRate(100_000_000)));
    assert_eq!(link.backward.rate_bits_per_s, Some(BitRate(10_000_000)));
    assert_eq!(link.backward.delay_ns, Nanoseconds(20_000));
}

#[test]
fn scale_multiplies_rates_and_leaves_delays() {
    let fabric = load(XIBALBA, "test.toml", 0.1).unwrap();
    let link = &fabric.links[0];
    assert_eq!(link.forward.rate_bits_per_s, Some(BitRate(10_000_000)));
    assert_eq!(link.forward.delay_ns, Nanoseconds(20_000));
    assert_eq!(
        fabric.switches[0].capacity_bits_per_s,
        Some(BitRate(160_000_000))
    );
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(load(PAIR, "test.toml", wrong).is_err());
    }
}

#[test]
fn hosts_fill_the_switches_in_order() {
    let fabric = load(XIBALBA, "test.toml", 1.0).unwrap();
    assert_eq!(fabric.hosts.len(), 64);
    assert_eq!(fabric.switches[0].parent.as_deref(), Some("module1"));
    let links_of = |node| fabric.links.iter().filter(move |link| link.joins(node));
    let switch_of = |host| links_of(host).next().unwrap().ends[1].clone();
    assert_eq!(switch_of("n24"), "module1/asic1");
    assert_eq!(switch_of("n25"), "module1/asic2");
    assert_eq!(switch_of("n64"), "module2/asic1");
    let trunks: Vec<_> = links_of("backplane").map(|l| l.ends[0].as_str()).collect();
    assert_eq!(trunks, ["module1", "module2"]);
}

#[test]
fn survives_json() {
    let fabric = load(XIBALBA, "test.toml", 1.0).unwrap();
    let json = serde_json::to_string(&fabric).unwrap();
    assert_eq!(serde_json::from_str::<Fabric>(&json).unwrap(), fabric);
}

#[test]
fn a_missing_unit_is_located() {
    let message = refusal_of("\"100 Mb/s\"", "\"100\"");
    assert!(
        message.starts_with("test.toml:7: links[0].rate = \"100\": a rate needs a unit"),
        "{message}"
    );
    let message = refusal_of("\"20 us\"", "20");
    assert!(
        message.contains("delay = 20: a time needs a unit (ns, us, ms, s, min, h, d, w), such as"),
        "{message}"
    );
}

#[test]
fn an_unknown_node_is_named_with_the_known_ones() {
    let message = refusal_of("[\"n1\", \"n2\"]", "[\"n1\", \"n3\"]");
    let expected = "test.toml:6: links[0].between = [\"n1\", \"n3\"]: unknown node \"n3\"; the nodes are n1, n2 \
                    (as a switch it would join only n1)";
    assert_eq!(message, expected);
}

#[test]
fn an_unknown_key_is_named_with_the_known_ones() {
    let message = refusal_of("delay", "dealy");
    assert!(
        message.contains("unknown key, did you mean \"delay\"?; known here: "),
        "{message}"
    );
    let message = refusal_of("[[hosts]]\nids", "[[hosts]]\nid");
    assert!(message.contains("hosts[0].ids: missing"), "{message}");
    assert!(refusal(&format!("colour = 1\n{PAIR}")).contains("colour = 1: unknown key"));
}

#[test]
fn impossible_structures_are_refused() {
    assert!(refusal_of("[\"n1\", \"n2\"]", "[\"n1\"]").contains("two ends"));
    assert!(refusal_of("[\"n1\", \"n2\"]", "[\"n1\", \"n1\"]").contains("itself"));
    assert!(refusal_of("[\"n1\", \"n2\"]", "[\"n[1-2]\", \"n[1-3]\"]").contains("paired"));
    assert!(refusal_of("n[1-2]", "n1,n1").contains("\"n1\" appears twice"));
    assert!(refusal(&XIBALBA.replace("ports = 24", "ports = 15")).contains("no port left"));
    assert!(refusal(&XIBALBA.replace("ports = 24", "")).contains("number of ports"));
    assert!(refusal("name = \"empty\"").contains("no hosts"));
    assert!(refusal("name = ").contains("not TOML"));
}

#[test]
fn the_catalogue_is_right() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../catalog/fabrics");
    let entries = std::fs::read_dir(folder).unwrap();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let fabric = load(&text, &path.to_string_lossy(), 1.0).unwrap();
        assert_eq!(
            Some(fabric.name.as_str()),
            path.file_stem().and_then(|s| s.to_str())
        );
    }
}

#[test]
fn a_capacity_may_depend_on_how_many_ports_contend() {
    let table = "capacity = { 24 = \"1600 Mb/s\", 8 = \"800 Mb/s\" }";
    let text = XIBALBA.replace("capacity = \"1600 Mb/s\"", table);
    let switch = load(&text, "test.toml", 0.5).unwrap().switches.remove(0);
    assert_eq!(switch.capacity_bits_per_s, Some(BitRate(800_000_000)));
    let by_ports = switch.capacity_by_ports.unwrap();
    let found = [1, 8, 12, 24, 99].map(|ports| by_ports.at(ports) / 1e6);
    assert_eq!(found, [400.0, 400.0, 500.0, 800.0, 800.0]);
    for (wrong, right) in [
        ("{ few = \"1 Mb/s\" }", "must be a number of ports"),
        ("{ 0 = \"1 Mb/s\" }", "must be a number of ports"),
        ("{ 8 = \"1 Mb/s\", 08 = \"1 Mb/s\" }", "there twice"),
        ("{ 8 = 100 }", "needs a unit"),
        ("{ }", "says nothing"),
    ] {
        let text = XIBALBA.replace("\"1600 Mb/s\"", wrong);
        assert!(
            refusal(&text).contains(right),
            "{wrong}: {}",
            refusal(&text)
        );
    }
}

#[test]
fn links_and_paths_may_lose_frames() {
    let path = "[[paths]]\nfrom = \"n1\"\nto = \"n2\"\ndrops_above_bytes = 1400";
    let lossy = PAIR.replace("delay", "loss = \"0.25 %\"\ndelay");
    let fabric = load(&format!("{lossy}{path}"), "test.toml", 1.0).unwrap();
    let link = &fabric.links[0];
    assert_eq!([link.forward.loss_ppm, link.backward.loss_ppm], [2500; 2]);
    assert_eq!(fabric.paths[0].direction.drops_above_bytes, Some(1400));
    assert_eq!(fabric.paths[0].direction.loss_ppm, 0);
    let of = |value| refusal(&PAIR.replace("delay", &format!("loss = {value}\ndelay")));
    assert!(of("\"100 %\"").contains("dead = true"));
    assert!(of("0.1").contains("needs a unit (%, ppm)"));
    assert!(refusal_of("rate", "drops_above_bytes = 100\nrate").contains("576"));
}

const STORM: &str = r#"
weather_speed = 60
[[weather]]
ids = "n[1-2]"
loss = "5 %"
blocks = ["icmp", "tcp/22"]
direction = "in"
mean_between = "2 min"
for = ["5 s", "30 s"]
seed = 7
[[weather]]
name = "noon"
between = ["n2", "n1"]
rate = "20 Mb/s"
at = "12 h"
for = "1 h"
repeat = "1 d"
"#;

#[test]
fn weather_says_what_changes_where_and_when() {
    let events = STORM.replace("weather_speed = 60", PAIR);
    let fabric = load(&format!("weather_speed = 60{events}"), "test.toml", 0.5).unwrap();
    let [loss, noon] = &fabric.weather.events[..] else {
        panic!("{:?}", fabric.weather)
    };
    assert_eq!(fabric.weather.speed, 60.0);
    assert_eq!(
        (loss.name.as_str(), noon.name.as_str()),
        ("loss+blocks", "noon")
    );
    assert_eq!(
        (&loss.ids[..], loss.direction),
        (&["n1".into(), "n2".into()][..], Heading::In)
    );
    assert_eq!(
        (loss.change.loss_ppm, loss.change.blocks.len()),
        (Some(50_000), 2)
    );
    let mean_ns = 120_000_000_000;
    assert_eq!(
        (loss.times.again, loss.times.seed),
        (Again::Random { mean_ns }, 7)
    );
    assert_eq!(loss.times.for_ns, Some([5_000_000_000, 30_000_000_000]));
    assert_eq!(noon.between, [["n2".to_owned(), "n1".to_owned()]]);
    let rate_bits_per_s = Some(BitRate(10_000_000));
    assert_eq!(
        noon.change,
        Change {
            rate_bits_per_s,
            ..Change::default()
        }
    );
    assert_eq!(load_weather(STORM, "s", &fabric), Ok(fabric.weather));
}

#[test]
fn wrong_weather_is_refused_with_what_would_be_right() {
    let fabric = load(PAIR, "test.toml", 1.0).unwrap();
    for (event, right) in [
        ("dead = true", "ids = \"n7\""),
        ("ids = \"n3\"\ndead = true", "the hosts are n1, n2"),
        (
            "ids = \"n1\"\nbetween = [\"n1\", \"n2\"]\ndead = true",
            "belongs to hosts",
        ),
        (
            "between = [\"n1\", \"x\"]\ndead = true",
            "the links are n1-n2",
        ),
        ("between = [\"n1\"]\ndead = true", "two ends"),
        ("between = [\"n1\", \"n2\"]\noff = true", "is for hosts"),
        (
            "ids = \"n1\"\ndirection = \"out\"\nunplugged = true",
            "no direction",
        ),
        ("ids = \"n1\"", "changes nothing"),
        ("ids = \"n1\"\nlos = \"5 %\"", "did you mean \"loss\"?"),
        ("ids = \"n1\"\nload = \"100 %\"", "at most"),
        ("ids = \"n1\"\nblocks = [\"ssh\"]", "not a kind of packets"),
        ("ids = \"n1\"\ndead = true\nfor = 30", "must be a time"),
        (
            "ids = \"n1\"\ndead = true\nfor = [\"9 s\", \"1 s\"]",
            "a shortest and a longest",
        ),
        (
            "ids = \"n1\"\ndead = true\nat = \"1 week\"",
            "ms, s, min, h, d",
        ),
        ("ids = \"n1\"\ndead = true\nrepeat = \"1 h\"", "must end"),
        (
            "ids = \"n1\"\ndead = true\nfor = \"1 h\"\nrepeat = \"1 h\"",
            "longer",
        ),
        (
            "ids = \"n1\"\ndead = true\nfor = \"1 s\"\nrepeat = \"1 h\"\nmean_between = \"1 h\"",
            "not both",
        ),
    ] {
        let text = format!("[[weather]]\n{event}");
        let said = load_weather(&text, "test.toml", &fabric)
            .unwrap_err()
            .to_string();
        assert!(said.contains(right), "{event}: {said}");
    }
    let none = load_weather("name = \"x\"", "test.toml", &fabric).unwrap_err();
    assert!(none.to_string().contains("no weather"), "{none}");
    let fast = format!("weather_speed = 0{PAIR}[[weather]]\nids = \"n1\"\ndead = true");
    assert!(refusal(&fast).contains("1440"));
}

const GUESTS: &str = r#"
name = "guests"
[[hosts]]
ids = "n[1-2]"
kind = "vm"
attach = "s1"
guest = { cpus = 2, nic = ["virtio", "e1000"], bond = { mode = "802.3ad", hash = "layer3+4", miimon_ms = 50 }, sysctl = { "net.ipv4.tcp_sack" = 0 } }
[[hosts]]
ids = "g[1-2]"
kind = "vm"
behind = "n[1-2]"
attach = "s1"
[[switches]]
ids = "s1"
"#;

#[test]
fn hosts_may_be_virtual_machines() {
    let fabric = load(GUESTS, "guests.toml", 1.0).unwrap();
    let guests: Vec<_> = fabric
        .hosts
        .iter()
        .map(|host| host.guest.clone().unwrap())
        .collect();
    assert_eq!(guests[1].nics, ["virtio", "e1000"]);
    assert_eq!(guests[1].bond.as_ref().unwrap().miimon_ms, Some(50));
    assert_eq!(guests[0].sysctl["net.ipv4.tcp_sack"], "0");
    assert_eq!(guests[3].behind.as_deref(), Some("n2"));
    let native = GUESTS.replace("behind = \"n[1-2]\"", "").replacen(
        "kind = \"vm\"\n\n",
        "kind = \"namespace\"\n",
        1,
    );
    let fabric = load(&native, "guests.toml", 1.0).unwrap();
    let namespaces: Vec<_> = fabric.hosts.iter().map(|host| host.namespace).collect();
    assert_eq!(namespaces, [false, false, true, true]);
    assert!(fabric.hosts[2].guest.is_none());
}

#[test]
fn wrong_keys_of_virtual_machines_are_named() {
    let cases = [
        ("behind = \"n[1-2]\"", "behind = \"g2\"", "behind none"),
        ("behind = \"n[1-2]\"", "behind = \"n9\"", "unknown host"),
        ("kind = \"vm\"\nbehind", "behind", "add kind = \"vm\""),
        ("cpus = 2", "cpu = 2", "cpus"),
        ("cpus = 2", "queues = 2", "one pair of queues"),
        (
            "kind = \"vm\"\nbehind",
            "kind = \"namespace\"\nbehind",
            "add kind = \"vm\"",
        ),
        ("cpus = 2", "memory = 64", "192"),
        ("cpus = 2", "bridge = true", "not two of them"),
        ("mode = \"802.3ad\"", "mod = \"802.3ad\"", "balance-rr"),
    ];
    for (right, wrong, said) in cases {
        let error = load(&GUESTS.replace(right, wrong), "guests.toml", 1.0).unwrap_err();
        assert!(error.to_string().contains(said), "{wrong}: {error}");
    }
}
