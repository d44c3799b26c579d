"""What a study expects of trials, and remembers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.made.round_trips import NO_TRIPS
from weft.runs.experiment import Experiment
from weft.understand.xray.cache import TurnCache
from weft.understand.xray.evidence import TrialEvidence
from weft.understand.xray.flows import Flow, as_arrays
from weft.understand.xray.knowledge import Knowledge
from weft.understand.xray.limit.limit import PortRates
from weft.understand.xray.survey import Survey
from weft.understand.xray.trial import FlowTrial

FAST, SLOW = frozenset(range(4)), frozenset(range(4, 8))


def around(*nodes: int) -> list[Flow]:
    return list(zip(nodes, nodes[1:] + nodes[:1], strict=True))


def knowledge_of(rates_mbps: list[float], ports: PortRates) -> Knowledge:
    """What two groups did at the same time, each by itself, six times over."""
    flows = as_arrays(around(0, 1, 2, 3) + around(4, 5, 6, 7))
    about = tuple(Experiment("inside", group, group) for group in (FAST, SLOW))
    rounds = [FlowTrial(i, *flows, np.array(rates_mbps), about) for i in range(6)]
    survey = Survey(8, frozenset(), NO_TRIPS, [])
    return Knowledge(survey, TrialEvidence(rounds), ports)


def test_groups_of_other_speeds_that_are_tried_together_are_each_held_against_their_own() -> None:
    mbps = np.array([100.0] * 4 + [10.0] * 4)
    knowledge = knowledge_of([95.0] * 4 + [9.5] * 4, PortRates(mbps, mbps))
    for group in (FAST, SLOW):
        decision, _ = knowledge.judged("inside", group, group)
        assert decision.ratios == pytest.approx([0.95] * 6)


def test_what_is_expected_follows_the_ports() -> None:
    knowledge = knowledge_of([50.0] * 8, PortRates(np.full(8, 100.0), np.full(8, 100.0)))
    assert knowledge.judged("inside", FAST, FAST)[0].ratio.median == pytest.approx(0.5)
    knowledge = replace(knowledge, ports=PortRates(np.full(8, 50.0), np.full(8, 100.0)))
    assert knowledge.judged("inside", FAST, FAST)[0].ratio.median == pytest.approx(1.0)


def test_a_cache_drops_what_a_whole_turn_did_not_ask_for() -> None:
    cache = TurnCache()
    cache.turn()
    worked_out: list[str] = []

    def work_out(key: str) -> str:
        worked_out.append(key)
        return key.upper()

    def ask(key: str) -> str:
        return cache.get(key, lambda: work_out(key))

    assert [ask("a"), ask("b"), ask("a")] == ["A", "B", "A"]
    cache.turn()
    assert ask("a") == "A"
    cache.turn()
    assert [ask("a"), ask("b")] == ["A", "B"]
    assert worked_out == ["a", "b", "b"]
