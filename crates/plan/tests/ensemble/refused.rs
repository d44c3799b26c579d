//! What is refused, and how it is said.

use super::{COUNT, TIME, refusal, step, step_with, table};

/// The keys of a step, and a part of the message.
const WRONG: &str = r#"
pattern = "ring"\nstride = 2 => steps[0].stride = 2: belongs to pattern = "pairs"; remove
pattern = "ring"\nsweep = true => belongs to pattern = "streams" or "cast"
pattern = "ring"\nnods = 4 => steps[0].nods = 4: unknown key, did you mean "nodes"?
pattern = "ring"\nnodes = 1 => steps[0].nodes = 1: must be a whole number from 2 to 4096
pattern = "ring"\nnodes = "1" => steps[0].nodes = "1": must be at least 2 nodes
pattern = "ring"\nnodes = [1, 2] => must be a number of nodes, such as 16, or positions
pattern = "ring"\nnodes = "1-9/0" => must be positions from 1 to 4096
pattern = "ring"\nnodes = "0-4" => must be positions from 1 to 4096
pattern = "ring"\nnodes = "4-1" => must be positions from 1 to 4096 that go up
pattern = "ring"\nnodes = "1-4,3" => position 3 stands there twice
pattern = "ring"\nnodes = "n[1-4]" => must be positions from 1 to 4096 that go up, such as "1-24"
pattern = "ring"\ntransport = "null" => steps[0].transport = "null": "null" is for pattern
pattern = "ring"\nuntil = "1 s" => steps[0].until = "1 s": belongs to pattern = "pingpong" or
pattern = "ring"\noptions.verify = true => options.verify = true: belongs to pattern
pattern = "ring"\noptions.wait = "spin" => options.wait = "spin": belongs to pattern
pattern = "ring"\noptions.cpus = [0] => one CPU per node of the testbed, at least 2
pattern = "pairs"\nfrom = "1-2"\nto = "3-5" => steps[0].to = "3-5": 3 positions, `from` has 2
pattern = "pairs"\nfrom = "1-2"\nto = "2-3" => steps[0].to = "2-3": position 2 is in `from` too
pattern = "pairs"\nfrom = "1-2" => steps[0].to: missing: give the partners of `from`
pattern = "pairs"\nto = "1-2" => steps[0].from: missing: give the partners of `to`
pattern = "pairs"\nfrom = "1"\nto = "2"\nnodes = 2 => steps[0].nodes = 2: belongs to pairs without
pattern = "pairs"\nfrom = "1"\nto = "2"\nstride = 2 => steps[0].stride = 2: belongs to pairs
pattern = "pairs"\nnodes = 4\nstride = 4 => steps[0].nodes = 4: must be at least 5 nodes
pattern = "pairs"\nduplex = "both" => steps[0].duplex = "both": unknown duplex; known: half, full
pattern = "matrix"\nmeasure = "latency"\nduplex = "full" => belongs to measure = "rate"
pattern = "streams" => steps[0].receivers: missing: give `receivers` or `senders`
pattern = "streams"\nreceivers = 1 => steps[0].receivers = 1: must be positions in quotes
pattern = "streams"\nreceivers = "9"\nnodes = 8 => "9": position 9 is not among `nodes`
pattern = "streams"\nsenders = "1"\nreceivers = "1" => position 1 is in `senders` too
pattern = "streams"\nsenders = "1"\nreceivers = "2"\nnodes = 3 => belongs to streams without
pattern = "cast"\nnetworks = 3 => steps[0].networks = 3: must be a whole number from 1 to 2
pattern = "cast"\nchunk = "2 GiB" => steps[0].chunk = "2 GiB": must be at most 64 MiB
pattern = "ring"\nnetwork = 0 => steps[0].network = 0: must be a number from 1 to 64, or "each"
pattern = "ring"\nnetwork = 2\ntransport = "mpi" => steps[0].network = 2: belongs to transport = "tcp"
pattern = "cast"\nnetwork = 2 => steps[0].network = 2: belongs to pattern = "pairs" or "alltoall"
pattern = "random"\npermutations = 0 => must be a whole number from 1 to 10000
pattern = "pingpong"\nnodes = 2 => steps[0].nodes = 2: belongs to pattern = "pairs" or "alltoall"
stride = 2 => steps[0].pattern: missing: give one of: pingpong, stream, exchange, multipair, pairs,
"#;

#[test]
fn what_cannot_be_is_refused_with_key_value_and_what_is_right() {
    for [keys, expected] in table::rows(WRONG) {
        let message = refusal(&keys);
        assert!(
            message.starts_with("x.toml:")
                && message.contains(": steps[0].")
                && message.contains(&expected),
            "{keys}: {message}"
        );
        assert!(
            !message.contains('\n') && message.len() < 300,
            "{keys}: {message}"
        );
    }
}

#[test]
fn a_stop_rule_that_would_do_nothing_is_refused() {
    let ring = "pattern = \"ring\"";
    let stop = r#"{ rule = "time", trial = "1 s", trials = 1, at_most = "2 s" }"#;
    let message = step_with(ring, r#"["8 B"]"#, stop).unwrap_err();
    assert!(
        message.contains("steps[0].stop.at_most = \"2 s\": belongs to a pair of nodes, or measure"),
        "{message}"
    );
    let latency = "pattern = \"matrix\"\nmeasure = \"latency\"";
    let message = step_with(latency, r#"["8 B"]"#, stop).unwrap_err();
    assert!(message.contains("belongs to rule = \"count\""), "{message}");
    let pingpong = "pattern = \"pingpong\"";
    let counted = r#"{ rule = "count", repeats = 2, trials = 1, at_most = "2 s" }"#;
    let message = step_with(pingpong, r#"["8 B"]"#, counted).unwrap_err();
    assert!(message.contains("belongs to rule = \"time\""), "{message}");
    assert!(step_with(latency, r#"["8 B"]"#, counted).is_ok());
    for stop in [TIME, r#"{ rule = "count", repeats = 2, trials = 1 }"#] {
        let message = step_with("pattern = \"cast\"", r#"["8 B"]"#, stop).unwrap_err();
        assert!(
            message.contains("a trial casts the image once"),
            "{message}"
        );
    }
    let message = step_with("pattern = \"cast\"\nnetworks = 2", r#"["1 B"]"#, COUNT).unwrap_err();
    assert!(
        message.contains("for two networks has at least 2 B"),
        "{message}"
    );
}

/// The keys of a step, how many nodes the testbed has, and a part of the message.
const TOO_SMALL_OR_LARGE: &str = r#"
pattern = "ring" => 1 => step "ring": ring needs 2 nodes, the testbed has 1
pattern = "ring"\nnodes = 60 => 16 => ring needs 60 nodes, the testbed has 16
pattern = "ring"\nnodes = "2,9" => 8 => ring needs 9 nodes, the testbed has 8
pattern = "pairs"\nfrom = "1"\nto = "96" => 64 => pairs needs 96 nodes, the testbed has 64
pattern = "pairs"\nstride = 4 => 4 => pairs needs 5 nodes, the testbed has 4
pattern = "streams"\nreceivers = "9" => 8 => streams needs 9 nodes, the testbed has 8
pattern = "streams"\nsenders = "1-8" => 8 => streams needs 9 nodes, the testbed has 8
pattern = "ring" => 100000 => at most 4096 nodes, the testbed has 100000
pattern = "alltoall"\nmode = "unphased" => 4096 => alltoall: 16773120 transfers over 4096 nodes
"#;

fn refused_on(keys: &str, nodes: u32) -> String {
    step(keys).phases(nodes).unwrap_err().to_string()
}

#[test]
fn a_testbed_that_is_too_small_or_too_large_is_refused() {
    for [keys, nodes, expected] in table::rows(TOO_SMALL_OR_LARGE) {
        let message = refused_on(&keys, nodes.parse().unwrap());
        assert!(message.contains(&expected), "{keys}: {message}");
    }
}

#[test]
fn processors_for_fewer_nodes_than_there_are_are_refused() {
    let pinned = "pattern = \"ring\"\noptions.cpus = [0, 1, 0]";
    let message = refused_on(pinned, 4);
    let expected = "options.cpus has 3 CPUs, the testbed has 4 nodes";
    assert!(message.contains(expected), "{message}");
    assert!(step(pinned).phases(3).is_ok());
}
