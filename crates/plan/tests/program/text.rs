use weft_plan::program::{Action, Message, Need, Operation, Until, goal_text};

use crate::program;

const TREE: &str = "
rank 0 { // the root
l1: send 8b to 1 tag 3
fast: calc 100 cpu 2
/* not
   yet */
l3: send 1 b to 1 cpu 1 nic 1
fast irequires l1
l3 requires fast
}
rank 1 {
recv 8b from 0 tag 3
recv 4b from 0
}";

#[test]
fn operations_and_needs_are_read() {
    let read = program(2, TREE);
    let root = &read.nodes[0];
    let compute = Operation {
        action: Action::Compute { ns: 100 },
        cpu: 2,
        nic: 0,
    };
    let last = Operation {
        action: Action::Send(Message {
            peer: 1,
            bytes: 1,
            tag: 0,
        }),
        cpu: 1,
        nic: 1,
    };
    assert_eq!(root.operations[1..], [compute, last]);
    let need = |operation, on, until| Need {
        operation,
        on,
        until,
    };
    assert_eq!(
        root.needs,
        [need(1, 0, Until::Begun), need(2, 1, Until::Ended)]
    );
    let received = Message {
        peer: 0,
        bytes: 8,
        tag: 3,
    };
    assert_eq!(
        read.nodes[1].operations[0].action,
        Action::Receive(received)
    );
}

#[test]
fn what_is_written_is_read_again() {
    let read = program(2, TREE);
    assert_eq!(goal_text::parse(&goal_text::write(&read)).unwrap(), read);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, said) in [
        ("", "0: empty; begin with `num_ranks N`"),
        ("rank 0 {", "1: begin with `num_ranks N`"),
        (
            "num_ranks 1\nrank 0 {\n",
            "2: rank 0 has no closing bracket",
        ),
        (
            "num_ranks 1\nrank 1 {\n}",
            "2: rank 1: there are 1, counted from 0",
        ),
        (
            "num_ranks 1\nrank 0 {\nl1: send 8 to 0\n}",
            "3: \"8\": a message has bytes",
        ),
        (
            "num_ranks 1\nrank 0 {\nl1: recv 8b to 0\n}",
            "3: write for example",
        ),
        (
            "num_ranks 1\nrank 0 {\nl1: recv 8b from -1\n}",
            "3: any rank (-1) is not replayed",
        ),
        (
            "num_ranks 1\nrank 0 {\nl1: calc 8\nl1: calc 9\n}",
            "4: label \"l1\" stands twice",
        ),
        (
            "num_ranks 1\nrank 0 {\nl1: calc 8\nl1 requires l2\n}",
            "4: no operation before has the label \"l2\"",
        ),
        (
            "num_ranks 1\nrank 0 {\nl1: calc -8\n}",
            "3: calc \"-8\": must be a whole number",
        ),
        (
            "num_ranks 1\nrank 0 {\nl1: sent 8b to 0\n}",
            "3: write for example",
        ),
        (
            "num_ranks 4000000000",
            "1: 4000000000 nodes with 0 operations would take 1600 GB",
        ),
    ] {
        let refused = goal_text::parse(text).unwrap_err();
        assert!(refused.starts_with(said), "{text:?}: {refused}");
    }
}
