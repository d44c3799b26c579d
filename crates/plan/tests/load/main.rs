//! The loader from outside: the catalogue loads, a wrong plan is refused with one helpful message.

mod overrides;
mod refused;
#[path = "../support/table.rs"]
mod table;

use weft_plan::{
    Goal, Grain, Limits, Options, Pattern, Plan, Prize, Question, Rate, SizeSchedule, StopRule,
    Transport, Wait, load,
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
            let chosen_during_the_run = matches!(
                step.pattern,
                Pattern::Xray(_) | Pattern::Paths(_) | Pattern::Health(_)
            );
            assert_eq!(phases.is_empty(), chosen_during_the_run);
        }
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    }
}

const EVERYTHING: &str = r#"
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
options = { send_buffer = "64 KiB", nodelay = false, congestion = "reno", cpus = [0, 1], wait = "spin", verify = true, mss = "1 kB", pacing = "80 Mb/s", knobs = { mtu = "1400", "rps_cpus@1" = "2" }, evidence = false }
"#;

#[test]
fn a_plan_with_everything_means_what_it_says() {
    let plan = loaded(EVERYTHING, &[]).unwrap();
    let names = (plan.name.as_str(), plan.title.as_str(), plan.launches);
    assert_eq!(names, ("all", "Everything", 2));
    let step = &plan.steps[0];
    assert_eq!(step.name, "one-way");
    let stream = Pattern::Stream {
        window: 16,
        gamma: Vec::new(),
        compute: Grain::Read,
    };
    assert_eq!(step.pattern, stream);
    let carried = (step.transport, step.until_ns);
    assert_eq!(carried, (Transport::Tcp, Some(1_500_000_000)));
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
}

#[test]
fn a_goal_has_defaults_and_a_number_of_launches_takes_it_away() {
    let text = SMALL.replace(
        r#"rule = "count", repeats = 100"#,
        r#"rule = "decided", trial = "1 ms""#,
    );
    let goal = Goal {
        rule: Question::Decided,
        width_ppm: 50_000,
        time_ns: 60_000_000_000,
        simultaneous: false,
    };
    let plan = loaded(&text, &[]).unwrap();
    assert_eq!((plan.launches, plan.steps[0].goal), (1000, Some(goal)));
    let plan = loaded(&text, &[("launches", "5")]).unwrap();
    assert_eq!((plan.launches, plan.steps[0].goal), (5, None));
}

#[test]
fn the_steps_of_a_plan_have_goals_or_none_has() {
    let other = r#"
[[steps]]
name = "second"
pattern = "pingpong"
sizes = ["1 B"]
stop = { rule = "decided", trial = "1 ms", trials = 1 }
"#;
    let message = loaded(&format!("{SMALL}{other}"), &[])
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("are for all steps of a plan or for none"),
        "{message}"
    );
}

#[test]
fn its_options_are_those_that_it_says_and_no_others() {
    let plan = loaded(EVERYTHING, &[]).unwrap();
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
        mss_bytes: Some(1000),
        pacing_bits_per_s: Some(80_000_000),
        knobs: [("mtu", "1400"), ("rps_cpus@1", "2")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        evidence: false,
    };
    assert_eq!(plan.steps[0].options, options);
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

const STREAM: &str = r#"
name = "x"
[[steps]]
pattern = "stream"
transport = "udp"
options.rate = "50 %"
sizes = ["1472 B"]
stop = { rule = "count", repeats = 100, trials = 1 }
"#;

/// A list is refused, as any other wish that cannot be met; a schedule has the sizes that can be.
#[test]
fn a_schedule_of_datagrams_has_those_that_can_be() {
    let sizes = |pattern: &str, schedule: &str| {
        let text = STREAM
            .replace(r#"["1472 B"]"#, schedule)
            .replace("stream", pattern);
        let text = if pattern == "stream" {
            text
        } else {
            text.replace("options.rate", "# ")
        };
        let plan = loaded(&text, &[]).unwrap();
        let sizes = plan.steps[0].sizes.sizes();
        (sizes[0], *sizes.last().unwrap())
    };
    let netpipe = r#"{ schedule = "netpipe", min = "1 B", max = "8 MiB", perturbation = "3 B" }"#;
    assert_eq!(sizes("pingpong", netpipe), (1, 49155));
    assert_eq!(sizes("stream", netpipe).0, 16);
    let powers = r#"{ schedule = "powers", base = 2, min = "1 B", max = "4 MiB" }"#;
    assert_eq!(sizes("stream", powers), (16, 32768));
    let octaves = r#"{ schedule = "octaves", min = "1 B", max = "60 KiB" }"#;
    assert_eq!(sizes("pingpong", octaves).0, 1);
    let none = STREAM.replace(
        r#"["1472 B"]"#,
        r#"{ schedule = "powers", base = 2, min = "1 MiB", max = "4 MiB" }"#,
    );
    assert!(loaded(&none, &[]).unwrap_err().contains("16 to 65507"));
}

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

/// What is made of the small plan's step with a key `over`.
fn varied(over: &str, overrides: &[(&str, &str)]) -> Plan {
    let text = SMALL.replacen("stop =", &format!("over = {over}\nstop ="), 1);
    loaded(&text, overrides).unwrap()
}

#[test]
fn a_step_is_repeated_for_each_value_of_a_setting() {
    let plan = varied(
        r#"{ options.send_buffer = ["default", "64 KiB"], options.receive_buffer = ["default", "85 KiB"] }"#,
        &[
            ("steps.pingpong.sizes.max", "4 KiB"),
            ("steps.*.options.receive_buffer", "1 MiB"),
        ],
    );
    let [default, larger] = &plan.steps[..] else {
        panic!("{:?}", plan.steps);
    };
    assert_eq!(default.name, "pingpong-default");
    assert_eq!(default.options, Options::default());
    assert_eq!(larger.name, "pingpong-85KiB-64KiB");
    assert_eq!(larger.options.send_buffer_bytes, Some(64 << 10));
    assert_eq!(larger.options.receive_buffer_bytes, Some(85 << 10));
    assert_eq!(larger.sizes.sizes().last(), Some(&4096));
    let over = larger.over.as_ref().unwrap();
    assert_eq!(over.of, "pingpong");
    assert_eq!(over.values["options.receive_buffer"], "85 KiB");
    assert_eq!(over.values.len(), 2);
}

#[test]
fn processors_may_be_left_to_the_kernel() {
    let plan = varied(r#"{ options.cpus = ["any", [0, 1]] }"#, &[]);
    let cpus = plan
        .steps
        .iter()
        .map(|step| step.options.cpus.clone().unwrap());
    assert_eq!(cpus.collect::<Vec<_>>(), [vec![], vec![0, 1]]);
    assert_eq!(plan.steps[1].name, "pingpong-0-1");
}

const RACE: &str = r#"
name = "race"
[race]
baseline = "one"
[[steps]]
name = "one"
pattern = "pingpong"
sizes = ["64 B"]
stop = { rule = "decided", trial = "1 ms", trials = 1 }
[[steps]]
name = "two"
pattern = "pingpong"
sizes = ["64 B"]
options = { nodelay = false }
stop = { rule = "decided", trial = "1 ms", trials = 1 }
"#;

#[test]
fn the_steps_of_a_race_are_its_candidates_and_have_no_goals() {
    let plan = loaded(RACE, &[]).unwrap();
    let race = plan.race.unwrap();
    let names: Vec<_> = race.candidates.iter().map(|one| &one.name[..]).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!((race.measure, race.margin_ppm), (Prize::Latency, 10_000));
    assert_eq!((plan.launches, plan.steps[0].goal), (1000, None));
    let named = r#"{ "a" = ["two"], "b" = ["one"] }"#;
    let overrides = [("race.candidates", named), ("race.baseline", "a")];
    let race = loaded(RACE, &overrides).unwrap().race.unwrap();
    let steps: Vec<_> = race.candidates.iter().map(|one| one.steps[0]).collect();
    assert_eq!(steps, [0, 1]);
}

#[test]
fn a_race_that_cannot_be_decided_is_refused() {
    for (key, value, right) in [
        ("race.baseline", "three", "one of the candidates: one, two"),
        ("race.measure", "mixed", "takes a step that measures a rate"),
        ("race.margin", "200 %", "at most \"100 %\""),
        ("race.candidates", "{ a = [\"one\"] }", "belongs to none"),
        (
            "race.candidates",
            "{ a = [\"one\", \"one\"] }",
            "that of another",
        ),
        (
            "race.candidates",
            "{ a = [\"one\", \"two\"] }",
            "two candidates or more",
        ),
        ("steps.two.sizes", "[\"1 B\"]", "other patterns or sizes"),
    ] {
        let message = loaded(RACE, &[(key, value)]).unwrap_err().to_string();
        assert!(message.contains(right), "{message}");
    }
}
