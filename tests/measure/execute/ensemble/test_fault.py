"""Who is to blame when nodes that work together get no further."""

import pytest

from weft.measure.execute.ensemble.complaints import Complaint, complaints_of, culprit, suspects
from weft.measure.execute.ensemble.fault import FaultJudge
from weft.measure.execute.ensemble.heartbeat import HeartbeatWatch
from weft.measure.testbed.agent.agent import AgentError
from weft.measure.testbed.agent.reply import Alive, PhaseOver

PATIENCE_S = 10.0


def barrier_complaints(members: int, black_hole: int) -> list[Complaint]:
    """Whom each node of a dissemination barrier waits for when one sends and receives nothing."""
    entered = dict.fromkeys(range(members), 0)
    rounds = (members - 1).bit_length()
    for _ in range(rounds * members):
        for node, at in list(entered.items()):
            peer = (node - 2**at) % members
            if at < rounds and black_hole not in (node, peer) and entered[peer] >= at:
                entered[node] += 1
    return [
        Complaint(node, ((node - 2**at) % members,)) for node, at in entered.items() if at < rounds
    ]


@pytest.mark.parametrize("members", [3, 4, 5, 8, 13, 64])
def test_a_black_hole_in_a_barrier_is_found(members: int) -> None:
    for black_hole in range(members):
        assert suspects(barrier_complaints(members, black_hole)) == [black_hole]


def test_a_black_hole_among_transfers_is_named_by_both_its_partners() -> None:
    waiting = [Complaint(4, (7,)), Complaint(7, (4, 1)), Complaint(1, (7,))]
    assert suspects(waiting) == [7]


def test_two_nodes_that_wait_for_each_other_are_both_suspects() -> None:
    assert suspects([Complaint(2, (5,)), Complaint(5, (2,))]) == [2, 5]
    assert culprit([Complaint(2, (5,))]) == 5
    assert suspects([]) == [] and culprit([]) is None


def error(code: str, *peers: int) -> AgentError:
    return AgentError("n", code, "it failed", peers)


def test_nodes_that_lose_who_gave_up_say_nothing_new() -> None:
    errors = {
        1: error("peer-silent", 9),
        2: error("peer-lost", 1),
        3: error("peer-lost", 1),
        4: error("peer-lost", 2),
        9: error("peer-silent", 4),
    }
    assert culprit(complaints_of(errors)) == 9


def alive(phase: int, state: str, moved: int = 0, *waiting: int) -> Alive:
    return Alive(phase=phase, state=state, moved_bytes=moved, waiting_for=waiting)


def test_no_node_is_judged_as_long_as_a_byte_moves() -> None:
    watch = HeartbeatWatch([0, 1], PATIENCE_S, 0.0)
    for second in range(30):
        watch.tick(float(second))
        watch.hear(0, alive(0, "transfer", second, 1), float(second))
        watch.hear(1, alive(0, "transfer", 0, 0), float(second))
        assert not watch.is_stalled(float(second)) and not watch.silent(float(second))


def test_a_node_that_says_nothing_is_silent_and_one_that_is_through_is_not() -> None:
    watch = HeartbeatWatch([0, 1, 2], PATIENCE_S, 0.0)
    watch.leave_out(2)
    for second in range(1, 12):
        watch.tick(float(second))
        watch.hear(0, alive(0, "barrier"), float(second))
    assert watch.silent(11.0) == [1]


def test_those_least_far_are_asked_whom_they_wait_for() -> None:
    watch = HeartbeatWatch([0, 1, 2, 3], PATIENCE_S, 0.0)
    for second in range(13):
        watch.tick(float(second))
        watch.hear(0, alive(4, "barrier", 0, 3), float(second))
        watch.hear(1, alive(3, "transfer", 0, 2), float(second))
        watch.hear(2, alive(3, "transfer", 0, 1, 3), float(second))
        watch.hear(3, PhaseOver(3, 0.0), float(second))
    assert watch.is_stalled(13.0)
    assert suspects(watch.complaints()) == [2]


def test_a_pause_ends_when_anything_moves_and_short_ones_are_not_said() -> None:
    watch = HeartbeatWatch([0, 1], PATIENCE_S, 0.0)
    watch.hear(0, alive(0, "transfer", 1, 1), 1.0)
    assert [watch.pause_s(1.0 + since * PATIENCE_S) for since in (0.1, 0.5)] == [
        0.0,
        0.5 * PATIENCE_S,
    ]
    watch.hear(0, alive(0, "transfer", 2, 1), 7.0)
    assert watch.pause_s(7.5) == 0.0


def test_a_node_that_says_no_more_for_a_while_is_what_others_waited_for() -> None:
    watch = HeartbeatWatch([0, 1, 2], PATIENCE_S, 0.0)
    watch.hear(0, alive(1, "barrier", 0, 2), 1.0)
    watch.hear(1, alive(1, "barrier", 0, 2), 1.0)
    assert watch.held_up_by() == [2]


def test_a_node_that_was_stopped_itself_judges_none() -> None:
    watch = HeartbeatWatch([0, 1], PATIENCE_S, 0.0)
    watch.tick(1.0)
    watch.tick(1000.0)
    assert not watch.silent(1000.5) and not watch.is_stalled(1000.5)


def test_of_many_that_are_silent_at_a_time_it_is_said_how_many() -> None:
    judge = FaultJudge(str)
    assert judge.mute([3], 10).lost[3].reason == "the agent sent nothing for 10 s"
    reasons = {error.reason for error in judge.mute([3, 4, 5], 10).lost.values()}
    assert len(reasons) == 1 and "nor did those of 2 more" in reasons.pop()
