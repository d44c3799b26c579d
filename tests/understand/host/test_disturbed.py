"""Which launches were disturbed, and by what: runs and evidence that the test writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from support.made.evidence import Counter, add_evidence
from support.runs import change_meta, disturbed_run, launches_of, step_plan, step_rows, write_run
from weft.plan.plan import Options
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.runs.records.records import DisturbedLaunch
from weft.understand.curve.curve import curves
from weft.understand.host.disturbed import (
    Tally,
    disturbance_warning,
    disturbances,
    left_out,
    stays_disturbed,
    wants_another,
)

SHARED = Options(cpus=(0, 0))
"""Both agents on one processor, as in a lab on two."""


def one_launch(tmp_path: Path, options: Options = SHARED, time_us: float = 28.0) -> RunFolder:
    """A launch of a ping-pong in a lab: five batches of 1,000 round trips, or 0.28 s in all."""
    step = replace(step_plan(), options=options)
    rows = step_rows([1], launches_of([time_us], launches=1))
    return write_run(tmp_path / "r", [rows], [step])


def found(run: RunFolder, shares: Mapping[Counter, float], **more: Any) -> list[DisturbedLaunch]:
    """What disturbed the launch where counters grew by these shares of the time."""
    elapsed_ns = run.samples["elapsed_ns"].to_numpy()
    add_evidence(run, {key: share * elapsed_ns for key, share in shares.items()})
    tally = Tally()
    tally.add(run.side_table(EVIDENCE_NAME))
    return disturbances(run.meta, 0, tally, **more)


def test_time_that_the_hypervisor_took(tmp_path: Path) -> None:
    stolen = {(0, "cpu_steal_ns", 1): 0.49, (0, "cpu_idle_ns", 1): 0.31, (0, "cpu_user_ns", 1): 0.2}
    (one,) = found(one_launch(tmp_path), stolen)
    assert (one["launch"], one["cause"]) == (0, "stolen-time")
    assert one["where"] == "processor 1 of this machine"
    assert one["share"] == pytest.approx(0.49)
    assert (one["counted"], one["of"]) == (137_200_000, 280_000_000)


def test_a_little_of_it_is_usual(tmp_path: Path) -> None:
    assert (
        found(one_launch(tmp_path), {(0, "cpu_steal_ns", 1): 0.09, (0, "cpu_idle_ns", 1): 0.91})
        == []
    )


def test_a_quota_stops_agents_and_heat_slows_processors_down(tmp_path: Path) -> None:
    throttled = {(1, "process_throttled_ns", None): 0.3, (0, "thermal_throttled_ns", 1): 0.2}
    quota, heat = found(one_launch(tmp_path), throttled)
    assert (quota["cause"], quota["where"]) == ("processor-quota", "n2")
    assert quota["share"] == pytest.approx(0.3)
    assert (heat["cause"], heat["where"]) == ("thermal-throttling", "processor 1 of this machine")
    assert heat["share"] == pytest.approx(0.2)


def pinned(own: float, waited: float, busy: float) -> dict[Counter, float]:
    """Shares of each of two agents on processor 0, and how long it was busy in all."""
    of_nodes = {
        (node, name, None): share
        for node in (0, 1)
        for name, share in (("process_system_ns", own), ("process_waiting_ns", waited))
    }
    return of_nodes | {(node, "cpu_system_ns", 0): busy for node in (0, 1)}


def test_agents_that_wait_for_others_on_their_processor(tmp_path: Path) -> None:
    (one,) = found(one_launch(tmp_path), pinned(own=0.1, waited=0.2, busy=0.9))
    assert (one["cause"], one["where"]) == ("processor-contention", "processor 0 of this machine")
    assert one["share"] == pytest.approx(0.4)


def test_others_are_there_no_longer_than_they_ran(tmp_path: Path) -> None:
    (one,) = found(one_launch(tmp_path), pinned(own=0.3, waited=0.4, busy=0.9))
    assert one["share"] == pytest.approx(0.3)


def test_agents_of_one_lab_that_wait_for_each_other_are_not_disturbed(tmp_path: Path) -> None:
    assert found(one_launch(tmp_path), pinned(own=0.5, waited=0.5, busy=1.0)) == []


def test_a_program_that_gives_way_disturbs_nothing(tmp_path: Path) -> None:
    assert found(one_launch(tmp_path), pinned(own=0.1, waited=0.02, busy=1.0)) == []


def test_where_the_kernel_places_agents_only_long_waits_count(tmp_path: Path) -> None:
    """0.28 s with 100 switches: 50 ms of waiting are what any task has."""
    run = one_launch(tmp_path, Options())
    switches = {(0, "process_voluntary_switches", None): 100 / 280e6}
    assert found(run, {(0, "process_waiting_ns", None): 0.3, **switches}) == []
    (one,) = found(run, {(0, "process_waiting_ns", None): 0.6, **switches})
    assert one["where"] == "a processor of n1"
    assert one["share"] == pytest.approx(0.6 - 50 / 280, abs=1e-3)


@pytest.mark.parametrize(
    ("forwarded", "late_ns", "share"),
    [(10_000, 28_000_000, 0.1), (10_000, 27_000_000, None), (40_000, 112_000_000, 0.1)],
    ids=["a tenth of the time", "less", "four frames a message wait together"],
)
def test_late_frames(tmp_path: Path, forwarded: int, late_ns: int, share: float | None) -> None:
    """0.28 s with 5,000 round trips, so 10,000 messages."""
    run = one_launch(tmp_path)
    marks = found(run, {}, samples=run.samples, frames=(forwarded, late_ns))
    assert [(one["cause"], one["share"], one["counted"], one["of"]) for one in marks] == (
        [("lab-late", share, 28_000_000, 280_000_000)] if share else []
    )


def test_rates_bear_late_frames(tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "r",
        [step_rows([64], launches_of([28.0], launches=1), "stream")],
        [step_plan("stream")],
    )
    assert found(run, {}, samples=run.samples, frames=(5_000, 10**9)) == []


def test_of_a_launch_shorter_than_the_kernels_clock_nothing_is_said(tmp_path: Path) -> None:
    run = one_launch(tmp_path, time_us=9.0)
    stolen = {(0, "cpu_steal_ns", 0): 0.1}
    assert found(run, stolen | pinned(own=0.1, waited=0.4, busy=0.9)) == []


def median_us(run: RunFolder) -> float:
    (curve,) = curves(run)
    return float(np.median(curve.times_us))


def test_disturbed_launches_count_in_no_median_but_stay_in_the_folder(tmp_path: Path) -> None:
    run = disturbed_run(tmp_path / "r", [0, 1], launches=7)
    assert left_out(run.meta) == {0, 1}
    assert curves(run)[0].launches.tolist() == [2, 3, 4, 5, 6]
    assert median_us(run) == pytest.approx(28.0, rel=0.02)
    assert set(run.samples["launch"].to_pylist()) == set(range(7))
    warning = disturbance_warning(run.meta)
    assert warning and warning.code == "launches-disturbed"
    assert warning.message == (
        "2 of 7 launches were disturbed: the hypervisor took up to 49 % of processor 0 of this machine; "
        "they are left out of all results"
    )


def test_a_run_with_too_few_others_is_disturbed_itself_and_keeps_all(tmp_path: Path) -> None:
    run = disturbed_run(tmp_path / "r", [0, 1, 2, 3, 5, 6, 7, 8], launches=10)
    assert stays_disturbed(run.meta) and left_out(run.meta) == set()
    assert median_us(run) == pytest.approx(463.0, rel=0.02)
    warning = disturbance_warning(run.meta)
    assert warning and warning.code == "disturbed"
    assert warning.message.startswith(
        "8 of 10 launches were disturbed: the hypervisor took up to 49 %"
    )


@pytest.mark.parametrize(
    ("disturbed", "launches", "wanted"),
    [
        ([], 5, False),
        ([4], 5, True),
        ([4], 6, False),
        ([0, 1, 2, 3, 4], 9, True),
        ([0, 1, 2, 3, 4, 5], 10, False),
    ],
)
def test_launches_are_measured_again_at_most_once_each(
    tmp_path: Path, disturbed: list[int], launches: int, wanted: bool
) -> None:
    assert wants_another(disturbed_run(tmp_path / "r", disturbed, launches).meta) == wanted


def test_of_a_run_of_an_earlier_build_it_is_not_known(tmp_path: Path) -> None:
    run = disturbed_run(tmp_path / "r", [])
    change_meta(run.directory, disturbed=None)
    meta = RunFolder.open(run.directory).meta
    assert meta.disturbed is None
    assert not wants_another(meta) and not stays_disturbed(meta)
    assert disturbance_warning(meta) is None
