use weft_plan::program::Schedule;

use crate::program;

fn refused(ranks: usize, text: &str) -> String {
    Schedule::of(&program(ranks, text), 65_535).unwrap_err()
}

#[test]
fn a_message_without_another_end_is_named() {
    let send = refused(2, "rank 0 {\na: calc 1\nb: send 8b to 1 tag 4\n}");
    assert_eq!(
        send,
        "rank 0, operation 2 (send 8 B to rank 1, tag 4): that rank has no receive for it"
    );
    let receive = refused(2, "rank 1 {\na: recv 8b from 0\n}");
    assert_eq!(
        receive,
        "rank 1, operation 1 (receive 8 B from rank 0, tag 0): that rank has no send for it"
    );
    let other_tag = refused(
        2,
        "rank 0 {\nsend 1b to 1 tag 2\n}\nrank 1 {\nrecv 1b from 0 tag 1\n}",
    );
    assert!(other_tag.contains("rank 1, operation 1"), "{other_tag}");
    let beyond = refused(2, "rank 0 {\nsend 1b to 2\n}");
    assert!(
        beyond.ends_with("there are 2 ranks, counted from 0"),
        "{beyond}"
    );
}

#[test]
fn a_message_may_be_shorter_than_its_receive_and_not_longer() {
    let ends = |sent, received| {
        let text =
            format!("rank 0 {{\nsend {sent}b to 1\n}}\nrank 1 {{\nrecv {received}b from 0\n}}");
        Schedule::of(&program(2, &text), 65_535)
    };
    ends(8, 9).unwrap();
    assert!(
        ends(9, 8)
            .unwrap_err()
            .contains("longer than what it meets, rank 1, operation 1")
    );
}

#[test]
fn messages_meet_in_the_order_in_which_they_stand() {
    let text =
        "rank 0 {\nsend 1b to 1\nsend 2b to 1\n}\nrank 1 {\nrecv 1b from 0\nrecv 2b from 0\n}";
    let schedule = Schedule::of(&program(2, text), 65_535).unwrap();
    let partners: Vec<_> = (0..4).map(|one| schedule.partner(one).unwrap()).collect();
    assert_eq!(partners, [2, 3, 0, 1]);
}

const BOTH_RECEIVE_FIRST: &str = "
rank 0 {
a: recv 8b from 1
b: send 8b to 1
b requires a
}
rank 1 {
a: recv 8b from 0
b: send 8b to 0
b requires a
}";

#[test]
fn who_waits_for_whom_is_said() {
    let circle = refused(2, BOTH_RECEIVE_FIRST);
    assert!(circle.starts_with("deadlock: rank "), "{circle}");
    for operation in [
        "rank 0, operation 1 (receive 8 B from rank 1, tag 0) waits for rank 1, operation 2 (send",
        "rank 1, operation 1 (receive 8 B from rank 0, tag 0) waits for rank 0, operation 2 (send",
    ] {
        assert!(circle.contains(operation), "{circle}");
    }
    let itself = refused(1, "rank 0 {\na: calc 1\na requires a\n}");
    assert!(
        itself.contains("operation 1 (compute 1 ns) waits for rank 0, operation 1"),
        "{itself}"
    );
}

#[test]
fn both_may_send_first_if_the_messages_are_short() {
    let text = BOTH_RECEIVE_FIRST
        .replace("b requires a", "")
        .replace("a: recv", "c: recv");
    let text = text.replace("}", "c requires b\n}");
    let text = |bytes: &str| {
        // The receive stands first, and begins when the send has ended.
        text.replace("8b", bytes)
    };
    Schedule::of(&program(2, &text("65535b")), 65_535).unwrap();
    let long = Schedule::of(&program(2, &text("65536b")), 65_535).unwrap_err();
    assert!(long.starts_with("deadlock: "), "{long}");
    assert!(
        long.contains("(send 64 KiB to rank 1, tag 0) waits for rank 1, operation 1 (receive"),
        "{long}"
    );
}
