"""Traces and collectives on simulated networks: runs with their samples, what nodes did, and what is refused."""

from pathlib import Path

import pyarrow.compute as pc
import pytest

from support.made.computed import compute
from support.refusals import refused
from weft import _core
from weft.faces.api.request import run_request
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import resume_run, start_run
from weft.plan.load import load_plan
from weft.plan.pattern import Collective
from weft.runs.folder import RunFolder
from weft.understand.formats.exporters import export_run
from weft.understand.kinds.collectives.collected import bus_factor
from weft.understand.summary.summary import Summary, summarise

RELAY = """num_ranks 3
rank 0 {
a: calc 50000
b: send 100000b to 1
b requires a
}
rank 1 {
a: recv 100000b from 0
b: send 100000b to 2
b requires a
}
rank 2 {
a: recv 100000b from 1
}
"""


@pytest.fixture
def relay(tmp_path: Path) -> Path:
    path = tmp_path / "relay.goal"
    path.write_text(RELAY)
    return path


def replay(folder: Path, trace: Path, on: str = "sim:two-racks") -> RunFolder:
    return start_run(run_request("trace", on, RunOptions(out=folder, trace=trace)))


def test_a_trace_is_replayed_as_long_as_its_messages_take(tmp_path: Path, relay: Path) -> None:
    run = replay(tmp_path / "run", relay)
    [one] = summarise(run).results["activities"]
    # One way of a message alone: half of a ping-pong of that size.
    alone = compute(
        tmp_path / "alone", "signature", "sim:two-racks", steps__pingpong__sizes='["100000 B"]'
    )
    step = [one.name for one in alone.meta.plan.steps].index("pingpong")
    [row] = alone.samples.filter(pc.equal(alone.samples["step"], step)).to_pylist()[:1]
    one_way_ms = row["elapsed_ns"] / row["messages"] / 2e6
    assert one.elapsed_ms == pytest.approx(0.05 + 2 * one_way_ms, rel=1e-6)
    assert (one.nodes, one.last_node) == (3, "n3")
    compute_ms, communicate_ms, wait_ms = one.shares
    assert (compute_ms.worst_ms, compute_ms.worst_node) == (pytest.approx(0.05), "n1")
    assert communicate_ms.worst_node == "n2"
    assert wait_ms.worst_ms == pytest.approx(0.05 + one_way_ms, rel=0.05)
    ends = run.samples.select(["src", "dst", "size_bytes", "messages"]).to_pylist()
    assert [tuple(each.values()) for each in ends] == [(0, 1, 100_000, 1), (1, 2, 100_000, 1)]
    assert run.meta.status == "complete"


def test_binary_and_text_are_the_same_trace(tmp_path: Path, relay: Path) -> None:
    binary = tmp_path / "relay.bin"
    binary.write_bytes(_core.Program.parse(relay.read_bytes(), "x").to_binary())
    found = [replay(tmp_path / f"{path.suffix}", path) for path in (relay, binary)]
    assert found[0].samples.equals(found[1].samples)
    assert export_run(found[1], "goal") == export_run(found[0], "goal")


def test_a_trace_that_has_changed_is_not_resumed(tmp_path: Path, relay: Path) -> None:
    run = replay(tmp_path / "run", relay)
    (run.directory / "samples.parquet").unlink()
    relay.write_text(RELAY.replace("50000", "60000"))
    with refused("has changed since the run began"):
        resume_run(str(run.directory))
    relay.write_text(RELAY)
    assert resume_run(str(run.directory)).samples.equals(run.samples)


def test_wrong_traces_are_refused_before_a_folder_is_made(tmp_path: Path, relay: Path) -> None:
    folder = tmp_path / "run"
    for text, said in [
        ("", "relay.goal:0: empty"),
        (RELAY.replace("calc", "calk"), "relay.goal:3: write for example"),
        (RELAY.replace("to 2", "to 0"), "relay.goal: rank 1, operation 2 (send 100000 B"),
        (RELAY.replace("num_ranks 3", "num_ranks 33"), "has 33 ranks, and there are 32 nodes"),
        (
            RELAY.replace("b requires a", "a requires a"),
            "relay.goal: deadlock: rank 0, operation 1",
        ),
        (RELAY.replace("num_ranks 3", "num_ranks 40000000"), "would take 16 GB of memory"),
    ]:
        relay.write_text(text)
        with refused(said):
            replay(folder, relay)
    relay.write_bytes(b"\xff\xfe")
    with refused("neither GOAL as text (byte 0 is no UTF-8) nor as LogGOPSim's txt2bin writes it"):
        replay(folder, relay)
    with refused("nowhere.goal: no such file"):
        replay(folder, tmp_path / "nowhere.goal")
    with refused("the plan replays a trace, and none is named"):
        compute(folder, "trace", "sim:two-racks")
    with refused("the plan has no step of the pattern program"):
        run_request("aapc", "sim:two-racks", RunOptions(trace=relay))
    assert not folder.exists()


def test_programs_are_between_nodes_only(relay: Path) -> None:
    on = "node:p4-400-base"
    with refused(f"is a program, which is between nodes; {on} cannot run it"):
        start_run(run_request("trace", on, RunOptions(trace=relay)))


def test_a_halo_is_played_on_a_grid_that_fits(tmp_path: Path) -> None:
    on = "sim:crossbar(hosts=12,rate=1 Gb/s)"
    sizes = {"steps__halo__sizes": '["64 KiB"]'}
    [flat] = summarise(compute(tmp_path / "flat", "halo", on, **sizes)).results["activities"]
    run = compute(tmp_path / "ring", "halo", on, steps__halo__periodic="true", **sizes)
    assert (flat.nodes, flat.size_bytes) == (12, 65_536)
    # Ten rounds; inner nodes of 4x3 have four neighbours, and all have where the ends meet.
    assert run.samples.num_rows == 10 * 12 * 4
    [round_] = summarise(run).results["activities"]
    # Four faces over a link of 1 Gb/s.
    assert min(flat.elapsed_ms, round_.elapsed_ms) > 10 * 4 * 65_536 * 8 / 1e6
    with refused('a grid of 4x4 has 16 cells, and there are 12 nodes; "4x3" would fit'):
        compute(tmp_path / "wrong", "halo", on, steps__halo__grid='"4x4"')
    assert not (tmp_path / "wrong").exists()


def test_a_program_shares_max_min(tmp_path: Path, relay: Path) -> None:
    with refused("programs share max-min fairly"):
        replay(tmp_path / "run", relay, "sim:two-racks(sharing=reno)")


def collected(folder: Path, on: str, **settings: str) -> Summary:
    return summarise(compute(folder, "collectives", on, **settings))


def test_every_collective_is_played_in_all_its_ways(tmp_path: Path) -> None:
    summary = collected(tmp_path / "run", "sim:crossbar(hosts=16,rate=1 Gb/s)")
    ways = {(one.operation, one.algorithm) for one in summary.results["collectives"]}
    assert len(ways) == 18
    for one in summary.results["collectives"]:
        assert 0 < one.bus_mbps < 1000 and one.times_best >= 1.0, one
    best = {
        (one.operation, one.size_bytes): one.algorithm
        for one in summary.results["collectives"]
        if one.times_best == 1.0
    }
    # Few messages where they are short, few bytes where they are long.
    assert best["allreduce", 8] == "recursive-doubling"
    assert best["allreduce", 4 << 20] in ("ring", "rabenseifner")
    assert best["alltoall", 1024] == "bruck" and best["alltoall", 4 << 20] != "bruck"
    assert best["bcast", 8] == "binomial" and best["bcast", 4 << 20] != "binomial"


def test_a_ring_comes_to_what_the_formula_says(tmp_path: Path) -> None:
    """2(n-1) rounds of a message of S/n, all links at once (R. Thakur et al., IJHPCA 19(1), 2005)."""
    on = "sim:crossbar(hosts=8,rate=1 Gb/s,delay=5 us,segments_per_ack=0)"
    summary = collected(tmp_path / "run", on, steps__allreduce__algorithms='["ring"]')
    mine = [one for one in summary.results["collectives"] if one.operation == "allreduce"]
    alone = {one.size_bytes: one.elapsed_us / 14 for one in mine}
    pingpong = compute(
        tmp_path / "alone", "signature", on, steps__pingpong__sizes='["1 B", "2 KiB", "512 KiB"]'
    )
    step = [one.name for one in pingpong.meta.plan.steps].index("pingpong")
    rows = pingpong.samples.filter(pc.equal(pingpong.samples["step"], step)).to_pylist()
    one_way_us = {row["size_bytes"]: row["elapsed_ns"] / row["messages"] / 2e3 for row in rows}
    for size in (8, 16 << 10, 4 << 20):
        assert alone[size] == pytest.approx(one_way_us[size // 8], rel=1e-4)


def test_adding_takes_the_time_that_it_is_said_to_take(tmp_path: Path) -> None:
    """Of recursive doubling each node adds the whole buffer in each of three rounds."""
    on = "sim:crossbar(hosts=8)"
    only = {"steps__allreduce__algorithms": '["recursive-doubling"]'}
    free, adding = (
        [
            one
            for one in collected(tmp_path / name, on, **only, **more).results["collectives"]
            if one.step == 0
        ]
        for name, more in (("free", {}), ("adding", {"steps__allreduce__reduce": '"1 ns"'}))
    )
    for without, one in zip(free, adding, strict=True):
        longer_us = one.elapsed_us - without.elapsed_us
        assert longer_us == pytest.approx(3 * one.size_bytes / 1e3, abs=1e-3)
        assert (without.reduce_ps, one.reduce_ps) == (None, pytest.approx(1000))


def test_what_an_mpi_library_does_is_measured_only(tmp_path: Path) -> None:
    asked = {"steps__bcast__algorithms": '["all", "library"]'}
    with refused("how an MPI library does bcast is known to it alone"):
        collected(tmp_path / "run", "sim:crossbar(hosts=4)", **asked)
    over_mpi = load_plan("collectives", [("steps.*.transport", "mpi")]).steps[0].pattern
    assert isinstance(over_mpi, Collective) and over_mpi.algorithms == ("all", "library")
    with refused("take sizes of at most"):
        huge = {"steps__bcast__sizes": '["1 GiB"]'}
        compute(tmp_path / "huge", "collectives", "local:512", **huge)
    assert not list(tmp_path.iterdir())


def test_bus_bandwidth_is_that_of_nccl_tests() -> None:
    factors = {
        name: bus_factor(name, 8) for name in ("allreduce", "allgather", "alltoall", "bcast")
    }
    assert factors == {"allreduce": 1.75, "allgather": 0.875, "alltoall": 0.875, "bcast": 1.0}


def test_ways_that_need_a_power_of_two_are_left_out_or_refused(tmp_path: Path) -> None:
    summary = collected(tmp_path / "run", "sim:crossbar(hosts=6)")
    ways = {one.algorithm for one in summary.results["collectives"] if one.operation == "allgather"}
    assert ways == {"bruck", "neighbor-exchange", "ring"}
    settings = [
        ("steps.allgather.algorithms", '["recursive-doubling"]'),
        ("steps.allgather.nodes", "6"),
    ]
    with refused("recursive-doubling of allgather needs a power of two nodes"):
        load_plan("collectives", settings)
    with refused("recursive-doubling of allgather needs a power of two nodes, not 6"):
        asked = {"steps__allgather__algorithms": '["recursive-doubling"]'}
        collected(tmp_path / "asked", "sim:crossbar(hosts=6)", **asked)
    with refused("neighbor-exchange of allgather needs an even number of nodes, not 7"):
        asked = {"steps__allgather__algorithms": '["neighbor-exchange"]'}
        collected(tmp_path / "odd", "sim:crossbar(hosts=7)", **asked)
    with refused("of bcast: binomial, scatter-allgather, chain, all, library"):
        load_plan("collectives", [("steps.bcast.algorithms", '["ring"]')])


def test_phases_are_exported_with_barriers_between_them(tmp_path: Path, relay: Path) -> None:
    run = compute(tmp_path / "aapc", "aapc", "sim:crossbar(hosts=4)")
    path = tmp_path / "aapc.goal"
    path.write_text(export_run(run, "goal"))
    program = _core.Program.parse(path.read_bytes(), "x")
    program.check(65_535)
    # 3 phases of 4 messages, 2 barriers of 2 rounds.
    assert (program.ranks, program.messages) == (4, 3 * 4 + 2 * 2 * 4)
    replayed = replay(tmp_path / "run", path, "sim:crossbar(hosts=4)")
    long = replayed.samples.filter(pc.equal(replayed.samples["size_bytes"], 400_000))
    assert long.num_rows == run.samples.num_rows
    with refused("no step between many nodes"):
        export_run(compute(tmp_path / "pair", "latency", "sim:two-racks"), "goal")


def test_samples_are_thinned_and_times_are_not(tmp_path: Path) -> None:
    few, all_ = (
        collected(
            tmp_path / name,
            f"sim:crossbar(hosts=16,rows={rows})",
            steps__allreduce__sizes='["1 KiB"]',
        )
        for name, rows in (("few", 200), ("all", 2_000_000))
    )
    assert few.results["collectives"] == all_.results["collectives"]
    assert "messages-sampled" in {one.code for one in few.warnings}
    assert "messages-sampled" not in {one.code for one in all_.warnings}
