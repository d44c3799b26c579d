"""Faults as sentences, with their direction and what ordinary nodes reach."""

from __future__ import annotations

from typing import Any

import pytest

from weft.base.condition import Fact
from weft.operate.acceptance.faults import faults
from weft.operate.acceptance.headline import headline, sentences
from weft.operate.acceptance.vendor.texts import date_text, duration_text, node_facts
from weft.operate.acceptance.verdict import Direction, RequirementVerdict, Symptom
from weft.operate.preflight.record import NodeRecord

SLOW: dict[str, Fact] = {"rate_mbps": 24.0, "share_of_group": 0.24, "single_route": False}
OF_OTHERS = "at 24 % of what the other nodes reach (24.0 of 100 Mb/s)"
LATE: dict[str, Fact] = {"latency_us": 110.0, "added_us": 65.0, "share_of_group": 2.4}


def slow(element: str, direction: Direction | None, **more: Fact) -> Symptom:
    nodes = tuple(element.removesuffix(f" {direction}").split(" to "))
    return Symptom("rate-low", nodes, element, direction, SLOW | more)


def told(*symptoms: Symptom) -> list[str]:
    (fault,) = faults([RequirementVerdict("nodes.slower", "", "not met", symptoms=symptoms)])
    assert headline(fault) == sentences(fault)[0]
    return sentences(fault)


@pytest.mark.parametrize(
    ("symptom", "said"),
    [
        (slow("n11 out", "out"), f"n11 sends {OF_OTHERS}; it receives well."),
        (slow("n11 in", "in"), f"n11 receives {OF_OTHERS}; it sends well."),
        (slow("n11", "both"), f"n11 sends and receives {OF_OTHERS}."),
        (
            slow("n4 to n9", None, single_route=True),
            f"n4 to n9 carries {OF_OTHERS}; other routes of both nodes are normal.",
        ),
    ],
)
def test_the_headline_has_the_direction(symptom: Symptom, said: str) -> None:
    assert told(symptom) == [said]


def test_rates_lead_and_each_other_kind_has_a_sentence() -> None:
    late = Symptom("latency-high", ("n7",), "n7", "both", LATE)
    worse = slow("n7", "both", rate_mbps=12.0, share_of_group=0.12)
    assert told(late, worse, slow("n7", "both")) == [
        "n7 sends and receives at 12 % of what the other nodes reach (12.0 of 100 Mb/s).",
        "n7 has a latency of 110 µs; ordinary pairs have 45.0 µs.",
    ]
    assert told(Symptom("node-dead", ("n3",), "n3")) == ["n3: a node does not answer."]


def test_dates_and_durations_are_words() -> None:
    assert date_text("2026-11-29T14:23:49+00:00") == "29 November 2026, 14:23 UTC"
    assert duration_text(473.9) == "7 min 54 s"


def test_the_speed_that_a_virtual_cable_states_is_not_told() -> None:
    for driver, told_speed in (("veth", False), ("ixgbe", True)):
        interface: Any = {"name": "eth0", "driver": driver, "link_mbps": 10_000}
        facts = dict(node_facts(NodeRecord("n1", ["10.0.0.1"], interfaces=[interface])))
        assert ("Link, Mb/s" in facts) is told_speed and facts["Driver"] == driver
