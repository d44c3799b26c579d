//! What is refused, and how it is said.

use super::{SMALL, loaded, refusal, table};

/// What of the small plan is replaced by what, and a part of the message.
const WRONG: &str = r#"
"1 KiB" => -5 => : steps[0].sizes.max = -5: a size must be positive, with a unit, such as "8 MiB"
"1 KiB" => "-5 B" => : steps[0].sizes.max = "-5 B": a size must be positive
"1 KiB" => 1024 => : steps[0].sizes.max = 1024: a size needs a unit (B, kB, KiB,
"1 KiB" => "1 KB" => steps[0].sizes.max = "1 KB": unknown unit "KB", did you mean 1 kB or 1 KiB?; a size
"1 KiB" => "2 GiB" => steps[0].sizes.max = "2 GiB": must be at most 1 GiB, the most that one message may have
"1 B" => "0 B" => : steps[0].sizes.min = "0 B": a size must be positive
"1 B" => "1 MiB" => : steps[0].sizes.min = "1 MiB": must not be more than max, which is 1 KiB
"powers" => "zzz" => steps[0].sizes.schedule = "zzz": unknown schedule; known: powers, octaves, netpipe
"powers" => "powers", per_octave = 4 => steps[0].sizes.per_octave = 4: belongs to schedule = "octaves"
"powers" => "octaves", per_octave = 0 => steps[0].sizes.per_octave = 0: must be a whole number from 1 to 256

"pingpong" => "pingpng" => steps[0].pattern = "pingpng": unknown pattern, did you mean "pingpong"?; known: pingpong, stream
"count" => "coin" => steps[0].stop.rule = "coin": unknown rule, did you mean "count"?
repeats = 100 => repeats = 0 => steps[0].stop.repeats = 0: must be a whole number from 1 to
repeats => repaets => steps[0].stop.repaets = 100: unknown key, did you mean "repeats"?
trials = 3 => trial = "1 s" => steps[0].stop.trial = "1 s": belongs to rule = "time"
trials = 3 => width = "5 %", trials = 3 => steps[0].stop.width = "5 %": belongs to rule = "decided" or "relative"
rule = "count", repeats = 100 => rule = "decided", trial = "1 ms", width = 5 => steps[0].stop.width = 5: a width needs a unit (%, ppm)
rule = "count", repeats = 100 => rule = "decided", trial = "1 ms", width = "101 %" => steps[0].stop.width = "101 %": is at most "100 %"
stop = { rule = "count", repeats = 100 => pin = "1 s"\nstop = { rule = "decided", trial = "1 ms" => steps[0].pin = "1 s": needs stop.rule = "time" or "count"
rule = "count", repeats = 100 => rule = "relative", trial = "1 ms", simultaneous = 1 => steps[0].stop.simultaneous = 1: must be true or false
, trials = 3 =>  => : steps[0].stop.trials: missing: give a number of trials
name = => title = => : name: missing: give the plan a name
"small" => "a/b" => : name = "a/b": a name is letters, digits
[[steps]] => launches = 0\n[[steps]] => : launches = 0: must be a whole number from 1 to
[[steps]] => launches = 2.5\n[[steps]] => : launches = 2.5: must be a whole number from 1 to
stop = => transport = "sctp"\nstop = => steps[0].transport = "sctp": unknown transport
stop = => window = 4\nstop = => steps[0].window = 4: belongs to pattern = "stream" or "exchange" or "multipair"
stop = => until = "5"\nstop = => steps[0].until = "5": a time needs a unit (ns, us, ms, s, min, h, d, w)
pattern = "pingpong" => pattern = "stream"\npin = "1 s" => steps[0].pin = "1 s": belongs to pattern = "pingpong"
pattern = "pingpong" => pattern = "stream"\ntransport = "icmp" => steps[0].transport = "icmp": "icmp" is for pattern = "pingpong"

stop = => options.cpus = [1]\nstop = => options.cpus = [1]: must be one CPU per node, such as [0, 1], or "any"
stop = => over = 1\nstop = => steps[0].over = 1: write the keys that change with a list of values each
stop = => over = {}\nstop = => steps[0].over = {}: write the keys that change
stop = => over.until = "1 s"\nstop = => steps[0].over.until = "1 s": write the keys that change
stop = => over.until = ["1 s", "5"]\nstop = => :6: steps[0].over.until = "5": a time needs a unit (ns, us, ms, s, min, h, d, w)
stop = => over = { until = ["1 s", "2 s"], transport = ["tcp"] }\nstop = => steps[0].over.until = ["1 s", "2 s"]: keys of one `over` change together; give each as many values, 1
stop = => over.nodelay = [true]\nstop = => steps[0].over.nodelay = true: unknown key
stop = => over.until = ["1 s", "1  s"]\nstop = => steps[0].name: missing: steps[0] is called "pingpong-1s" too
stop = => options.cpus = [0, -1]\nstop = => steps[0].options.cpus[1] = -1: a CPU must be a whole
stop = => options.nodelay = 1\nstop = => steps[0].options.nodelay = 1: must be true or false
stop = => options.wait = "poll"\nstop = => unknown wait; known: auto, block, spin
stop = => options.send_buffer = "2 GiB"\nstop = => send_buffer = "2 GiB": must be at most 1 GiB
stop = => options.congestion = "a b"\nstop = => must be the name of a congestion control
stop = => transport = "null"\noptions.nodelay = true\nstop = => steps[0].options.nodelay = true: belongs to transport = "tcp"
stop = => transport = "tcp-striped"\noptions.stripes = 1\nstop = => options.stripes = 1: must be a whole number from 2 to 64
stop = => transport = "tcp-zerocopy"\noptions.verify = true\nstop = => options.verify = true: belongs to transport
pattern = "pingpong" => pattern = "stream"\ncompute = "message" => compute = "message": belongs to a stream with `gamma`; remove it here
pattern = "pingpong" => pattern = "stream"\ngamma = [1]\ncompute = "byte" => compute = "byte": unknown compute
stop = => transport = "udp"\noptions.rate = "5 Mb/s"\nstop = => options.rate = "5 Mb/s": belongs to pattern = "stream"
stop = => transport = "shm"\noptions.send_buffer = "4 KiB"\nstop = => or "mptcp" or "udp" or "unix"; remove it here
"#;

#[test]
fn a_wrong_value_is_answered_with_file_key_value_and_what_is_right() {
    for [old, new, expected] in table::rows(WRONG) {
        let message = refusal(&old, &new);
        assert!(message.starts_with("x.toml:"), "{new}: {message}");
        assert!(message.contains(&expected), "{new}: {message}");
        assert!(!message.contains('\n'), "{new}: {message}");
    }
}

#[test]
fn a_list_of_sizes_is_checked_item_by_item() {
    let sizes = r#"{ schedule = "powers", min = "1 B", max = "1 KiB" }"#;
    let message = refusal(sizes, r#"["1 B", "2"]"#);
    assert!(
        message.starts_with("x.toml:5: steps[0].sizes[1] = \"2\": a size needs a unit"),
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
    assert!(message.starts_with("x.toml:2:12: not TOML: "), "{message}");
    assert!(!message.contains('\n'), "{message}");
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
