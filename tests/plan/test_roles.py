"""A phase seen by its nodes, and without some of them."""

from support.plans import a_step
from weft.plan.pattern import Cast
from weft.plan.phases import Phase, Transfer, Work
from weft.plan.plan import StopRule, TimeRule
from weft.plan.roles import SourceRole, participants, parts, without

STEP = a_step(Cast(nodes=None, chunk_bytes=4096, networks=2, sweep=False))


def phase(*routes: tuple[int, ...], work: Work = "stream", stop: StopRule | None = None) -> Phase:
    transfers = [Transfer(src, dst, 8, 2, *network) for src, dst, *network in routes]
    return Phase(3, 8, work, tuple(transfers), stop=stop)


def routes(a_phase: Phase) -> list[tuple[int, int, int]]:
    return [(*one.ends, one.network) for one in a_phase.transfers]


def test_each_node_gets_its_part_and_one_without_any_an_empty_one() -> None:
    found = parts(phase((0, 1), (1, 2)), [0, 1, 2, 3], STEP)
    assert [len(found[node].send) for node in range(4)] == [1, 1, 0, 0]
    assert [len(found[node].receive) for node in range(4)] == [0, 1, 1, 0]
    assert found[1].send == [SourceRole(dst=2, streams=2, network=0)]
    assert (found[3].phase, found[3].stop, found[3].chunk_bytes) == (3, STEP.stop, 4096)


def test_a_phase_may_have_its_own_stop_rule() -> None:
    own = TimeRule(trial_ns=1, trials=1)
    assert parts(phase((0, 1), stop=own), [0, 1], STEP)[0].stop == own


def test_transfers_of_lost_nodes_are_left_out() -> None:
    left = without(phase((0, 1), (1, 2), (2, 3)), {1})
    assert routes(left) == [(2, 3, 0)]
    assert participants(left) == {2, 3}


def test_a_chain_closes_up_behind_a_lost_node() -> None:
    chain = phase((0, 1), (1, 2), (2, 3), (0, 1, 1), (1, 2, 1), (2, 3, 1), work="cast")
    assert routes(without(chain, {1})) == [(0, 2, 0), (2, 3, 0), (0, 2, 1), (2, 3, 1)]
    assert routes(without(chain, {0, 3})) == [(1, 2, 0), (1, 2, 1)]
    assert routes(without(chain, {0, 1, 2})) == []
