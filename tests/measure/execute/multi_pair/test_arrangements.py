"""Several pairs between two nodes: what a plan may ask, what a testbed settles, what rows say, what is drawn."""

import asyncio
import time
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from msgspec.structs import replace

from support.here import weft, weft_json
from support.made.cases import cases
from support.paths import DATA
from weft.base.errors import RequestError
from weft.measure.execute.multi_pair.counters import interface_names, judge
from weft.measure.execute.multi_pair.settle import bond_of, settle_pairs
from weft.measure.execute.multi_pair.synchronised import PairJob, Together
from weft.measure.execute.settle.settle import settle
from weft.measure.testbed.agent.reply import BatchTime, Facts, Interface
from weft.measure.testbed.agent.request import Batch
from weft.measure.testbed.base import Node
from weft.measure.testbed.open import open_testbed
from weft.plan.arrangements import arrangements
from weft.plan.load import load_plan, parse_plan
from weft.plan.phases import expand
from weft.plan.plan import Plan, Step
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import RunMeta
from weft.runs.samples import SCHEMA
from weft.understand.limits.diagnosis import diagnose
from weft.understand.multi_pair.multi_pair import MultiPairPoint, multi_pair_points
from weft.understand.report.page import Report

PLAN = (DATA / "plans/some_pairs.toml").read_text()
POLICIES = ("alone", "independent", "striped", "shared")
RATES = {"alone": 94.0, "independent": 93.0, "striped": 90.0, "shared": 94.0}
"""Mb/s of an interface under each policy."""


def plan_of(change: tuple[str, str] = ("", "")) -> Plan:
    return parse_plan(PLAN.replace(*change) if change[0] else PLAN, "the test's plan")


def step_of() -> Step:
    (step,) = plan_of().steps
    return step


def bed_of(kind: str = "lab", networks: int = 2, cpus: list[int] | None = None) -> Any:
    nodes = [
        Node(f"n{host}", f"10.0.0.{host}", tuple(f"10.{net}.0.{host}" for net in range(networks)))
        for host in (1, 2)
    ]
    more = {"cpus": cpus, "may_spin": False, "is_here": True}
    return SimpleNamespace(kind=kind, name="it", nodes=nodes, is_computed=False, **more)


@pytest.mark.parametrize(
    ("change", "message"),
    cases("plans", "wrong_pairs"),
)
def test_what_a_plan_may_not_ask(change: tuple[str, str], message: str) -> None:
    with pytest.raises(RequestError, match="steps") as refused:
        plan_of(change)
    assert message in refused.value.message


def test_the_arrangements_are_those_of_the_expansion() -> None:
    step = step_of()
    step = replace(step, pattern=replace(step.pattern, interfaces=POLICIES, networks=3))
    phases = expand(step, 2)
    found = arrangements(phases)
    assert len(phases) == 2 * (3 + 3 * 3)
    assert [phase for one in found for phase in one.phases] == list(range(len(phases)))
    carriers = {one.name: one.networks for one in found}
    assert carriers["interface 3"] == (2,)
    assert carriers["independent, 4"] == (0, 1, 2, 0)
    assert carriers["striped, 4"] == (0, 0, 0, 0)
    for arrangement in found:
        for phase, size in zip(arrangement.phases, (1024, 65536), strict=True):
            transfers = phases[phase].transfers
            assert phases[phase].size_bytes == size
            streams = 3 if arrangement.policy == "striped" else 1
            assert {one.streams for one in transfers} == {streams}


def test_the_testbed_decides_what_is_left_open() -> None:
    step = step_of()
    settled, notes = settle_pairs(step, step.pattern, bed_of(cpus=[0, 0]), None)
    assert settled.pattern == replace(step.pattern, interfaces=POLICIES, networks=2)
    assert settled.options == replace(step.options, cpus=(0,), wait="block")
    (note,) = notes
    assert note.code == "pairs-share-interfaces"
    assert note.message.startswith("4 pairs over 2 interfaces")
    assert settle_pairs(step, step.pattern, bed_of(networks=4), None)[1] == []
    for bed, policy in ((bed_of("local", 1), "memory"), (bed_of(networks=1), "shared")):
        settled, _ = settle_pairs(step, step.pattern, bed, None)
        assert settled.pattern.interfaces == (policy,)


@pytest.mark.parametrize(
    ("policy", "bed", "message"),
    [
        ("memory", bed_of(), "memory is inside one node, and lab:it"),
        ("shared", bed_of("local", 1), "shared is between two nodes, and local:it is one"),
        ("striped", bed_of(networks=1), "takes two interfaces or more, n1 has one"),
    ],
)
def test_what_a_testbed_does_not_have(policy: str, bed: Any, message: str) -> None:
    step = step_of()
    pattern = replace(step.pattern, interfaces=(policy,))
    with pytest.raises(RequestError, match=message):
        settle_pairs(step, pattern, bed, None)


def agent_with(*interfaces: tuple[str, str, bool]) -> Any:
    known = tuple(Interface(name, (address,), bonds) for name, address, bonds in interfaces)
    return SimpleNamespace(facts=Facts(interfaces=known))


def test_a_bond_is_found_or_its_lack_is_named() -> None:
    step = step_of()
    ends = [
        agent_with(("eth0", f"10.0.0.{host}", False), ("bond0", f"10.1.0.{host}", True))
        for host in (1, 2)
    ]
    assert bond_of(step, 2, bed_of(), ends) == 1
    plain = agent_with(("eth0", "10.0.0.1", False), ("eth1", "10.1.0.1", False))
    with pytest.raises(RequestError, match="n1 has none among eth0, eth1"):
        bond_of(step, 2, bed_of(), [plain, ends[1]])


def test_an_interface_that_carried_nothing_is_named() -> None:
    known = tuple(Interface(f"eth{i}", (f"10.{i}.0.1",)) for i in (0, 1))
    names = interface_names(Facts(interfaces=known), ["10.0.0.1", "10.1.0.1"])
    assert names == ["eth0", "eth1"]
    even = {"eth0": 50_000_000, "eth1": 50_000_000, "lo": 0}
    one_way = {"eth0": 99_000_000, "eth1": 900}
    assert judge("independent", 2, "n1", even, names, 1 << 20) is None
    warning = judge("independent", 2, "n1", one_way, names, 1)
    assert warning is not None
    assert "n1 sent next to nothing over eth1, all went over eth0" in warning.message
    assert "ip rule" in warning.hint
    multipath = judge("mptcp", 1, "n1", one_way, names, 1 << 20)
    assert multipath is not None
    assert "ip mptcp endpoint" in multipath.hint
    # Too little was sent to tell.
    assert judge("striped", 1, "n1", {"eth0": 90_000, "eth1": 900}, names, 1 << 20) is None
    # A message of one byte cannot be cut in two.
    assert judge("striped", 1, "n1", one_way, names, 1) is None
    assert judge("striped", 1, "n1", one_way, names, 1 << 20) is not None


class Driver:
    """The driving end of a pair that begins so many milliseconds late, at first."""

    def __init__(self, late_ms: int, times: int) -> None:
        self.late_ns, self.times = late_ms * 1_000_000, times
        self.leads_ns: list[int] = []

    async def send(self, batch: Batch) -> None:
        self.asked_ns = batch.start_ns
        self.leads_ns.append(self.asked_ns - time.monotonic_ns())

    async def expect(self, kind: type[BatchTime], beside: object) -> BatchTime:
        late_ns = self.late_ns if len(self.leads_ns) <= self.times else 0
        return kind(self.asked_ns + late_ns, elapsed_ns=10_000_000)


@pytest.mark.parametrize(("times", "tries", "late"), [(0, 1, 0), (1, 2, 0), (9, 3, 1)])
def test_a_pair_that_begins_late_has_all_begin_again(times: int, tries: int, late: int) -> None:
    drivers: list[Any] = [Driver(4, times), Driver(0, 0)]
    jobs = [PairJob(driver, driver, {}, {}, []) for driver in drivers]

    async def scenario() -> Together:
        together = Together(jobs, 0)
        assert len(await together.batch(1, 1)) == 2
        return together

    together = asyncio.run(scenario())
    assert [len(driver.leads_ns) for driver in drivers] == [tries, tries]
    assert together.late == late
    # Each time they are told earlier.
    assert drivers[0].leads_ns == sorted(drivers[0].leads_ns)


def made_up_run(directory: Path, test: str = "one-way") -> RunFolder:
    """Three timings of everything, the second 2 % slower; pair p begins p times 10 us after the first."""
    change = ('test = "one-way"', f'test = "{test}"')
    plan = plan_of(change)
    step, _ = settle_pairs(plan.steps[0], plan.steps[0].pattern, bed_of(), None)
    plan = plan.with_step(0, step)
    phases = expand(step, 2)
    rows = []
    for one, timing in product(arrangements(phases), range(3)):
        for phase in one.phases:
            rows += rows_of(one.policy, one.pairs, phase, phases[phase].size_bytes, timing)
    meta = RunMeta(plan, {"kind": "lab", "name": "two-nics"}, [{"name": "n1"}, {"name": "n2"}])
    meta.done = [[0, 0]]
    writer = RunWriter.create(directory, meta)
    writer.append(pa.RecordBatch.from_pylist(rows, schema=SCHEMA))
    return writer.finish("complete")


def rows_of(policy: str, pairs: int, phase: int, size: int, timing: int) -> list[dict[str, int]]:
    sharing = {"striped": pairs / 2, "shared": pairs, "independent": max(1.0, pairs / 2)}
    rate = RATES[policy] / sharing.get(policy, 1.0)
    elapsed_ns = round(128 * size * 8e3 / rate * (1.02 if timing == 1 else 1.0))
    row = {"step": 0, "phase": phase, "launch": 0, "src": 0, "dst": 1, "size_bytes": size}
    row |= {"messages": 128, "elapsed_ns": elapsed_ns}
    start_ns = phase * 10**9 + timing * 10**8
    return [
        row | {"batch": timing * pairs + pair, "start_ns": start_ns + pair * 10_000}
        for pair in range(pairs)
    ]


def at_largest(run: RunFolder, policy: str, pairs: int) -> MultiPairPoint:
    (found,) = [
        point
        for point in multi_pair_points(run)
        if (point.policy, point.pairs, point.size_bytes) == (policy, pairs, 65536)
    ]
    return found


def test_sums_shares_and_spread_come_from_the_rows(tmp_path: Path) -> None:
    run = made_up_run(tmp_path / "run")
    two = at_largest(run, "independent", 2)
    # From the first start to the last end, which is 10 us later for the second pair.
    whole_us = 128 * 65536 * 8 / 93.0
    assert two.sum_mbps.median == pytest.approx(2 * 128 * 65536 * 8 / (whole_us + 10), rel=1e-6)
    assert [pair.throughput_mbps.median for pair in two.each] == pytest.approx([93, 93], rel=1e-6)
    assert [pair.interface for pair in two.each] == [1, 2]
    assert two.of_alone is not None
    assert two.of_alone.median == pytest.approx(93 / 94, rel=1e-3)
    assert two.spread_pct == pytest.approx(2, abs=0.1)
    assert (two.timings, two.latency_us) == (3, None)
    four = at_largest(run, "shared", 4)
    assert four.of_alone is not None
    assert four.of_alone.median == pytest.approx(1.0, rel=1e-3)
    assert {pair.interface for pair in four.each} == {1}
    assert [pair.interface for pair in at_largest(run, "striped", 2).each] == [None, None]


def test_latency_is_half_a_round_trip_and_two_way_counts_both_ways(tmp_path: Path) -> None:
    latency = at_largest(made_up_run(tmp_path / "a", "latency"), "independent", 2)
    assert latency.latency_us is not None
    assert latency.latency_us.median == pytest.approx(65536 * 8 / 93.0 / 2, rel=1e-6)
    both = at_largest(made_up_run(tmp_path / "b", "two-way"), "independent", 1)
    assert both.sum_mbps.median == pytest.approx(2 * 93.0, rel=1e-6)


def test_the_order_is_said(tmp_path: Path) -> None:
    run = made_up_run(tmp_path / "run")
    found = diagnose(run)
    fastest = "With 4 pairs the fastest use of the interfaces is: one-way independent."
    assert found.verdict == fastest
    orders = {order.pairs: [point.policy for point in order.points] for order in found.pairs}
    assert orders[2] == orders[4] == ["independent", "striped", "shared"]
    document = weft_json("diagnose", tmp_path / "run")
    assert document["pairs"][1]["order"][0]["policy"] == "independent"
    shown = weft("show", tmp_path / "run").stdout
    assert "\none-way at 65536 B\n" in shown and "all pairs, Mb/s" in shown
    assert "independent, 4" in shown
    # Two runs are compared arrangement by arrangement.
    document = weft_json("compare", tmp_path / "run", tmp_path / "run")
    names = {point["arrangement"] for point in document["points"]}
    assert {"interface 1", "interface 2", "independent, 4", "shared, 1"} <= names
    assert document["worst_abs_error_pct"] == 0


def test_there_is_a_figure_for_each_test(tmp_path: Path) -> None:
    runs = [made_up_run(tmp_path / test, test) for test in ("latency", "one-way", "two-way")]
    report = Report(runs)
    names = [figure.name for figure in report.figures]
    assert names == ["multi-pair-latency", "multi-pair-one-way", "multi-pair-two-way"]
    rows = report.figures[1].tables["multi-pair-one-way"]
    series = {row["series"].split(" · ")[-1] for row in rows}
    assert series == {"independent", "striped", "shared", "all interfaces alone, added up"}
    most = max(row["value"] for row in rows if row["series"].endswith("added up"))
    assert most == pytest.approx(188, rel=1e-3)
    assert "Several pairs between n1 and n2" in report.html()
    assert len(report.write_figures(tmp_path / "figures")) == 6
    assert np.isfinite([row["value"] for row in rows]).all()


def test_processors_that_the_user_names_are_those_of_simulated_pairs() -> None:
    with open_testbed("node:p4-400-base") as testbed:
        settled, _ = settle(load_plan("multi-pair"), testbed, [0])
    assert {step.options.cpus for step in settled.steps} == {(0,)}
