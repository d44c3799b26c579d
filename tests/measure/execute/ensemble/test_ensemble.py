"""Steps between many nodes, with agents on this machine's loopback: what is recorded, and who may fail."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from msgspec.structs import replace

from support.live.loopback import ONCE, Cluster, Loopback, ensemble_step, live_run, with_cluster
from weft.measure.execute.adaptive import AdaptiveStep, chosen_phases
from weft.measure.execute.crew import TooFewNodes
from weft.measure.execute.progress import Reporter, StepProgress
from weft.measure.testbed.agent.agent import AgentError
from weft.plan.phases import Transfer
from weft.plan.plan import Step, TimeRule
from weft.runs.experiment import PhaseSpec

pytestmark = pytest.mark.timed

VICTIM = 2

PATTERNS = {
    "pairs": "",
    "alltoall": "",
    "matrix": "",
    "streams": 'receivers = "1"\nstreams_per_sender = 3\nsweep = true',
    "ring": "",
    "random": "permutations = 3",
}


async def whole(cluster: Cluster) -> None:
    await cluster.run()


async def without_the_victim(cluster: Cluster) -> None:
    kill(cluster)
    await cluster.run()


def kill(cluster: Cluster, how: int = signal.SIGKILL) -> None:
    if agent := cluster.crew.agents.get(VICTIM):
        os.kill(agent.pid, how)


def test_round_trips_end_early_where_they_would_take_longer(tmp_path: Path) -> None:
    """Far more than 5 ms have room for; the last of them may take longer."""
    stop = '{ rule = "count", repeats = 1000000, trials = 1, at_most = "5 ms" }'
    step = ensemble_step("matrix", 8, stop, 'measure = "latency"')
    cluster = with_cluster(tmp_path / "r", 2, step, whole)
    trips = cluster.writer.samples
    assert 0 < trips.num_rows < 10_000
    starts_ns = sorted(trips["start_ns"].to_pylist())
    assert starts_ns[-1] - starts_ns[0] <= 5e6


@pytest.mark.parametrize("nodes", [2, 5])
@pytest.mark.parametrize("kind", PATTERNS)
def test_every_transfer_of_every_phase_leaves_samples(
    tmp_path: Path, kind: str, nodes: int
) -> None:
    cluster = with_cluster(tmp_path / "r", nodes, ensemble_step(kind, keys=PATTERNS[kind]), whole)
    for phase in range(len(cluster.phases)):
        assert cluster.measured(phase) == cluster.routes(phase)
    assert cluster.meta.incomplete == cluster.meta.lost == []
    # A phase with an empty window is measured again, after the others.
    assert sorted(one["phase"] for one in cluster.meta.barriers) == list(range(len(cluster.phases)))
    assert all(0 < one["barrier_us"] < 1e6 for one in cluster.meta.barriers)


def test_a_chain_casts_its_image_once_to_each(tmp_path: Path) -> None:
    cluster = with_cluster(tmp_path / "r", 4, ensemble_step("cast", 300_000, ONCE), whole)
    assert cluster.measured(0) == {(0, 1), (1, 2), (2, 3)}
    assert set(cluster.writer.samples["size_bytes"].to_pylist()) == {300_000}


def test_latencies_are_recorded_per_round_trip(tmp_path: Path) -> None:
    stop = '{ rule = "count", repeats = 7, trials = 1 }'
    step = ensemble_step("matrix", 1, stop, 'measure = "latency"')
    cluster = with_cluster(tmp_path / "r", 4, step, whole)
    samples = cluster.writer.samples
    assert samples.num_rows == 6 * 7
    assert set(samples["messages"].to_pylist()) == {1}
    assert all(1_000 < elapsed < 50_000_000 for elapsed in samples["elapsed_ns"].to_pylist())
    # One machine has one clock.
    assert [one["node"] for one in cluster.meta.clocks] == ["n1", "n2", "n3", "n4"]
    assert all(abs(one["offset_ns"]) <= one["error_ns"] for one in cluster.meta.clocks)


def assert_only_the_victim_is_missing(cluster: Cluster, since: int) -> None:
    for phase in range(len(cluster.phases)):
        lost = {VICTIM} if phase >= since else set()
        assert cluster.measured(phase) >= cluster.routes(phase, lost)
    assert [entry["node"] for entry in cluster.meta.lost] == ["n3"]
    assert [warning.code for warning in cluster.meta.warnings] == ["node-lost"]
    assert "n3" in cluster.meta.warnings[0].message
    incomplete = [(one["phase"], one["nodes"]) for one in cluster.meta.incomplete]
    assert incomplete == [(phase, ["n3"]) for phase in range(since, len(cluster.phases))]


async def with_two_lost(cluster: Cluster) -> None:
    cluster.logbook.nodes_lost({3: "its power went", 1: "its power went", 0: "it is on fire"}, 0)
    cluster.logbook.nodes_lost({1: "its power went"}, None)


def test_nodes_that_are_lost_for_the_same_reason_share_a_warning(tmp_path: Path) -> None:
    cluster = with_cluster(tmp_path / "r", 4, ensemble_step("ring"), with_two_lost)
    assert [one["node"] for one in cluster.meta.lost] == ["n4", "n2", "n1", "n2"]
    told = [warning.message for warning in cluster.meta.warnings]
    assert [text.partition(";")[0] for text in told] == [
        "n[2,4]: its power went",
        "n1: it is on fire",
    ]


def test_a_node_that_dies_before_the_step_is_left_out(tmp_path: Path) -> None:
    step = ensemble_step("alltoall")
    cluster = with_cluster(tmp_path / "r", 5, step, without_the_victim)
    assert_only_the_victim_is_missing(cluster, 0)


def test_a_node_that_dies_in_a_phase_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    def on_phase(cluster: Cluster, phase: int) -> None:
        if phase == 1:
            kill(cluster)

    step = ensemble_step("alltoall")
    step = replace(step, stop=replace(step.stop, trial_ns=200_000_000))
    cluster = with_cluster(tmp_path / "r", 5, step, whole, on_phase=on_phase)
    assert_only_the_victim_is_missing(cluster, 2)
    assert "SIGKILL" in cluster.meta.lost[0]["reason"]
    assert cluster.meta.lost[0]["phase"] == 2


def test_a_node_that_dies_after_the_last_phase_costs_no_samples(tmp_path: Path) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.ensemble.run(cluster.phases)
        kill(cluster)
        await cluster.ensemble.close()

    cluster = with_cluster(tmp_path / "r", 4, ensemble_step("ring"), scenario)
    assert_only_the_victim_is_missing(cluster, 1)


def test_a_node_that_hangs_is_lost_when_patience_ends(tmp_path: Path) -> None:
    def on_phase(cluster: Cluster, phase: int) -> None:
        if phase == 0:
            kill(cluster, signal.SIGSTOP)

    # Long enough for the signal to come before the next phase is over.
    step = ensemble_step("alltoall", stop='{ rule = "time", trial = "300 ms", trials = 1 }')
    cluster = with_cluster(tmp_path / "r", 4, step, whole, patience_s=1.0, on_phase=on_phase)
    assert "sent nothing" in cluster.meta.lost[0]["reason"]
    assert_only_the_victim_is_missing(cluster, 1)


def test_a_chain_goes_on_around_a_lost_node(tmp_path: Path) -> None:
    step = ensemble_step("cast", 10_000, ONCE)
    cluster = with_cluster(tmp_path / "r", 4, step, without_the_victim)
    assert cluster.measured(0) == {(0, 1), (1, 3)}


def test_a_node_on_which_no_agent_starts_is_left_out(tmp_path: Path) -> None:
    run = live_run(tmp_path / "r", Loopback(4, broken=[VICTIM]), ensemble_step("alltoall"))
    assert run.meta.status == "partial"
    assert [(entry["node"], entry["phase"]) for entry in run.meta.lost] == [("n3", None)]
    (warning,) = run.meta.warnings
    assert warning.code == "nodes-not-started"
    assert warning.message == ("1 of 4 nodes did not start: n3: the agent ended with status 1")
    assert run.samples.num_rows == 3 * 2


def test_a_run_without_enough_agents_has_failed(tmp_path: Path) -> None:
    run = live_run(tmp_path / "r", Loopback(2, broken=[1]), ensemble_step("ring"))
    assert run.meta.status == "failed"
    assert [warning.code for warning in run.meta.warnings] == ["nodes-not-started", "too-few-nodes"]


def test_one_node_is_too_few(tmp_path: Path) -> None:
    async def scenario(cluster: Cluster) -> None:
        await cluster.crew.drop(0, AgentError("n1", "agent-lost", "it was dropped"))
        kill(cluster)
        with pytest.raises(TooFewNodes, match=r"1 of 3 is left: n\[1,3\] failed"):
            await cluster.run()

    with_cluster(tmp_path / "r", 3, ensemble_step("ring"), scenario)


class Script:
    """A chooser that follows a script, and notes how much had been measured at each turn."""

    def __init__(self, step: Step, turns: list[list[PhaseSpec]], summary: str = "") -> None:
        self._step, self.summary = step, summary
        self._turns = iter(turns)
        self.rows: list[int] = []
        self.lost: set[int] = set()

    def settle(self, samples: pa.Table) -> Step:
        return self._step

    def next_phases(self, samples: pa.Table, lost: set[int], elapsed_s: float) -> list[PhaseSpec]:
        self.rows.append(samples.num_rows)
        self.lost = lost
        return next(self._turns, [])


def spec(*routes: tuple[int, int]) -> PhaseSpec:
    stop = TimeRule(trial_ns=20_000_000, trials=1)
    transfers = tuple(Transfer(src, dst, 1000) for src, dst in routes)
    return PhaseSpec((), 1000, stop, transfers)


def adaptive(script: Script) -> Callable[[Cluster], Any]:
    async def scenario(cluster: Cluster) -> None:
        progress = StepProgress(Reporter(), "here", 0)
        step = AdaptiveStep(cluster.ensemble, script, cluster.logbook, progress)
        await step.run(cluster.crew, chosen_phases(cluster.logbook))
        await cluster.ensemble.close()

    return scenario


def test_phases_are_chosen_by_what_was_measured(tmp_path: Path) -> None:
    step = ensemble_step("xray")
    script = Script(step, [[spec((0, 1), (2, 3)), spec((1, 0))], [spec((3, 0))]])
    cluster = with_cluster(tmp_path / "r", 4, step, adaptive(script))
    assert script.rows == [0, 3, 4]
    assert [one["phase"] for one in cluster.meta.phases] == [0, 1, 2]
    assert cluster.meta.phases[1]["transfers"][0]["src"] == 1
    assert cluster.measured(0) == {(0, 1), (2, 3)} and cluster.measured(2) == {(3, 0)}
    assert cluster.meta.warnings == []


def test_a_chooser_hears_who_is_lost(tmp_path: Path) -> None:
    def on_phase(cluster: Cluster, phase: int) -> None:
        kill(cluster)

    step = ensemble_step("xray")
    script = Script(step, [[spec((0, 1))], [spec((2, 1), (0, 3))]])
    cluster = with_cluster(tmp_path / "r", 4, step, adaptive(script), on_phase=on_phase)
    assert script.lost == {VICTIM}
    assert cluster.measured(1) == {(0, 3)}


def test_a_search_that_had_no_time_says_so(tmp_path: Path) -> None:
    step = ensemble_step("xray")
    script = Script(step, [], "the script was at its end")
    cluster = with_cluster(tmp_path / "r", 2, step, adaptive(script))
    (warning,) = cluster.meta.warnings
    assert (warning.code, "script" in warning.message) == ("time-was-up", True)
