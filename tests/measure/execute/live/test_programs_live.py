"""Programs carried out by agents: they leave what simulated ones do, and what goes wrong is named."""

import json
from pathlib import Path

import pytest

from support.refusals import refused
from weft import _core
from weft.faces.api.request import run_request
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import resume_run, start_run
from weft.plan.load import parse_plan
from weft.plan.plan import to_json
from weft.runs.columns.tables import ACTIVITIES_NAME
from weft.runs.folder import RunFolder
from weft.understand.comparison.comparison import compare
from weft.understand.summary.summary import summarise

PLAN = """
name = "short"
launches = 2
[[steps]]
name = "allreduce"
pattern = "collective"
operation = "allreduce"
sizes = ["8 B", "300 KiB"]
trials = 2
options = { verify = true }
[[steps]]
name = "halo"
pattern = "halo"
grid = 1
periodic = true
work = "1 ms"
compute = "sleep"
rounds = 3
trials = 2
sizes = ["1 KiB"]
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plan") / "short.toml"
    path.write_text(PLAN)
    return path


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, plan: Path) -> RunFolder:
    folder = tmp_path_factory.mktemp("runs") / "live"
    return start_run(run_request(str(plan), "local:3", RunOptions(out=folder)))


def test_a_live_run_says_what_a_simulated_one_says(
    tmp_path: Path, plan: Path, live: RunFolder
) -> None:
    simulated = start_run(
        run_request(str(plan), "sim:crossbar(hosts=3)", RunOptions(out=tmp_path / "sim"))
    )
    assert live.meta.status == "complete"
    found, computed = summarise(live), summarise(simulated)
    assert [one.algorithm for one in found.results["collectives"]] == [
        one.algorithm for one in computed.results["collectives"]
    ]
    programs = found.results["activities"]
    assert {(one.nodes, one.trials) for one in programs} == {(3, 4)}
    for one in programs:
        assert one.elapsed.low <= one.elapsed_ms <= one.elapsed.high
        assert len(one.by_launch_ms) == 2
    halo = programs[-1]
    compute_ms = next(share for share in halo.shares if share.kind == "compute")
    assert 3.0 <= compute_ms.median_ms <= halo.elapsed_ms
    compared = compare(live, simulated)
    assert len(compared.points) == len(programs)


def test_messages_are_samples_that_end_after_they_began(live: RunFolder) -> None:
    rows = live.samples.to_pylist()
    assert {(row["step"], row["launch"]) for row in rows} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    halo = [row for row in rows if row["step"] == 1 and row["launch"] == 0]
    # Three nodes with two neighbours each, three rounds, carried out twice.
    assert len(halo) == 3 * 2 * 3 * 2
    assert {row["size_bytes"] for row in halo} == {1024}
    # Clocks are known to some microseconds, so that some messages seem to take no time.
    assert sum(row["elapsed_ns"] > 0 for row in halo) > len(halo) / 2


def test_a_run_that_was_cut_short_goes_on(tmp_path: Path, live: RunFolder) -> None:
    path = live.directory / "run.json"
    said = json.loads(path.read_text())
    said["done"] = [one for one in said["done"] if one != [1, 1]]
    said["status"] = "partial"
    before = live.side_table(ACTIVITIES_NAME)
    path.write_text(json.dumps(said))
    again = resume_run(str(live.directory))
    assert again.meta.status == "complete"
    assert again.side_table(ACTIVITIES_NAME).num_rows == before.num_rows


def test_traces_that_agents_cannot_carry_out_are_refused(tmp_path: Path) -> None:
    trace = tmp_path / "self.goal"
    trace.write_text(
        "num_ranks 3\nrank 0 {\na: send 8b to 0\nb: recv 8b from 0\n}\nrank 1 {\na: calc 5\n}\n"
    )
    for on, said in [
        ("local:3", "self.goal: rank 0 sends to itself"),
        ("local:2", "has 3 ranks, and there are 2 nodes for them on local:"),
    ]:
        with refused(said):
            start_run(run_request("trace", on, RunOptions(out=tmp_path / "run", trace=trace)))
    assert not (tmp_path / "run").exists()


def test_what_a_node_does_follows_from_the_step(plan: Path) -> None:
    step = parse_plan(plan.read_text(), "short.toml").steps[1]
    program = _core.Program.of_step(to_json(step), 0, 3)
    # In each round a node computes, and exchanges with both neighbours.
    assert (program.ranks, program.messages) == (3, 3 * 3 * 2)
