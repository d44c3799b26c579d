"""When sizes end, by samples that the test chooses: at the same looks whether or not a run was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
from msgspec.structs import replace

from support.plans import a_plan
from support.runs import launches_of, pingpong_run, step_plan, step_rows
from weft.base.errors import RequestError
from weft.base.sequential import LOOKS
from weft.measure.execute.agenda import Agenda
from weft.measure.execute.progress import Reporter
from weft.plan.plan import Goal, Plan, SizeList, TimeRule
from weft.runs.folder import RunFolder, RunWriter, lock_folder
from weft.runs.meta import RunMeta
from weft.runs.missing import MissingStep
from weft.runs.records.goal_records import Against
from weft.understand.curve.earlier import earlier_run
from weft.understand.curve.stops import stop_lines

SIZES = (1, 2, 3, 4, 5, 6)
NOISE = np.array([0.001, 0.02, 0.04, 0.06, 0.08, 0.5])
"""Of the launches of each size: the first is known at once, the last never."""
LAUNCHES = 60
_RANDOM = np.random.default_rng(3)
TIMES_US = 100 * np.exp(NOISE[:, np.newaxis] * _RANDOM.standard_normal((len(SIZES), LAUNCHES)))


def plan(goal: Goal, launches: int = LAUNCHES) -> Plan:
    step = replace(step_plan(), sizes=SizeList(SIZES), goal=goal)
    return a_plan(step, launches=launches)


def begun(path: Path, goal: Goal, launches: int = LAUNCHES, **meta: Any) -> RunWriter:
    nodes = [{"name": name} for name in ("n1", "n2")]
    return RunWriter.create(path, RunMeta(plan(goal, launches), {"kind": "lab"}, nodes, **meta))


def measured(writer: RunWriter, launches: int | None = None) -> RunWriter:
    """Carry on, for so many launches or to the end."""
    agenda = Agenda(writer, Reporter())
    while launches != 0 and (steps := agenda.next()):
        for one in steps:
            times_us = np.full((len(SIZES), LAUNCHES, 1), np.nan)
            times_us[one.phases, one.launch, 0] = TIMES_US[one.phases, one.launch]
            writer.append(step_rows(SIZES, times_us))
            writer.meta.done.append([one.step, one.launch])
        launches = None if launches is None else launches - 1
    writer.meta.stops = agenda.stops()
    return writer


def interrupted(path: Path, writer: RunWriter, every: int) -> RunWriter:
    """Stop and resume after every so many launches."""
    while True:
        before = len(measured(writer, every).meta.done)
        writer.finish("partial")
        with lock_folder(path) as lock:
            writer = RunWriter.resume(RunFolder.open(path), lock)
            if len(measured(writer, 1).meta.done) == before:
                return writer


GOAL = Goal("decided", 50_000, 3600 * 10**9)


@pytest.mark.parametrize("every", [1, 4, 7])
def test_a_resumed_run_keeps_its_looks(tmp_path: Path, every: int) -> None:
    whole = measured(begun(tmp_path / "whole", GOAL))
    ends = {one["size_bytes"]: one["launches"] for one in whole.meta.stops}
    assert ends[1] == LOOKS[0] and ends[6] == LAUNCHES
    assert len(set(ends.values())) >= 4 and set(ends.values()) <= {*LOOKS, LAUNCHES}
    resumed = interrupted(tmp_path / "r", begun(tmp_path / "r", GOAL), every)
    assert resumed.meta.stops == whole.meta.stops


@pytest.mark.parametrize(("message_us", "warm_up"), [(1, 20), (50, 6), (900, 1), (3000, 0)])
def test_batches_of_short_messages_have_a_warm_up(
    tmp_path: Path, message_us: float, warm_up: int
) -> None:
    """Batches of 10 ms: half round trips of 1 us are 5,000 messages, of which 20 are enough."""
    writer = begun(tmp_path / "r", GOAL)
    step = replace(writer.meta.plan.steps[0], stop=TimeRule(10**7, 7))
    writer.meta.plan = writer.meta.plan.with_step(0, step)
    writer.append(step_rows(SIZES, np.full((len(SIZES), 1, 1), float(message_us))))
    writer.meta.done.append([0, 0])
    known = Agenda(writer, Reporter()).known(MissingStep(0, 1, [0, 1]))
    assert [one.warm_up for one in known] == [warm_up] * 2


def test_a_resumed_run_is_measured_against_the_same_run(tmp_path: Path) -> None:
    earlier = pingpong_run(tmp_path / "earlier", SIZES, 1.1 * TIMES_US[:, ::-1, np.newaxis])
    against = earlier_run(str(earlier.directory), plan(GOAL)).recorded()
    whole = measured(begun(tmp_path / "whole", GOAL, against=against))
    reasons = [one["reason"] for one in whole.meta.stops]
    assert reasons[:2] == ["differs", "differs"] and reasons[-1] == "launches"
    first, last = whole.meta.stops[0], whole.meta.stops[-1]
    # Of throughputs: this run's are higher.
    assert first["ratio"]["low"] < 1.1 < first["ratio"]["high"] < 1.11
    assert last["ratio"]["low"] < 1 < last["ratio"]["high"]
    resumed = interrupted(tmp_path / "r", begun(tmp_path / "r", GOAL, against=against), 5)
    assert resumed.meta.stops == whole.meta.stops
    assert RunFolder.open(tmp_path / "r").meta.against == against


def test_without_its_earlier_run_nothing_goes_on(tmp_path: Path) -> None:
    gone: Against = {"path": str(tmp_path / "gone"), "digest": "0"}
    with pytest.raises(RequestError, match="gone: no such folder"):
        Agenda(begun(tmp_path / "r", GOAL, against=gone), Reporter())


def test_what_is_too_noisy_ends_with_its_time_and_says_what_would_decide_it(tmp_path: Path) -> None:
    """The time is over when it begins: the first look is reached, and the second is not."""
    done = measured(begun(tmp_path / "r", replace(GOAL, time_ns=1)))
    quiet, noisy = done.meta.stops[0], done.meta.stops[-1]
    assert (quiet["reason"], noisy["reason"]) == ("width", "time")
    assert {one["launches"] for one in done.meta.stops} == {LOOKS[0]}
    assert noisy["needed"] > 200
    (line,) = stop_lines(done.meta)
    assert "sizes are known to ±5 %" in line and "launches more would decide half" in line


def test_a_machine_on_which_nothing_is_decided_says_so(tmp_path: Path) -> None:
    earlier = pingpong_run(tmp_path / "earlier", SIZES, launches_of([100.0] * 6, 12, noise=0.5))
    goal = replace(GOAL, time_ns=1)
    against = earlier_run(str(earlier.directory), plan(goal)).recorded()
    done = measured(begun(tmp_path / "r", goal, against=against))
    assert not any(one["reason"] in ("differs", "equal") for one in done.meta.stops)
    (line,) = stop_lines(done.meta)
    assert "0 of 6 sizes differ from the earlier run, 0 equal it within 5 %" in line
    assert pc.max(done.samples["launch"]).as_py() == LOOKS[0] - 1
