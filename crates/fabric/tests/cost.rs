//! Prices, racks and what has to be bought, right and wrong.

use weft_fabric::{Cost, Fabric, Per, Stand, Wiring, load, load_prices};

const PRICES: &str = r#"
title = "prices"
[layout]
hosts_per_rack = 16
slack = "1.5 m"
switches = "central"
[cost]
per_node = { value = 3300, currency = "USD", year = 2003, source = "offer" }
[[cost.fixed]]
name = "chassis"
count = 2
value = 9000
currency = "USD"
year = 2003
source = "offer"
[[cost.per_switch]]
ports = 24
value = -50
per_port = 20
currency = "USD"
year = 2003
source = "offer"
[[cost.per_cable]]
kind = "copper"
longest = "5 m"
value = 3
per_metre = 2.5
network = 2
currency = "USD"
year = 2003
source = "offer"
[cost.power]
watts_per_port = 2.5
years = 4
source = "data sheet"
per_kwh = { value = 0.2, currency = "USD", year = 2003, source = "contract" }
"#;

const CHASSIS: &str = r#"
name = "chassis"
[[hosts]]
ids = "n[1-10]"
attach = "card[1-2]/chip[1-2]"
[[switches]]
ids = "card[1-2]/chip[1-2]"
ports = 4
[[switches]]
ids = "upper"
[[links]]
between = ["card[1-2]", "backplane"]
inside = true
[[links]]
between = ["backplane", "upper"]
"#;

fn refused(old: &str, new: &str) -> String {
    assert!(PRICES.contains(old), "{old}");
    let text = PRICES.replacen(old, new, 1);
    load_prices(&text, "prices.toml").unwrap_err().to_string()
}

#[test]
fn prices_are_read_with_what_they_are_counted_by() {
    let file = load_prices(PRICES, "prices.toml").unwrap();
    let of = |per| file.cost.prices.iter().find(|one| one.per == per).unwrap();
    assert_eq!((of(Per::Fixed).count, of(Per::Fixed).value), (2, 9000.0));
    assert_eq!(
        (of(Per::Switch).value, of(Per::Switch).per_port),
        (-50.0, 20.0)
    );
    let cable = of(Per::Cable);
    assert_eq!((cable.longest_m, cable.per_metre), (Some(5.0), 2.5));
    assert_eq!((cable.network, cable.name.as_str()), (Some(1), "copper"));
    assert_eq!(file.cost.power.unwrap().watts_per_port, 2.5);
    let racks = file.layout.unwrap();
    assert_eq!((racks.slack_m, racks.switches), (1.5, Stand::Central));
}

#[test]
fn a_price_may_hold_up_to_a_rate() {
    let text = PRICES.replacen("longest = \"5 m\"", "rate = \"25 Gb/s\"", 1);
    let file = load_prices(&text, "prices.toml").unwrap();
    let rated = |one: &&weft_fabric::Price| one.rate_bits_per_s.is_some();
    let found: Vec<_> = file.cost.prices.iter().filter(rated).collect();
    let [cable] = found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(cable.per, Per::Cable);
    assert_eq!(
        cable.rate_bits_per_s.map(|rate| rate.0),
        Some(25_000_000_000)
    );
}

#[test]
fn what_is_missing_or_wrong_is_named_with_its_line() {
    for (old, new, said) in [
        (
            ", year = 2003, source = \"offer\"",
            ", source = \"offer\"",
            "cost.per_node.year",
        ),
        (", source = \"offer\"", "", "source = "),
        ("value = 3300, ", "", "value = 480"),
        (
            "value = 3300, currency = \"USD\"",
            "value = 3300",
            "currency = \"USD\"",
        ),
        ("\"USD\"", "\"dollars\"", "three capitals"),
        ("value = 3300", "value = -1", "must be a number from 0"),
        ("per_node", "per_nod", "did you mean \"per_node\"?"),
        ("kind = \"copper\"\n", "", "kind = \"copper\""),
        (
            "longest = \"5 m\"",
            "longest = 5",
            "needs a unit (mm, cm, m)",
        ),
        ("\"central\"", "\"cellar\"", "known: rack, central"),
        ("hosts_per_rack = 16\n", "", "hosts_per_rack = 32"),
        ("per_kwh", "# per_kwh", "per_kwh = {"),
        ("\"offer\"", "\" \"", "where the price is from"),
        ("value = 3300", "value = 3300, per_metre = 2", "unknown key"),
        (
            "value = 3300",
            "value = 3300, rate = \"1 Gb/s\"",
            "unknown key",
        ),
        (
            "longest = \"5 m\"",
            "rate = \"fast\"",
            "is a number and a unit",
        ),
    ] {
        let message = refused(old, new);
        assert!(message.contains(said), "{said}: {message}");
        assert!(message.starts_with("prices.toml"), "{message}");
    }
    let message = refused(", year = 2003", "");
    assert!(message.starts_with("prices.toml:8:"), "{message}");
    let nothing = load_prices("title = \"x\"", "prices.toml").unwrap_err();
    assert!(nothing.to_string().contains("no prices"));
}

#[test]
fn a_chassis_is_one_piece_and_its_backplane_no_cable() {
    let fabric = load(CHASSIS, "test.toml", 1.0).unwrap();
    let wiring = Wiring::of(&fabric).unwrap();
    assert_eq!((wiring.hosts, wiring.cables.len()), (10, 11));
    // All but 6 of the 16 declared ports are used, one of them for what is above; that has what it needs.
    assert_eq!(wiring.switch_ports, [16, 1]);
    assert_eq!(wiring.cables[10], [10, 11]);
    let mut torn = fabric;
    torn.links[0].ends[0] = "n11".to_owned();
    assert_eq!(
        Wiring::of(&torn),
        Err("there is no node \"n11\"".to_owned())
    );
    let wrong = CHASSIS.replace("\"card[1-2]\", \"backplane\"", "\"n1\", \"backplane\"");
    let message = load(&wrong, "test.toml", 1.0).unwrap_err().to_string();
    assert!(message.contains("a host has a cable"), "{message}");
}

#[test]
fn fabrics_of_older_runs_are_read_without_their_prices() {
    let fabric = load(CHASSIS, "test.toml", 1.0).unwrap();
    let mut json = serde_json::to_value(&fabric).unwrap();
    json["cost"] = serde_json::json!({"per_port": {"value": 480.0, "currency": "USD"}});
    let read: Fabric = serde_json::from_value(json).unwrap();
    assert_eq!(read.cost, Cost::default());
    assert_eq!(read, fabric);
}

#[test]
fn prices_survive_json() {
    let text = format!("{CHASSIS}{}", PRICES.replace("title = \"prices\"", ""));
    let fabric = load(&text, "test.toml", 1.0).unwrap();
    assert_eq!(fabric.cost.prices.len(), 4);
    let json = serde_json::to_string(&fabric).unwrap();
    assert_eq!(serde_json::from_str::<Fabric>(&json).unwrap(), fabric);
}
