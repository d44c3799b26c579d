"""weft diagnose: findings as sentences, tables and JSON, and what differs from a declared fabric."""

import dataclasses
import functools
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from support.here import refusal, weft, weft_json
from support.live.virtual_cluster import Simulation, VirtualCluster, network_of, simulate, star
from support.made.synthetic import run_meta
from support.paths import DATA
from support.runs import affine_us, launches_of, pingpong_run
from weft.base.interval import Interval
from weft.faces.cli.results.diagnose import print_findings
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.understand.limits.diagnosis import diagnose, study_of
from weft.understand.limits.differences import differences
from weft.understand.limits.findings import LimitFinding, LimitFindings, SlowPart
from weft.understand.limits.folded import capacity_of, fold_limits, fold_slow
from weft.understand.limits.wording import cut_text, limit_text, slow_text, verdict_text

RACKS = (DATA / "fabrics/racks.toml").read_text()
"""Six hosts exchange with six others through what two of them could fill."""

FIRST, SECOND = tuple(f"n{i}" for i in range(1, 7)), tuple(f"n{i}" for i in range(7, 13))
UPLINK_MBPS = 20 * 1448 / 1538


def swapped(text: str) -> str:
    """n2 and n9 in each other's place."""
    text = text.replace('"n[1-6]"', '"n[1,9,3-6]"')
    return text.replace('"n[7-12]"', '"n[7-8,2,10-12]"')


MOVED = RACKS.replace('"n[1-6]"', '"n[1-7]"').replace('"n[7-12]"', '"n[8-12]"')


@functools.cache
def simulated(text: str = RACKS, busy: float = 0.0) -> Simulation:
    return simulate(VirtualCluster(network_of(text), busy=busy))


def run_on(folder: Path, text: str = RACKS, **testbed: Any) -> RunFolder:
    simulation = simulated(text)
    simulation.meta.testbed = {"kind": "virtual", "name": "arithmetic", "scale": 0.1, **testbed}
    return simulation.write(folder / "run")


def fabric_file(folder: Path, text: str) -> Path:
    path = folder / "fabric.toml"
    path.write_text(text)
    return path


def test_findings_name_groups_and_limits(tmp_path: Path) -> None:
    found = diagnose(run_on(tmp_path))
    assert set(found.groups) == {FIRST, SECOND}
    assert found.groups[0] == FIRST
    limits = {(one.kind, one.members, one.against, one.direction) for one in found.limits}
    assert limits == {("trunk", FIRST, SECOND, "out"), ("trunk", FIRST, SECOND, "in")}
    for limit in found.limits:
        assert limit.capacity_mbps.median == pytest.approx(UPLINK_MBPS, rel=0.05)
        assert limit.capacity_mbps.low <= limit.capacity_mbps.median <= limit.capacity_mbps.high
        assert limit.oversubscription == pytest.approx(3.0, rel=0.1)
        assert 0.5 < limit.confidence < 1
        assert "6 members" in limit.evidence
    assert found.full_rate_mbps is not None
    assert found.full_rate_mbps.median == pytest.approx(9.4, rel=0.05)
    assert found.slow == found.undecided == found.differences == []


def test_json_has_the_documented_keys(tmp_path: Path) -> None:
    run_on(tmp_path, RACKS + SLOW_PORT)
    found = weft_json("diagnose", tmp_path / "run")
    assert set(found) >= {"verdict", "groups", "limits", "slow"}
    assert found["groups"] == [list(FIRST), list(SECOND)]
    (limit, _) = found["limits"]
    fixed = {"kind", "members", "against", "direction", "capacity_mbps", "confidence", "evidence"}
    assert set(limit) >= fixed | {"demand_mbps", "oversubscription"}
    assert limit["members"] == list(FIRST)
    assert limit["against"] == list(SECOND)
    assert limit["direction"] in ("out", "in")
    (slow,) = found["slow"]
    assert set(slow) >= {"kind", "nodes", "rate_mbps", "direction", "expected_mbps", "evidence"}
    assert (slow["kind"], slow["nodes"]) == ("node", ["n7"])
    for interval in (limit["capacity_mbps"], slow["rate_mbps"], found["full_rate_mbps"]):
        assert set(interval) == {"median", "low", "high"}
    assert found["undecided"] == found["differences"] == []


def test_findings_without_anything_are_empty_lists_and_null() -> None:
    lists = (
        "groups limits slow undecided differences unobservable pairs thresholds explanations "
        "recommendations studies full_parts"
    )
    empty: dict[str, Any] = {name: [] for name in lists.split()}
    missing = dict.fromkeys(("full_rate_mbps", "paths", "grey"))
    said = {"verdict": "nothing", "has_several_paths": False}
    assert LimitFindings("nothing").to_json() == empty | missing | said


def test_a_run_of_two_nodes_has_no_inside(tmp_path: Path) -> None:
    pingpong_run(tmp_path / "pair", [1, 1000], launches_of(affine_us([1, 1000], 28.0, 94.1)))
    found = weft_json("diagnose", tmp_path / "pair")
    assert found["verdict"].startswith("n1 to n2: latency 28")
    assert found["limits"] == found["groups"] == []
    assert weft("diagnose", tmp_path / "pair").stdout.startswith(found["verdict"])
    # Nor has one without samples, yet.
    run = run_on(tmp_path)
    empty = Simulation(simulated().search, run.meta, [simulated().samples[:0]])
    assert "Nothing was measured" in diagnose(empty.write(tmp_path / "empty")).verdict


def test_only_a_search_says_that_there_is_no_limit(tmp_path: Path) -> None:
    whole = simulated(star(8))
    plan = replace(whole.meta.plan, steps=whole.meta.plan.steps[:2])
    surveyed = whole.first(0)
    surveyed.meta.plan = plan
    found = diagnose(surveyed.write(tmp_path / "run"))
    assert found.verdict == "No limits were searched for: `weft run xray` does that."
    assert found.full_rate_mbps is not None
    assert diagnose(whole.write(tmp_path / "whole")).verdict.startswith("No inner limit found.")


def test_what_all_nodes_share_may_be_a_late_labs_own(tmp_path: Path) -> None:
    simulation = simulated(star(12, 'capacity = "600 Mb/s"'))
    (limit,) = diagnose(simulation.write(tmp_path / "calm")).limits
    assert limit.kind == "switch" and len(limit.members) == 12
    simulation.meta.warnings = [Warning("lab-late", "frames left too late", "")]
    found = diagnose(simulation.write(tmp_path / "late"))
    simulation.meta.warnings = []
    assert found.limits == found.groups == []
    assert found.undecided[0].startswith("whether 12 nodes share a limit of 5")
    assert found.undecided[0].endswith("or the machine that carries the lab was the limit: n[1-12]")


def test_the_table_shows_verdict_limits_slow_and_warnings(tmp_path: Path) -> None:
    simulation = simulated(RACKS + SLOW_PORT)
    simulation.meta.warnings = [Warning("odd", "something odd", "look")]
    run_on(tmp_path, RACKS + SLOW_PORT)
    simulation.meta.warnings = []
    text = weft("diagnose", tmp_path / "run").stdout
    assert text.startswith("2 limits inside the network: ")
    lines = text.splitlines()
    (out,) = [line for line in lines if re.search(r"trunk +out to n\[7-12\]", line)]
    (inward,) = [line for line in lines if re.search(r"trunk +in from n\[7-12\]", line)]
    for line in (out, inward):
        assert line.split()[:2] == ["n[1-6]", "trunk"]
        assert line.split()[-2:] == ["2.5", "97"]
    (slow,) = [line for line in lines if line.split()[:2] == ["n7", "node"]]
    assert "0.9" in slow and "9.4" in slow
    assert "warning: something odd" in text


def test_what_is_undecided_is_shown(tmp_path: Path) -> None:
    simulated(star(12), 0.4).write(tmp_path / "run")
    text = weft("diagnose", tmp_path / "run").stdout
    assert text.startswith("No inner limit found so far, one question undecided.")
    assert "undecided\n  whether 12 nodes share a limit among themselves: n[1-12]" in text


# What is not as declared.

SLOW_PORT = '[[overrides]]\nids = "n7"\nlink = { rate = "10 Mb/s" }\n'


def told(folder: Path, measured: str, declared: str, *options: str) -> list[str]:
    """What `weft diagnose` tells about a run on one fabric, where another is declared."""
    run_on(folder, measured)
    file = fabric_file(folder, declared)
    return weft_json("diagnose", folder / "run", "--fabric", file, *options)["differences"]


@pytest.mark.parametrize(
    ("measured", "declared", "patterns"),
    [
        (RACKS, RACKS, []),
        (
            RACKS + SLOW_PORT,
            RACKS,
            [rf"n7 {does} 0\.9.* declared 9\.41 Mb/s" for does in ("receives", "sends")],
        ),
        (
            RACKS,
            RACKS.replace("200 Mb/s", "300 Mb/s"),
            [rf"n\[1-6\] {way}: .* in all, declared 28\.2 Mb/s" for way in ("in", "out")],
        ),
        (RACKS, star(12), [".*no such limit is declared.*"] * 2),
        (
            RACKS,
            RACKS.replace("n[7-12]", "n[7-11,13-14]"),
            ["n12: in the run, but not declared", r"n\[13-14\]: declared, but not in the run"],
        ),
    ],
    ids=["nothing", "a port", "a capacity", "an undeclared limit", "other nodes"],
)
def test_what_is_not_as_declared_is_told(
    tmp_path: Path, measured: str, declared: str, patterns: list[str]
) -> None:
    lines = sorted(told(tmp_path, measured, declared))
    assert len(lines) == len(patterns)
    assert all(map(re.fullmatch, patterns, lines)), lines


@pytest.mark.parametrize(
    ("measured", "declared", "line"),
    [
        (swapped(RACKS), RACKS, "n9 and n2 look swapped"),
        (RACKS, swapped(RACKS), "n2 and n9 look swapped"),
        (RACKS, MOVED, "n7: measured among n[8-12], declared among n[1-6]"),
    ],
)
def test_nodes_in_another_place_are_told(
    tmp_path: Path, measured: str, declared: str, line: str
) -> None:
    lines = told(tmp_path, measured, declared)
    assert [one for one in lines if "Mb/s" not in one] == [line]
    shown = weft("diagnose", tmp_path / "run", "--fabric", tmp_path / "fabric.toml").stdout
    assert f"not as declared\n  {line}" in shown


FED_CHIPS = (DATA / "fabrics/fed_chips.toml").read_text()
"""Chips that pass all that their hosts send, on two cards that do not."""


def test_limits_that_nodes_cannot_fill_are_not_observable(tmp_path: Path) -> None:
    assert told(tmp_path, FED_CHIPS, FED_CHIPS) == []
    file = tmp_path / "fabric.toml"
    assert weft_json("diagnose", tmp_path / "run", "--fabric", file)["unobservable"] == [
        f"card{card}/chip{chip}" for card in (1, 2) for chip in (1, 2)
    ]
    shown = weft("diagnose", tmp_path / "run", "--fabric", file).stdout
    assert "not as declared" not in shown
    (line,) = [line for line in shown.splitlines() if line.startswith("not observable")]
    assert line == "not observable: card1/chip[1-2], card2/chip[1-2] (the nodes cannot fill them)"


CHAIN = (DATA / "fabrics/chain.toml").read_text()
"""What is declared of eight hosts is measured at the other two, where in and out are the other way round."""


def test_a_limit_may_be_declared_on_the_other_side_of_the_cut(tmp_path: Path) -> None:
    assert told(tmp_path, CHAIN, CHAIN) == []
    (limit, _) = sorted(
        weft_json("diagnose", tmp_path / "run")["limits"], key=lambda one: one["direction"]
    )
    assert (limit["members"], limit["direction"]) == (["n9", "n10"], "in")
    assert limit["capacity_mbps"]["median"] == pytest.approx(12 * 1448 / 1538, rel=0.05)


def test_the_fabric_is_scaled_as_the_run_was_unless_told(tmp_path: Path) -> None:
    assert told(tmp_path, RACKS, RACKS, "--scale", "0.1") == []
    full = weft_json(
        "diagnose", tmp_path / "run", "--fabric", tmp_path / "fabric.toml", "--scale", "1"
    )
    ports = [line for line in full["differences"] if line.endswith("declared 94.1 Mb/s")]
    assert len(ports) == 2 * 12


def test_the_order_of_the_declared_hosts_does_not_matter(tmp_path: Path) -> None:
    first, second = RACKS.index("[[hosts]]"), RACKS.rindex("[[hosts]]")
    end = RACKS.index("[[links]]")
    reordered = RACKS[:first] + RACKS[second:end] + RACKS[first:second] + RACKS[end:]
    declared = network_of(reordered)
    assert declared.hosts != network_of(RACKS).hosts
    run = run_on(tmp_path)
    names = [node["name"] for node in run.meta.nodes]
    assert differences(declared, study_of(run), names) == []


def test_wrong_requests_are_refused(tmp_path: Path) -> None:
    run_on(tmp_path)
    unknown = refusal("diagnose", tmp_path / "run", "--fabric", "xibalba-e7-33")
    assert "xibalba-e7-33" in unknown and "xibalba-e7-32" in unknown
    file = fabric_file(tmp_path, 'name = "x"\n')
    assert "hosts" in refusal("diagnose", tmp_path / "run", "--fabric", file)
    assert "not a run folder" in refusal("diagnose", tmp_path)


def a_limit(kind: str, direction: str, over: float = 2.0, capacity: float = 10.0) -> LimitFinding:
    against = SECOND if kind == "trunk" else None
    interval = Interval(capacity, capacity, capacity)
    return LimitFinding(kind, FIRST, against, direction, interval, over * capacity, 0.97, "tests")


@pytest.mark.parametrize(
    ("kind", "direction", "words"),
    [
        ("trunk", "out", "n[1-6] to n[7-12]"),
        ("trunk", "in", "n[7-12] to n[1-6]"),
        ("uplink", "out", "out of n[1-6]"),
        ("uplink", "in", "into n[1-6]"),
        ("core", "inside", "between the parts of n[1-6]"),
        ("switch", "inside", "everything that n[1-6] send or receive"),
    ],
)
def test_each_kind_of_limit_has_its_clause(kind: str, direction: str, words: str) -> None:
    assert limit_text(a_limit(kind, direction)) == f"{words} 10.0 Mb/s (2.0x oversubscribed)"


def test_fast_limits_are_in_gigabits_and_not_in_powers_of_ten() -> None:
    fast = limit_text(a_limit("uplink", "out", capacity=123_456.0))
    assert fast == "out of n[1-6] 123 Gb/s (2.0x oversubscribed)"
    slow = SlowPart(
        "node", ("n7",), None, Interval(12_345.0, 12_345.0, 12_345.0), 94_100.0, "tests"
    )
    assert slow_text(slow) == "n7 12.3 of 94.1 Gb/s"


@pytest.mark.parametrize(
    ("slow", "words"),
    [
        (("node", ("n7",), None), "n7 1.00 of 9.40 Mb/s"),
        (("direction", ("n7",), "out"), "n7 sending 1.00 of 9.40 Mb/s"),
        (("direction", ("n7",), "in"), "n7 receiving 1.00 of 9.40 Mb/s"),
        (("route", ("n7", "n2"), None), "from n7 to n2 1.00 of 9.40 Mb/s"),
    ],
)
def test_each_kind_of_slowness_has_its_clause(slow: tuple[Any, ...], words: str) -> None:
    assert slow_text(SlowPart(*slow, Interval(1.0, 1.0, 1.0), 9.4, "tests")) == words


def test_the_verdict_begins_with_the_tightest_and_counts_the_rest() -> None:
    limits = [a_limit("uplink", "out", over) for over in (2.0, 5.0, 3.0, 4.0, 1.5)]
    text = verdict_text(limits, [], "", True, [])
    assert text.startswith("5 limits inside the network: out of n[1-6] 10.0 Mb/s (5.0x")
    assert text.endswith("; and 1 more.")
    assert "1.5x" not in text
    assert verdict_text(limits[:1], [], "", True, []).startswith("One limit inside the network: ")


def test_the_limits_of_racks_are_told_together() -> None:
    racks = [tuple(f"n{4 * rack + host}" for host in range(1, 5)) for rack in range(4)]
    limits = [
        dataclasses.replace(a_limit("uplink", way, capacity=10.0 + 0.1 * place), members=rack)
        for place, rack in enumerate(racks)
        for way in ("out", "in")
    ]
    (same,) = fold_limits(limits)
    assert capacity_of(same).high == pytest.approx(10.3)
    assert verdict_text(limits, [], "", True, []) == (
        "8 limits inside the network: out of and into 4 groups of 4 (n[1-4] ... n[13-16]) "
        "10.1 Mb/s each (2.0x oversubscribed)."
    )
    # One that lacks a direction: what is said of all groups must be true of each.
    assert [len(one) for one in fold_limits(limits[:-1])] == [3, 4]
    assert len(fold_limits([a_limit("uplink", way) for way in ("out", "in")])) == 2


def test_nodes_that_are_slow_alike_are_one_set_and_routes_are_not() -> None:
    rate = Interval(1.0, 1.0, 1.0)
    nodes = [SlowPart("node", (f"n{i}",), None, rate, 9.4, "tests") for i in range(3)]
    routes = [SlowPart("route", (f"n{i}", "n9"), None, rate, 9.4, "tests") for i in range(3)]
    found = fold_slow([*nodes, *routes])
    assert [one.nodes for one in found] == [("n0", "n1", "n2"), *(one.nodes for one in routes)]


def test_the_verdict_claims_no_more_than_was_decided() -> None:
    assert verdict_text([], [], "All cuts.", True, []) == "No inner limit found. All cuts."
    assert "found so far, one question" in verdict_text([], [], "All cuts.", True, ["whether"])
    assert "searched for" in verdict_text([], [], "", False, [])
    # 0.05 ** (1/14) is 0.807, which is not "at least 81 %".
    said = cut_text(SimpleNamespace(bisection_shares=[0.968] + [0.99] * 13))  # type: ignore[arg-type]
    assert "delivered 96 % of full" in said and "at least 80 % of all bisections" in said


def test_the_tables_have_plain_numbers_and_print_equal_ends_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    limit = dataclasses.replace(
        a_limit("uplink", "out"), capacity_mbps=Interval(3770.2, 3770.1, 3770.3)
    )
    slow = SlowPart("node", ("n3",), None, Interval(1200.0, 1150.0, 1210.0), 9410.0, "")
    print_findings(
        LimitFindings("One limit.", limits=[limit], slow=[slow]), run_meta("pair", "pingpong", 5)
    )
    said = capsys.readouterr().out
    assert "e+" not in said
    limits, slow = said.split("\nslow\n")
    assert " 3770 " in limits and "from" not in limits
    assert re.search(r" 1200 +1150 +1210 +9410 ", slow)
    assert " 97 " in limits and "not the probability that the limit is there" in said
