//! The loader under mutated text: it refuses, it never panics.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use weft_plan::{Limits, Phase, Plan, Step, load};

const LIMITS: Limits = Limits {
    max_message_bytes: 1 << 30,
};
const CATALOGUE: [&str; 14] = [
    include_str!("../../../catalog/plans/aapc.toml"),
    include_str!("../../../catalog/plans/cast.toml"),
    include_str!("../../../catalog/plans/incast.toml"),
    include_str!("../../../catalog/plans/latency.toml"),
    include_str!("../../../catalog/plans/matrix.toml"),
    include_str!("../../../catalog/plans/netpipe.toml"),
    include_str!("../../../catalog/plans/overhead.toml"),
    include_str!("../../../catalog/plans/random-permutations.toml"),
    include_str!("../../../catalog/plans/ring.toml"),
    include_str!("../../../catalog/plans/signature.toml"),
    include_str!("../../../catalog/plans/stream.toml"),
    include_str!("../../../catalog/plans/xibalba.toml"),
    include_str!("../../../catalog/plans/xibalba-er16.toml"),
    include_str!("../../../catalog/plans/xray.toml"),
];

/// What may be written where a value stands: right, wrong and absurd.
fn any_value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:?}").replace("NaN", "nan")),
        "[a-z0-9]{0,9}".prop_map(|text| format!("{text:?}")),
        r#""-?[0-9]{1,20}(\.[0-9]{1,20})? ?(B|kB|KiB|MiB|GiB|ns|us|ms|s|)""#,
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("true".to_owned()),
        Just("1979-05-27".to_owned()),
        Just("[[1], {a = 2}]".to_owned()),
        r#""[0-9]{1,4}(-[0-9]{1,4})?(/[0-9])?(,[0-9]{1,4}){0,3}""#,
    ]
}

fn any_key() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        "[a-z_]{0,8}",
        "[0-9]{1,3}",
        prop::sample::select(vec![
            "steps",
            "pingpong",
            "stream",
            "sizes",
            "stop",
            "options",
            "max",
            "min",
            "launches",
            "cpus",
            "until",
            "perturbation",
            "schedule",
            "name",
            "pattern",
            "trials",
            "rule",
            "window",
            "nodes",
            "from",
            "senders",
            "matrix",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(name, 1..5).prop_map(|names| names.join("."))
}

/// A catalogue plan with the value of one `key = value` replaced.
fn mutated() -> impl Strategy<Value = String> {
    (
        prop::sample::select(CATALOGUE.to_vec()),
        any::<prop::sample::Index>(),
        any_value(),
    )
        .prop_map(|(text, which, value)| {
            let places: Vec<usize> = text.match_indices(" = ").map(|(at, _)| at + 3).collect();
            let start = places[which.index(places.len())];
            let length = text[start..]
                .find([',', '\n'])
                .unwrap_or(text.len() - start);
            format!("{}{value}{}", &text[..start], &text[start + length..])
        })
}

/// What comes through must be sound, what does not must say where and why on one line.
fn check(text: &str, overrides: &[(String, String)]) {
    match load(text, "x.toml", overrides, &LIMITS) {
        Ok(plan) => check_sound(&plan),
        Err(error) => {
            let message = error.to_string();
            assert!(
                message.starts_with("x.toml") && !message.contains('\n'),
                "{message}"
            );
        }
    }
}

fn check_sound(plan: &Plan) {
    let json = serde_json::to_string(plan).unwrap();
    assert_eq!(&serde_json::from_str::<Plan>(&json).unwrap(), plan);
    assert!(plan.launches >= 1 && !plan.steps.is_empty());
    for step in &plan.steps {
        check_phases(step, 96);
    }
}

/// Phases are sound, or it is said in one line why there are none.
fn check_phases(step: &Step, nodes: u32) {
    match step.phases(nodes) {
        Ok(phases) => phases.iter().for_each(|phase| check_phase(phase, nodes)),
        Err(error) => {
            let message = error.to_string();
            assert!(
                message.starts_with("step \"") && !message.contains('\n') && message.len() < 400,
                "{message}"
            );
        }
    }
}

fn check_phase(phase: &Phase, nodes: u32) {
    let mut seen = HashSet::new();
    let alone = nodes == 1;
    assert!(phase.size_bytes >= 1 && !phase.transfers.is_empty());
    for transfer in &phase.transfers {
        assert!(transfer.src < nodes && transfer.dst < nodes);
        assert!((1..=phase.size_bytes).contains(&transfer.bytes) && transfer.streams >= 1);
        assert!(alone || transfer.src != transfer.dst);
        assert!(alone || seen.insert((transfer.src, transfer.dst, transfer.network)));
    }
}

/// The steps of the catalogue as JSON.
fn any_step() -> impl Strategy<Value = Value> {
    let plan = |text: &&str| load(text, "x.toml", &[], &LIMITS).unwrap();
    let steps = CATALOGUE.iter().map(plan).flat_map(|plan| plan.steps);
    let steps: Vec<Value> = steps
        .map(|step| serde_json::to_value(step).unwrap())
        .collect();
    prop::sample::select(steps)
}

/// What may stand where a value of a step stands.
fn any_json() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u32>().prop_map(Value::from),
        (0u32..5).prop_map(Value::from),
        prop::collection::vec(0u32..6, 0..6).prop_map(Value::from),
        prop::collection::vec(any::<u32>(), 0..3).prop_map(Value::from),
        Just(json!(null)),
        Just(json!(-1)),
        Just(json!(u64::MAX)),
        Just(json!("full")),
        Just(json!({"rule": "count", "repeats": 1, "trials": 1})),
        Just(json!({"schedule": "list", "bytes": [1]})),
    ]
}

fn any_nodes() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..5, 60u32..100, Just(4096), Just(4097), Just(u32::MAX)]
}

/// Every value of a document, by its address.
fn addresses(value: &Value, address: &str, found: &mut Vec<String>) {
    found.push(address.to_owned());
    if let Value::Object(map) = value {
        for (key, inner) in map {
            addresses(inner, &format!("{address}/{key}"), found);
        }
    }
}

fn replaced(mut step: Value, changes: Vec<(prop::sample::Index, Value)>) -> Value {
    for (which, value) in changes {
        let mut found = Vec::new();
        addresses(&step, "", &mut found);
        let address = &found[which.index(found.len())];
        *step.pointer_mut(address).unwrap() = value;
    }
    step
}

proptest! {
    #[test]
    fn a_hostile_step(
        step in any_step(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any_json()), 1..4),
        nodes in any_nodes(),
    ) {
        if let Ok(step) = serde_json::from_value::<Step>(replaced(step, changes)) {
            check_phases(&step, nodes);
        }
    }

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text, &[]);
    }

    #[test]
    fn toml_like_text(text in r#"([a-z\[\]{}="\., \n0-9-]{0,20}(\n| = )){0,8}"#) {
        check(&text, &[]);
    }

    #[test]
    fn a_plan_with_one_value_changed(text in mutated()) {
        check(&text, &[]);
    }

    #[test]
    fn a_plan_cut_and_glued(
        text in prop::sample::select(CATALOGUE.to_vec()),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        between in "\\PC{0,5}",
    ) {
        let (from, to) = (from.index(text.len()), to.index(text.len()));
        check(&format!("{}{between}{}", &text[..from], &text[to..]), &[]);
    }

    #[test]
    fn any_overrides(
        text in prop::sample::select(CATALOGUE.to_vec()),
        overrides in prop::collection::vec((any_key(), prop_oneof![any_value(), any::<String>()]), 0..4),
    ) {
        check(text, &overrides);
    }

    #[test]
    fn any_override_key(key in any::<String>(), value in any::<String>()) {
        check(CATALOGUE[0], &[(key, value)]);
    }
}
