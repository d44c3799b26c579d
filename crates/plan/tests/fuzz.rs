//! The loader under text that nobody would write: it refuses, it never panics.

use proptest::prelude::*;
use weft_plan::{Limits, Plan, load};

const LIMITS: Limits = Limits {
    max_message_bytes: 1 << 30,
};
const CATALOGUE: [&str; 5] = [
    include_str!("../../../catalog/plans/latency.toml"),
    include_str!("../../../catalog/plans/netpipe.toml"),
    include_str!("../../../catalog/plans/overhead.toml"),
    include_str!("../../../catalog/plans/signature.toml"),
    include_str!("../../../catalog/plans/stream.toml"),
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
    for phase in plan.steps.iter().flat_map(|step| step.phases(2).unwrap()) {
        assert!((1..=LIMITS.max_message_bytes).contains(&phase.size_bytes));
        assert!(
            phase
                .transfers
                .iter()
                .all(|transfer| transfer.bytes == phase.size_bytes)
        );
    }
}

proptest! {
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
