//! The loader from outside: the catalogue loads, a wrong plan is refused with one helpful message.

use weft_plan::{
    Limits, Options, Pattern, Plan, Rate, SizeSchedule, StopRule, Transport, Wait, load,
};

const LIMITS: Limits = Limits {
    max_message_bytes: 1 << 30,
};
const SMALL: &str = r#"
name = "small"
[[steps]]
pattern = "pingpong"
sizes = { schedule = "powers", min = "1 B", max = "1 KiB" }
stop = { rule = "count", repeats = 100, trials = 3 }
"#;

fn loaded(text: &str, overrides: &[(&str, &str)]) -> Result<Plan, String> {
    let owned = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
    let overrides: Vec<_> = overrides.iter().map(owned).collect();
    load(text, "x.toml", &overrides, &LIMITS).map_err(|error| error.to_string())
}

/// The message about `small` with one piece of its text replaced.
fn refusal(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old}");
    loaded(&SMALL.replacen(old, new, 1), &[]).expect_err(new)
}

fn catalogue() -> Vec<(String, Plan)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../catalog/plans");
    let plan = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        (stem, loaded(&text, &[]).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(plan).collect()
}

#[test]
fn the_catalogue_loads_expands_and_survives_json() {
    let plans = catalogue();
    assert!(plans.len() >= 14);
    for (stem, plan) in plans {
        assert_eq!(stem, plan.name);
        for step in &plan.steps {
            let phases = step.phases(step.pattern.nodes().max(60)).unwrap();
            let chosen_during_the_run = matches!(step.pattern, Pattern::Xray(_));
            assert_eq!(phases.is_empty(), chosen_during_the_run);
        }
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    }
}

#[test]
fn a_plan_with_everything_means_what_it_says() {
    let plan = loaded(
        r#"
name = "all"
title = "Everything"
launches = 2
[[steps]]
name = "one-way"
pattern = "stream"
window = 16
transport = "tcp"
until = "1.5 s"
sizes = { schedule = "netpipe", min = "1 B", max = "1 KiB" }
stop = { rule = "time", trial = "10 ms", trials = 5 }
options = { send_buffer = "64 KiB", nodelay = false, congestion = "reno", cpus = [0, 1], wait = "spin", verify = true }
"#,
        &[],
    )
    .unwrap();
    let step = &plan.steps[0];
    assert_eq!(
        (plan.name.as_str(), plan.title.as_str(), plan.launches),
        ("all", "Everything", 2)
    );
    assert_eq!(
        (step.name.as_str(), &step.pattern),
        (
            "one-way",
            &Pattern::Stream {
                window: 16,
                gamma: Vec::new()
            }
        )
    );
    assert_eq!(
        (step.transport, step.until_ns),
        (Transport::Tcp, Some(1_500_000_000))
    );
    assert!(matches!(
        step.stop,
        StopRule::Time {
            trial_ns: 10_000_000,
            trials: 5,
            ..
        }
    ));
    let schedule = SizeSchedule::Netpipe {
        min_bytes: 1,
        max_bytes: 1024,
        perturbation_bytes: 3,
    };
    assert_eq!(step.sizes, schedule);
    let options = Options {
        send_buffer_bytes: Some(65536),
        receive_buffer_bytes: None,
        nodelay: false,
        congestion: Some("reno".to_owned()),
        cpus: Some(vec![0, 1]),
        wait: Wait::Spin,
        verify: true,
        rate: None,
        mpi: None,
        calls: None,
        stripes: None,
        busy_poll_ns: None,
    };
    assert_eq!(step.options, options);
}

#[test]
fn the_resolved_json_is_the_documented_one() {
    let plan = loaded(SMALL, &[]).unwrap();
    let expected = serde_json::json!({
        "name": "small", "title": "", "launches": 5,
        "steps": [{
            "name": "pingpong",
            "pattern": {"kind": "pingpong"},
            "transport": "tcp",
            "options": {"send_buffer_bytes": null, "receive_buffer_bytes": null, "nodelay": true,
                        "congestion": null, "cpus": null, "wait": "auto", "verify": false},
            "sizes": {"schedule": "powers", "base": 2, "min_bytes": 1, "max_bytes": 1024},
            "stop": {"rule": "count", "repeats": 100, "trials": 3},
            "until_ns": null,
        }],
    });
    assert_eq!(serde_json::to_value(plan).unwrap(), expected);
}

#[test]
fn a_wrong_value_is_answered_with_file_key_value_and_what_is_right() {
    for (old, new, expected) in [
        (
            r#""1 KiB""#,
            "-5",
            "x.toml: steps[0].sizes.max = -5: a size must be positive, with a unit, such as \"8 MiB\"",
        ),
        (
            r#""1 KiB""#,
            r#""-5 B""#,
            "x.toml: steps[0].sizes.max = \"-5 B\": a size must be positive",
        ),
        (
            r#""1 KiB""#,
            "1024",
            "x.toml: steps[0].sizes.max = 1024: a size needs a unit (B, kB, KiB,",
        ),
        (
            r#""1 KiB""#,
            r#""1 KB""#,
            "steps[0].sizes.max = \"1 KB\": unknown unit \"KB\"; a size is in B, kB,",
        ),
        (
            r#""1 KiB""#,
            r#""2 GiB""#,
            "steps[0].sizes.max = \"2 GiB\": must be at most 1 GiB, the most that one message may have",
        ),
        (
            r#""1 B""#,
            r#""0 B""#,
            "x.toml: steps[0].sizes.min = \"0 B\": a size must be positive",
        ),
        (
            r#""1 B""#,
            r#""1 MiB""#,
            "x.toml: steps[0].sizes.min = \"1 MiB\": must not be more than max, which is 1 KiB",
        ),
        (
            r#""pingpong""#,
            r#""pingpng""#,
            "steps[0].pattern = \"pingpng\": unknown pattern, did you mean \"pingpong\"?; known: pingpong, stream",
        ),
        (
            r#""count""#,
            r#""coin""#,
            "steps[0].stop.rule = \"coin\": unknown rule, did you mean \"count\"?",
        ),
        (
            r#""powers""#,
            r#""zzz""#,
            "steps[0].sizes.schedule = \"zzz\": unknown schedule; known: powers, netpipe",
        ),
        (
            "repeats = 100",
            "repeats = 0",
            "steps[0].stop.repeats = 0: must be a whole number from 1 to",
        ),
        (
            "repeats",
            "repaets",
            "steps[0].stop.repaets = 100: unknown key, did you mean \"repeats\"?",
        ),
        (
            "trials = 3",
            r#"trial = "1 s""#,
            "steps[0].stop.trial = \"1 s\": belongs to rule = \"time\"",
        ),
        (
            ", trials = 3",
            "",
            "x.toml: steps[0].stop.trials: missing: give a number of trials",
        ),
        (
            "name =",
            "title =",
            "x.toml: name: missing: give the plan a name",
        ),
        (
            r#""small""#,
            r#""a/b""#,
            "x.toml: name = \"a/b\": a name is letters, digits",
        ),
        (
            "[[steps]]",
            "launches = 0\n[[steps]]",
            "x.toml: launches = 0: must be a whole number from 1 to",
        ),
        (
            "[[steps]]",
            "launches = 2.5\n[[steps]]",
            "x.toml: launches = 2.5: must be a whole number from 1 to",
        ),
        (
            "stop =",
            "transport = \"sctp\"\nstop =",
            "steps[0].transport = \"sctp\": unknown transport",
        ),
        (
            "stop =",
            "window = 4\nstop =",
            "steps[0].window = 4: belongs to pattern = \"stream\"",
        ),
        (
            "stop =",
            "until = \"5\"\nstop =",
            "steps[0].until = \"5\": a time needs a unit (ns, us, ms, s)",
        ),
        (
            "stop =",
            "options.cpus = [1]\nstop =",
            "options.cpus = [1]: must be one CPU per node, such as [0, 1]",
        ),
        (
            "stop =",
            "options.cpus = [0, -1]\nstop =",
            "steps[0].options.cpus[1] = -1: a CPU must be a whole",
        ),
        (
            "stop =",
            "options.nodelay = 1\nstop =",
            "steps[0].options.nodelay = 1: must be true or false",
        ),
        (
            "stop =",
            "options.wait = \"poll\"\nstop =",
            "unknown wait; known: auto, block, spin",
        ),
        (
            "stop =",
            "options.send_buffer = \"2 GiB\"\nstop =",
            "send_buffer = \"2 GiB\": must be at most 1 GiB",
        ),
        (
            "stop =",
            "options.congestion = \"a b\"\nstop =",
            "must be the name of a congestion control",
        ),
        (
            "stop =",
            "transport = \"null\"\noptions.nodelay = true\nstop =",
            "steps[0].options.nodelay = true: belongs to transport = \"tcp\"",
        ),
        (
            "stop =",
            "transport = \"tcp-striped\"\noptions.stripes = 1\nstop =",
            "options.stripes = 1: must be a whole number from 2 to 64",
        ),
        (
            "stop =",
            "transport = \"tcp-zerocopy\"\noptions.verify = true\nstop =",
            "options.verify = true: belongs to transport",
        ),
        (
            "pattern = \"pingpong\"",
            "pattern = \"stream\"\ntransport = \"icmp\"",
            "steps[0].transport = \"icmp\": \"icmp\" is for pattern = \"pingpong\"",
        ),
        (
            "stop =",
            "transport = \"udp\"\noptions.rate = \"5 Mb/s\"\nstop =",
            "options.rate = \"5 Mb/s\": belongs to pattern = \"stream\"",
        ),
        (
            "stop =",
            "transport = \"shm\"\noptions.send_buffer = \"4 KiB\"\nstop =",
            "or \"mptcp\" or \"udp\" or \"unix\"; remove it here",
        ),
    ] {
        let message = refusal(old, new);
        assert!(message.starts_with("x.toml: "), "{new}: {message}");
        assert!(message.contains(expected), "{new}: {message}");
        assert!(!message.contains('\n'), "{new}: {message}");
    }
}

#[test]
fn a_list_of_sizes_is_checked_item_by_item() {
    let sizes = r#"{ schedule = "powers", min = "1 B", max = "1 KiB" }"#;
    let message = refusal(sizes, r#"["1 B", "2"]"#);
    assert!(
        message.starts_with("x.toml: steps[0].sizes[1] = \"2\": a size needs a unit"),
        "{message}"
    );
    let message = refusal(sizes, "[]");
    assert!(
        message.contains("steps[0].sizes = []: give at least one size"),
        "{message}"
    );
    let message = refusal(sizes, "7");
    assert!(
        message.contains("steps[0].sizes = 7: must be [\"1 B\", \"64 KiB\"]"),
        "{message}"
    );
}

#[test]
fn perturbation_counts_towards_the_largest_message() {
    let sizes = r#"{ schedule = "powers", min = "1 B", max = "1 KiB" }"#;
    let message = refusal(
        sizes,
        r#"{ schedule = "netpipe", min = "1 B", max = "1 GiB" }"#,
    );
    assert!(
        message.contains("with its perturbation it reaches 1073741827 B (1.0 GiB)"),
        "{message}"
    );
}

#[test]
fn a_plan_without_steps_and_one_with_twins_are_refused() {
    for text in [
        "name = \"x\"",
        "name = \"x\"\nsteps = []",
        "name = \"x\"\nsteps = 3",
    ] {
        let message = loaded(text, &[]).unwrap_err();
        assert!(message.contains("give at least one step"), "{message}");
    }
    let twice = format!("{SMALL}{}", &SMALL[SMALL.find("[[").unwrap()..]);
    let message = loaded(&twice, &[]).unwrap_err();
    assert!(
        message.contains("steps[1].name: missing: steps[0] is called \"pingpong\" too"),
        "{message}"
    );
}

#[test]
fn a_syntax_error_has_a_line_and_a_column() {
    let message = loaded("name = \"x\"\nlaunches = = 3\n", &[]).unwrap_err();
    assert!(
        message.starts_with("x.toml: line 2, column 12: "),
        "{message}"
    );
    assert!(!message.contains('\n'), "{message}");
}

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

#[test]
fn a_wrong_override_is_named() {
    for (key, value, expected) in [
        (
            "launchs",
            "3",
            "x.toml with launchs=3: launchs = 3: unknown key, did you mean \"launches\"?",
        ),
        (
            "launches",
            "0",
            "x.toml with launches=0: launches = 0: must be a whole number",
        ),
        (
            "launches.more",
            "1",
            "x.toml with launches.more=1: launches = { more = 1 }: must be a whole",
        ),
        (
            "steps.pingpong.sizes.max",
            "-5",
            "x.toml with steps.pingpong.sizes.max=-5: steps[0].sizes.max = -5: a size must be positive",
        ),
        (
            "steps.stream.window",
            "3",
            "steps.stream: missing: give pingpong or an index below 1",
        ),
        (
            "steps.7.name",
            "x",
            "steps.7: missing: give pingpong or an index below 1",
        ),
        (
            "steps.0.sizes.max.deep",
            "1",
            "steps[0].sizes.max = \"1 KiB\": has no key \"deep\"",
        ),
        ("", "1", "an override is KEY=VALUE with a dotted key"),
        (
            "steps..name",
            "1",
            "an override is KEY=VALUE with a dotted key",
        ),
        (
            "steps.0.szes",
            "1",
            "steps[0].szes = 1: unknown key, did you mean \"sizes\"?",
        ),
    ] {
        let message = loaded(SMALL, &[(key, value)]).expect_err(key);
        assert!(message.contains(expected), "{key}: {message}");
    }
}

#[test]
fn a_message_stays_one_readable_line() {
    let long = "x".repeat(100_000);
    let text = format!("{SMALL}\"a\\nb\" = 1");
    for message in [
        loaded(&text, &[]).unwrap_err(),
        loaded(SMALL, &[("a\nb", "c\nd")]).unwrap_err(),
        loaded(&SMALL.replace("1 KiB", &long), &[]).unwrap_err(),
        loaded(&SMALL.replace("1 KiB", &format!("1 {long}")), &[]).unwrap_err(),
        loaded(&format!("{long} = 1"), &[]).unwrap_err(),
    ] {
        assert!(
            message.starts_with("x.toml") && !message.contains('\n'),
            "{message}"
        );
        assert!(message.len() < 300, "{} bytes", message.len());
    }
}

const STREAM: &str = r#"
name = "x"
[[steps]]
pattern = "stream"
transport = "udp"
options.rate = "50 %"
sizes = ["1472 B"]
stop = { rule = "count", repeats = 100, trials = 1 }
"#;

#[test]
fn a_stream_of_datagrams_has_a_rate() {
    let rate = |text: &str| {
        loaded(&STREAM.replace("50 %", text), &[]).map(|plan| plan.steps[0].options.rate)
    };
    assert_eq!(rate("50 %"), Ok(Some(Rate::Percent(50))));
    assert_eq!(rate("1.5 Mb/s"), Ok(Some(Rate::BitsPerS(1_500_000))));
    for wrong in ["0 %", "101 %", "a half %", "5 MB/s", "0 Mb/s", "5"] {
        let message = rate(wrong).unwrap_err();
        assert!(message.contains("steps[0].options.rate"), "{message}");
    }
}

#[test]
fn a_datagram_has_room_for_its_number_and_no_more_than_it_holds() {
    for (size, most) in [("15 B", "15"), ("65508 B", "65508")] {
        let message = loaded(&STREAM.replace("1472 B", size), &[]).unwrap_err();
        assert!(
            message.contains("one datagram of 16 to 65507 bytes") && message.contains(most),
            "{message}"
        );
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
