"""Flows between leaves that are held up unevenly, as over several paths, and those that are not."""

import numpy as np
import pytest

from weft.runs.experiment import Experiment
from weft.runs.records.records import Kind
from weft.understand.xray.cache import TurnCache
from weft.understand.xray.evidence import TrialEvidence
from weft.understand.xray.flows import Flow, as_arrays
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.several_paths import Leaves, by_itself, has_several_paths
from weft.understand.xray.tree.grouping import Group
from weft.understand.xray.trial import FlowTrial

HOSTS = 4
FIRST, SECOND = frozenset(range(HOSTS)), frozenset(range(HOSTS, 2 * HOSTS))
EVERYONE = FIRST | SECOND
LEAVES = Leaves(Group(EVERYONE, (Group(FIRST), Group(SECOND))))
SLOW = 3
PORTS = PortRates(*(np.where(np.arange(2 * HOSTS) == SLOW, 4.0, 10.0) for _ in range(2)))


def trial(
    phase: int, flows: list[Flow], mbps: tuple[float, ...], kind: Kind = "cross"
) -> FlowTrial:
    group = FIRST if kind == "out" else EVERYONE
    experiment = Experiment(kind, group, EVERYONE)
    return FlowTrial(phase, *as_arrays(flows), np.array(mbps), (experiment,))


def rounds(mbps: tuple[float, ...], kind: Kind = "cross", of: range = range(20)) -> list[FlowTrial]:
    """Phases in which all of the first leaf send to the second one, each time to another node."""
    return [trial(n, [(a, HOSTS + (a + n) % HOSTS) for a in sorted(FIRST)], mbps, kind) for n in of]


@pytest.mark.parametrize("kind", ["cross", "out"])
@pytest.mark.parametrize(
    ("mbps", "are_several"),
    [
        ((5.0, 5.0, 10.0, 4.0), True),
        ((6.0, 6.0, 6.0, 4.0), False),  # alike, but for the slow port
        ((5.0, 6.5, 5.5, 4.0), False),  # no flow has all that its port allows
        ((10.0, 9.5, 10.0, 4.0), False),  # no flow is held up
    ],
)
def test_one_is_free_while_others_wait(
    kind: Kind, mbps: tuple[float, ...], are_several: bool
) -> None:
    evidence = TrialEvidence(rounds(mbps, kind))
    assert has_several_paths(LEAVES, evidence, PORTS, TurnCache()) is are_several


def test_a_few_rounds_show_nothing() -> None:
    uneven, even = rounds((5.0, 5.0, 10.0, 4.0)), rounds((6.0, 6.0, 6.0, 4.0), of=range(20, 160))
    assert not has_several_paths(LEAVES, TrialEvidence(uneven[:14]), PORTS, TurnCache())
    assert not has_several_paths(LEAVES, TrialEvidence([*uneven, *even]), PORTS, TurnCache())


def test_flows_within_a_leaf_or_that_share_a_port_show_nothing() -> None:
    inside = [trial(n, [(0, 1), (1, 2), (2, 0)], (5.0, 5.0, 10.0)) for n in range(20)]
    shared = [trial(n, [(0, 4), (0, 5), (1, 6)], (5.0, 5.0, 10.0)) for n in range(20)]
    assert not has_several_paths(LEAVES, TrialEvidence(inside), PORTS, TurnCache())
    assert not has_several_paths(LEAVES, TrialEvidence(shared), PORTS, TurnCache())


def test_a_pair_is_by_itself_without_another_between_leaves() -> None:
    one = trial(0, [(0, 4), (4, 0), (1, 2)], (9.0, 9.0, 9.0))
    two = trial(1, [(0, 4), (1, 5)], (5.0, 5.0))
    assert by_itself(LEAVES, [one, two]) == [one]
