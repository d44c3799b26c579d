"""Phases between many ranks, with the MPIs that are installed here."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from execute.mpi.test_pair import rank_of
from support.clusters.mpi import INSTALLED, needs_mpi
from support.command import descendants, start, weft, weft_json
from weft.plan.phases import expand
from weft.plan.plan import CountRule, Step
from weft.run.folder import Run

pytestmark = [pytest.mark.alone, needs_mpi]

COUNTED = "stop = { rule = 'count', repeats = 3, trials = 2 }"
TIMED = "stop = { rule = 'time', trial = '20 ms', trials = 2 }"
STEPS = {
    "pairs": f"pattern = 'pairs'\n{COUNTED}",
    "phased": f"pattern = 'alltoall'\n{COUNTED}",
    "unphased": f"pattern = 'alltoall'\nmode = 'unphased'\n{COUNTED}",
    "latency": f"pattern = 'matrix'\nmeasure = 'latency'\n{COUNTED}",
    "half": f"pattern = 'matrix'\nduplex = 'half'\n{TIMED}",
    "full": f"pattern = 'matrix'\nduplex = 'full'\n{TIMED}",
    "incast": f"pattern = 'streams'\nreceivers = '1'\nstreams_per_sender = 2\n{TIMED}",
    "shares": f"pattern = 'streams'\nreceivers = '1'\nstreams_per_sender = 4\n{COUNTED}",
    "ring": f"pattern = 'ring'\n{TIMED}",
    "random": f"pattern = 'random'\npermutations = 2\n{TIMED}",
}
NODES = 4


@pytest.fixture(autouse=True)
def own_cache(mpi_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(mpi_cache))


def plan_of(folder: Path, steps: dict[str, str], more: str = "") -> Path:
    path = folder / "plan.toml"
    texts = [
        f"[[steps]]\nname = '{name}'\n{text}\ntransport = 'mpi'\nsizes = ['1 B', '100 kB']\n{more}"
        for name, text in steps.items()
    ]
    path.write_text("name = 'all'\ntitle = 'All'\nlaunches = 1\n" + "\n".join(texts))
    return path


def measured(run: Run, step: int) -> dict[int, set[tuple[int, int]]]:
    """The transfers of which there are samples, by phase."""
    found: dict[int, set[tuple[int, int]]] = {}
    for row in of_step(run, step).to_pylist():
        found.setdefault(row["phase"], set()).add((row["src"], row["dst"]))
    return found


def of_step(run: Run, step: int) -> pa.Table:
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
    plan = plan_of(tmp_path, STEPS, f"options = {{ mpi = '{kind}', calls = '{calls}' }}\n")
    out = tmp_path / "run"
    said = weft_json("run", plan, "--on", f"local:{NODES}", "--out", out)
    assert (said["status"], said["warnings"]) == ("complete", [])
    run = Run.open(out)
    for index, step in enumerate(run.meta.plan.steps):
        wanted = {
            phase.index: {one.ends for one in phase.transfers} for phase in expand(step, NODES)
        }
        assert measured(run, index) == wanted, step.name
        check_rows(of_step(run, index), step)
    assert {one["node"] for one in run.meta.clocks} == {"p1", "p2", "p3", "p4"}
    assert len(run.meta.barriers) == len({*zip(*keys_of_phases(run), strict=True)})
    assert weft("show", out).returncode == 0


def keys_of_phases(run: Run) -> list[list[int]]:
    return [run.samples[name].to_pylist() for name in ("step", "phase")]


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


@pytest.mark.parametrize("kind", INSTALLED[:1])
def test_a_job_killed_in_the_midst_of_phases_keeps_those_that_were_over(
    kind: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    slow = ["--set", "steps.*.stop={rule='time', trial='300 ms', trials=5}", "--launches", "1"]
    running = start(
        "run", "aapc", "--on", "local:4", "--transport", "mpi", "--mpi", kind, *slow, "--out", out
    )
    try:
        os.kill(rank_of(running.pid, out), signal.SIGKILL)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 1
    phases = set(Run.open(out).samples["phase"].to_pylist())
    assert phases and phases < {0, 1, 2}
    assert "the MPI job" in said
    weft_json("run", "--resume", out)
    resumed = Run.open(out)
    assert resumed.meta.status == "complete"
    assert set(resumed.samples["phase"].to_pylist()) == {0, 1, 2}


def test_who_is_lost_with_its_agent_is_gone_on_without(tmp_path: Path) -> None:
    """A node that dies takes its agent along; the MPI job dies with it, and another does the rest."""
    out = tmp_path / "run"
    slow = ["--set", "steps.*.stop={rule='time', trial='300 ms', trials=5}", "--launches", "1"]
    over = ["--transport", "mpi", "--mpi", INSTALLED[0]]
    running = start("run", "aapc", "--on", "local:4", *over, *slow, "--out", out)
    try:
        rank = rank_of(running.pid, out)
        agents = [child for child, name in descendants(running.pid) if name == "weft-probe"]
        os.kill(agents[0], signal.SIGKILL)
        os.kill(rank, signal.SIGKILL)
        running.communicate(timeout=60)
    finally:
        running.kill()
    run = Run.open(out)
    (lost,) = run.meta.lost
    gone = [node["name"] for node in run.meta.nodes].index(lost["node"])
    found = measured(run, 0)
    for phase in expand(run.meta.plan.steps[0], NODES):
        pairs = {one.ends for one in phase.transfers}
        left = {pair for pair in pairs if gone not in pair}
        assert found[phase.index] == (pairs if phase.index < lost["phase"] else left)


def test_a_cast_is_refused_before_anything_starts(tmp_path: Path) -> None:
    done = weft("run", "cast", "--on", "local:3", "--transport", "mpi", "--out", tmp_path / "r")
    assert done.returncode == 2
    assert '"cast" is over "tcp"; "mpi" carries all others' in done.stderr
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
