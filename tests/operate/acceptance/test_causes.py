"""Causes of symptoms: the order that facts give, files of rules that are refused, and the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.base.condition import Fact
from weft.base.errors import RequestError
from weft.operate.acceptance.causes import causes, page, read_rules, rules, vocabulary
from weft.operate.acceptance.verdict import Direction, Symptom

ROOT = Path(__file__).resolve().parents[3]
RULE = """title = "Made up"

[cable]
title = "A cable"
text = "It is bad."
check = "`ethtool`"
remedy = "Another one."
when = [{{ {clause} }}]
"""


def likely(kind: str, direction: Direction | None = None, **facts: Fact) -> list[str]:
    return [one.code for one in causes(Symptom(kind, ("n1",), "n1", direction, facts))]


SEEN = [
    ("link-speed", "rate-low", {"share_of_expected": 0.1, "one_direction": False, "single_route": False}),
    ("bond-member", "rate-low", {"share_of_expected": 0.5, "one_direction": False, "single_route": False}),
    ("duplex", "rate-low", {"share_of_expected": 0.1, "one_direction": True, "single_route": False}),
    ("hash-member", "rate-low", {"share_of_expected": 0.2, "one_direction": True, "single_route": True}),
    ("uplink-member", "limit-narrow", {"share_of_expected": 0.5, "all_of_leaf": True}),
    ("uplink-speed", "limit-narrow", {"share_of_expected": 0.1, "all_of_leaf": True}),
    ("cable", "loss", {"interface_errors": 17.0, "lost_when_idle": False}),
    ("burst-loss", "loss", {"interface_errors": 0.0, "lost_when_idle": False, "single_route": False}),
    ("jumbo-off", "mtu", {"on_path": True}),
    ("mtu-setting", "mtu", {"property": "mtu", "on_path": False}),
    ("power-saving", "latency-high", {"rate_is_full": True, "single_route": False, "spread_share": 0.9}),
    ("long-path", "latency-high", {"rate_is_full": True, "single_route": False, "added_us": 400.0}),
    ("time-service", "clock", {"offset_us": 2e5}),
    ("hardware-clock", "clock", {"offset_us": -3.6e9}),
]  # fmt: skip


@pytest.mark.parametrize(("first", "kind", "facts"), SEEN)
def test_facts_decide_the_first_cause(first: str, kind: str, facts: dict[str, Fact]) -> None:
    assert likely(kind, **facts)[0] == first


def test_every_kind_has_causes_without_any_fact_and_at_most_five() -> None:
    without_facts = {kind: likely(kind) for kind in vocabulary().kinds}
    assert [kind for kind, codes in without_facts.items() if not codes] == []
    assert max(map(len, without_facts.values())) <= 5
    assert len({rule.cause.code for rule in rules()}) == len(rules())


def test_the_direction_is_a_fact() -> None:
    inwards = likely("rate-low", "in", one_direction=True, softirq_above_others=0.6)
    assert inwards[0] == "receive-side"
    assert "receive-side" not in likely(
        "rate-low", "out", one_direction=True, softirq_above_others=0.6
    )


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ('kind = "rate-lo", weight = 1', 'did you mean "rate-low"'),
        ('kind = "rate-low", weight = 0', "weight: must be a number above 0"),
        ('kind = "rate-low", weight = 1, single_rout = true', 'did you mean "single_route"'),
        ('kind = "rate-low", weight = 1, single_route = "yes"', "must be a flag"),
        ('kind = "rate-low", weight = 1, added_us = { least = 3 }', "unknown field `least`"),
        ('kind = "rate-low", weight = 1, added_us = 3', "got `int`"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_place(tmp_path: Path, clause: str, message: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(RULE.format(clause=clause))
    with pytest.raises(RequestError, match=r"rules\.toml:8: cable\.when") as error:
        read_rules(path)
    assert message in str(error.value)


def test_the_page_is_the_table() -> None:
    assert (ROOT / "docs/causes.md").read_text() == page()
