//! Keys given beside the file.

use weft_plan::{SizeSchedule, Transport, Wait};

use super::{SMALL, loaded, table};

#[test]
fn overrides_replace_and_add_keys() {
    let plan = loaded(
        SMALL,
        &[
            ("launches", "3"),
            ("steps.pingpong.sizes.max", "64 KiB"),
            ("steps.0.options.wait", "spin"),
            ("steps[0].options.cpus", "[2, 3]"),
            ("title", "two words"),
        ],
    )
    .unwrap();
    assert_eq!((plan.launches, plan.title.as_str()), (3, "two words"));
    let sizes = SizeSchedule::Powers {
        base: 2,
        min_bytes: 1,
        max_bytes: 65536,
    };
    assert_eq!(plan.steps[0].sizes, sizes);
    assert_eq!(plan.steps[0].options.wait, Wait::Spin);
    assert_eq!(plan.steps[0].options.cpus, Some(vec![2, 3]));
}

/// A key, its value, and a part of the message.
const WRONG: &str = r#"
launchs => 3 => x.toml with launchs=3: launchs = 3: unknown key, did you mean "launches"?
launches => 0 => x.toml with launches=0: launches = 0: must be a whole number
launches.more => 1 => x.toml with launches.more=1: launches = { more = 1 }: must be a whole
steps.pingpong.sizes.max => -5 => x.toml with steps.pingpong.sizes.max=-5: steps[0].sizes.max = -5: a size must be positive
steps.stream.window => 3 => steps.stream: missing: give pingpong or an index below 1
steps.7.name => x => steps.7: missing: give pingpong or an index below 1
steps.0.sizes.max.deep => 1 => steps[0].sizes.max = "1 KiB": has no key "deep"
 => 1 => an override is KEY=VALUE with a dotted key
steps..name => 1 => an override is KEY=VALUE with a dotted key
steps.0.szes => 1 => steps[0].szes = 1: unknown key, did you mean "sizes"?
"#;

#[test]
fn a_wrong_override_is_named() {
    for [key, value, expected] in table::rows(WRONG) {
        let message = loaded(SMALL, &[(&key, &value)]).expect_err(&key);
        assert!(message.contains(&expected), "{key}: {message}");
    }
}

#[test]
fn an_override_with_a_star_is_for_every_step() {
    let again = &SMALL[SMALL.find("[[").unwrap()..];
    let twice = format!(
        "{SMALL}{}",
        again.replace("[[steps]]", "[[steps]]\nname = \"again\"")
    );
    let plan = loaded(&twice, &[("steps.*.transport", "unix")]).unwrap();
    assert!(
        plan.steps
            .iter()
            .all(|step| step.transport == Transport::Unix)
    );
    let message = loaded(&twice, &[("steps.*.transport", "pigeon")]).unwrap_err();
    assert!(
        message.contains("x.toml with steps.0.transport=pigeon: steps[0].transport"),
        "{message}"
    );
}
