"""Phases between many ranks, with the MPIs that are installed here."""

import os
import signal
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from measure.execute.mpi.test_pair import rank_of
from support.clusters.mpi import INSTALLED, needs_mpi
from support.command import start
from support.here import refusal, weft, weft_json
from support.live.waiting import agents
from support.made.evidence import measured_batches, recorded_batches
from support.paths import DATA
from support.runs import routes_measured, routes_wanted
from weft.plan.plan import CountRule, Step
from weft.runs.folder import RunFolder

pytestmark = [pytest.mark.alone, needs_mpi, pytest.mark.usefixtures("own_cache")]

NODES = 4


def of_step(run: RunFolder, step: int) -> pa.Table:
    return run.samples.filter(pc.equal(run.samples["step"], step))


@pytest.mark.parametrize(
    ("kind", "calls"),
    [
        ("openmpi", "nonblocking"),
        ("mpich", "blocking"),
        pytest.param("openmpi", "blocking", marks=pytest.mark.cluster),
        pytest.param("mpich", "nonblocking", marks=pytest.mark.cluster),
    ],
)
def test_every_pattern_has_samples_of_every_transfer(kind: str, calls: str, tmp_path: Path) -> None:
    if kind not in INSTALLED:
        pytest.skip(f"no {kind}")
    out = tmp_path / "run"
    plan, over = DATA / "plans/mpi.toml", ["--transport", "mpi", "--mpi", kind, "--patience", "60"]
    over += ["--set", f"steps.*.options.calls={calls}", "--on", f"local:{NODES}"]
    said = weft_json("run", plan, *over, "--out", out)
    assert (said["status"], said["warnings"]) == ("complete", [])
    run = RunFolder.open(out)
    for index, step in enumerate(run.meta.plan.steps):
        assert routes_measured(run, index) == routes_wanted(run, index), step.name
        check_rows(of_step(run, index), step)
    assert {one["node"] for one in run.meta.clocks} == {"p1", "p2", "p3", "p4"}
    keys = (run.samples[name].to_pylist() for name in ("step", "phase"))
    assert len(run.meta.barriers) == len(set(zip(*keys, strict=True)))
    assert weft("show", out).returncode == 0
    check_evidence(run)


def check_evidence(run: RunFolder) -> None:
    """The agents recorded whole phases of those ranks that took part; not those that were measured again."""
    for node in range(NODES):
        part = run.samples.filter((pc.field("src") == node) | (pc.field("dst") == node))
        found, wanted = recorded_batches(run, node), measured_batches(part)
        assert len(set(found)) == len(found) and set(found) <= wanted
        assert len(found) > len(wanted) / 2


def check_rows(rows: pa.Table, step: Step) -> None:
    """As many rows and messages as the stop rule says; a window of time is as long as it should be."""
    by_count = isinstance(step.stop, CountRule)
    is_trip = step.measures_latency
    batches = 6 if is_trip else 2
    assert set(rows["batch"].to_pylist()) == set(range(batches))
    assert all(elapsed > 0 for elapsed in rows["elapsed_ns"].to_pylist())
    if by_count:
        assert set(rows["messages"].to_pylist()) == {1 if is_trip else 3}
    else:
        assert sum(rows["messages"].to_pylist()) > 0
        middle = sorted(rows["elapsed_ns"].to_pylist())[rows.num_rows // 2]
        assert 10e6 < middle < 100e6


def start_aapc(out: Path) -> subprocess.Popen[str]:
    """A run that lasts long enough to be killed."""
    slow = ["--set", "steps.*.stop={rule='time', trial='300 ms', trials=5}", "--launches", "1"]
    over = ["--transport", "mpi", "--mpi", INSTALLED[0]]
    return start("run", "aapc", "--on", "local:4", *over, *slow, "--out", out)


def test_a_job_killed_in_the_midst_of_phases_keeps_those_that_were_over(tmp_path: Path) -> None:
    out = tmp_path / "run"
    running = start_aapc(out)
    try:
        os.kill(rank_of(running.pid, out), signal.SIGKILL)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 1
    phases = set(RunFolder.open(out).samples["phase"].to_pylist())
    assert phases and phases < {0, 1, 2}
    assert "the MPI job" in said
    weft_json("run", "--resume", out)
    resumed = RunFolder.open(out)
    assert resumed.meta.status == "complete"
    assert set(resumed.samples["phase"].to_pylist()) == {0, 1, 2}


def test_who_is_lost_with_its_agent_is_gone_on_without(tmp_path: Path) -> None:
    """A node that dies takes its agent along; the MPI job dies with it, and another does the rest."""
    out = tmp_path / "run"
    running = start_aapc(out)
    try:
        rank = rank_of(running.pid, out)
        os.kill(agents(running.pid)[0], signal.SIGKILL)
        os.kill(rank, signal.SIGKILL)
        running.communicate(timeout=60)
    finally:
        running.kill()
    run = RunFolder.open(out)
    (lost,) = run.meta.lost
    gone = [node["name"] for node in run.meta.nodes].index(lost["node"])
    found = routes_measured(run, 0)
    for phase, pairs in routes_wanted(run, 0).items():
        left = {pair for pair in pairs if gone not in pair}
        assert found[phase] == (pairs if phase < lost["phase"] else left)


def test_a_cast_is_refused_before_anything_starts(tmp_path: Path) -> None:
    over = ["--transport", "mpi", "--out", tmp_path / "r"]
    said = refusal("run", "cast", "--on", "local:3", *over)
    assert '"cast" is over "tcp"; "mpi" carries all others' in said
    assert not (tmp_path / "r").exists()


def test_limits_are_looked_for_over_mpi(tmp_path: Path) -> None:
    """Phases that are chosen while the job runs."""
    out = tmp_path / "run"
    said = weft_json(
        *("run", "xray", "--on", "local:3", "--transport", "mpi", "--mpi", INSTALLED[0]),
        *("--set", "steps.search.time='3 s'", "--out", out),
    )
    assert said["status"] == "complete", said
    assert weft("diagnose", out).returncode == 0
