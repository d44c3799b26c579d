"""A part of a node that is full: which, from where on, and what the simulator itself gives with a faster one."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import weft_json
from support.made.computed import compute
from support.runs import change_meta
from weft.decisions.recommendations.judging import JudgingRequest
from weft.decisions.recommendations.recommend import recommend
from weft.decisions.recommendations.recommendations import RecommendationList
from weft.runs.folder import RunFolder
from weft.understand.limits.diagnosis import diagnose
from weft.understand.node.full_part import FullPart, full_parts
from weft.understand.summary.summary import summarise

SIZES = '["1 KiB", "16 KiB", "128 KiB", "1 MiB", "4 MiB"]'
GIGABIT_MBPS = 1e3 * 1448 / 1538
"""What TCP with time stamps gets of Gigabit Ethernet with frames of 1,500 B."""


def run(folder: Path, on: str, plan: str = "latency") -> RunFolder:
    return compute(folder, plan, f"node:{on}", steps__0__sizes=SIZES)


def only(found: list[FullPart]) -> FullPart:
    (one,) = found
    return one


def rate_mbps(found: RunFolder) -> float:
    return summarise(found).points[-1].throughput_mbps.median


def advice(found: RunFolder) -> RecommendationList:
    return recommend([str(found.directory)], JudgingRequest())


def test_the_bus_of_a_slot_is_the_limit_until_the_link_is(tmp_path: Path) -> None:
    one = only(full_parts(run(tmp_path / "run", "beowulf-hope-slot")))
    assert (one.part, one.nodes, one.from_bytes) == ("I/O bus", ("n1", "n2"), 128 << 10)
    faster = one.faster
    assert faster and (faster.key, faster.now) == ("io_bus.rate", "1.056 Gb/s")
    assert faster.all.rate_mbps == pytest.approx(GIGABIT_MBPS, rel=0.02)
    assert faster.next_part == "link out"
    rates = [one.rate_mbps for one in faster.tried]
    assert rates == sorted(rates) and rates[0] > faster.rate_mbps


def test_what_a_faster_part_brings_is_what_its_machine_gives(tmp_path: Path) -> None:
    now = run(tmp_path / "now", "beowulf-hope-slot")
    faster = only(full_parts(now)).faster
    assert faster and rate_mbps(now) == pytest.approx(faster.rate_mbps, rel=1e-6)
    for sped in (faster.twice, faster.much, faster.all):
        on = f"beowulf-hope-slot(io_bus.rate={sped.value})"
        then = run(tmp_path / sped.value.replace(" ", "").replace("/", ""), on)
        assert rate_mbps(then) == pytest.approx(sped.rate_mbps, rel=1e-6)


def test_the_study_asks_for_a_bus_of_two_gigabits(tmp_path: Path) -> None:
    """Its advice for Gigabit Ethernet is 2 Gb/s, for example 32 bit at 66 MHz, which is 2.112."""
    found = advice(run(tmp_path / "run", "beowulf-hope-slot"))
    (one,) = found.actions
    assert (one.kind, one.effort, one.nodes) == ("upgrade", "purchase", ("n1", "n2"))
    asked = one.do.partition("at least ")[2].partition(" Gb/s")[0]
    assert 2.0 <= float(asked) <= 2.112
    assert one.effect and one.effect.ratio.median == pytest.approx(
        0.9 * GIGABIT_MBPS / 597, rel=0.03
    )
    assert "Nothing to do" not in found.verdict


def test_a_bus_that_takes_long_for_each_access_is_not_mended_by_its_rate(tmp_path: Path) -> None:
    faster = only(full_parts(run(tmp_path / "run", "beowulf-speedy", "stream"))).faster
    assert faster and faster.next_part == "each access to the I/O bus"
    assert faster.all.rate_mbps < 0.7 * GIGABIT_MBPS


def test_a_full_link_is_said_and_is_no_reason_to_buy_another(tmp_path: Path) -> None:
    found = run(tmp_path / "run", "beowulf-reloaded-onboard", "stream")
    one = only(full_parts(found))
    assert (one.part, one.nodes) == ("link out", ("n1",))
    assert "the link of n1 is full" in diagnose(found).verdict
    assert not advice(found).actions


def test_without_the_description_the_part_is_known_and_its_gain_is_not(tmp_path: Path) -> None:
    found = run(tmp_path / "run", "beowulf-hope-slot")
    testbed = {name: one for name, one in found.meta.testbed.items() if name != "machine"}
    change_meta(found.directory, testbed=testbed)
    one = only(full_parts(RunFolder.open(found.directory)))
    assert one.part == "I/O bus" and one.faster is None


def test_the_json_names_it(tmp_path: Path) -> None:
    found = run(tmp_path / "run", "beowulf-hope-slot")
    (one,) = weft_json("diagnose", found.directory)["full_parts"]
    assert one["part"] == "I/O bus" and one["faster"]["next_part"] == "link out"
    assert one["text"] in diagnose(found).verdict


def test_a_machine_with_room_has_no_full_part(tmp_path: Path) -> None:
    on = "beowulf-hope-slot(io_bus.rate=8 Gb/s)"
    assert full_parts(run(tmp_path / "run", on)) == []
