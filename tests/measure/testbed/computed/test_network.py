"""Plans on simulated networks: the same commands and files as with agents, and what arithmetic says they must hold."""

import signal
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from support.command import start
from support.here import refusal, weft, weft_json
from support.live.four_hosts import write_four_hosts
from support.made.cases import cases
from support.made.computed import compute
from support.paths import DATA
from weft.base.errors import RequestError
from weft.faces.api.start import simulate
from weft.measure.execute.request import resume_run
from weft.measure.testbed.computed import network
from weft.network.fabrics.spec import parse_spec
from weft.runs.folder import RunFolder
from weft.runs.link_loads import loads_of
from weft.runs.samples import SCHEMA
from weft.understand.ensemble.phases import phases
from weft.understand.ensemble.rates import MedianRates

SHARE = 1448 / 1538
"""What TCP gets of a wire."""
INSIDE_SHARE = 1448 / 1518
"""What it gets of a rate inside of a switch."""
ANSWERED = 1 / (1 + 90 / (2 * 1538))
"""What acknowledgements of as much in the other direction leave: a frame of 90 bytes for two full ones."""


def run(tmp_path: Path, plan: str, on: str, **settings: str) -> RunFolder:
    return compute(tmp_path / "run", plan, f"sim:{on}", **settings)


# That all other plans run is in tests/faces/cli/test_every_run.py, beside what commands make of such runs.
NOT_BETWEEN_NODES = {
    "overhead": "nothing to simulate",
    "gamma-sweep": "no application computes",
    "onload": "a setting of real nodes",
    "affinity": r"options\.cpus would change nothing",
    "buffers": r"options\.nodelay would change nothing",
    "mtu": r"options\.mss would change nothing",
    "webserver": "no application computes",
    "drivers": "is measured, not simulated",
    "icmp": "only TCP is simulated",
    "trace": "none is named",
    "udp": "only TCP is simulated",
}


@pytest.mark.parametrize(("plan", "why"), NOT_BETWEEN_NODES.items())
def test_what_is_no_traffic_between_nodes_is_refused(tmp_path: Path, plan: str, why: str) -> None:
    with pytest.raises(RequestError, match=why):
        run(tmp_path, plan, "pair")


def test_few_messages_in_a_trial_tell_the_rate_exactly(tmp_path: Path) -> None:
    on = f"sim:{write_four_hosts(tmp_path)}"
    rows = compute(tmp_path / "run", "random-permutations", on, scale=0.01).samples.to_pylist()
    assert 0 < min(row["messages"] for row in rows) < 100
    mbps = [row["size_bytes"] * row["messages"] * 8e3 / row["elapsed_ns"] for row in rows]
    assert max(mbps) == pytest.approx(SHARE * ANSWERED, rel=1e-6)


def test_a_ping_pong_takes_what_wires_delays_and_ends_take(tmp_path: Path) -> None:
    found = run(tmp_path, "latency", "fast-ethernet-pair(overhead=7us)")
    samples = found.samples
    size = samples["size_bytes"].to_numpy()
    trip_us = samples["elapsed_ns"].to_numpy() / samples["messages"].to_numpy() / 1e3
    frame_bytes = np.maximum(size + 52 + 14 + 24, 84)
    expected_us = 2 * (14 + 5 + frame_bytes * 8 / 100)
    assert trip_us == pytest.approx(expected_us, rel=1e-6)


def test_a_shared_trunk_is_shared_fairly_and_named_as_bottleneck(tmp_path: Path) -> None:
    found = run(tmp_path, "aapc", str(write_four_hosts(tmp_path)), steps__aapc__sizes="['10 MB']")
    by_phase = phases(found)
    # Neighbours: one of each switch crosses. Two apart: all four cross. Three apart: as with one.
    assert [round(one.rate_mbps) for one in by_phase] == [91, 46, 91]
    table = pq.read_table(found.directory / "bottlenecks.parquet")
    second = table.filter(np.asarray(table["phase"]) == 1)
    assert set(second["bottleneck"].to_pylist()) == {"s1 to s2", "s2 to s1"}
    shown = weft("show", found.directory).stdout
    assert "held back by n[1-4] out (67 %, each 17 %)" in shown
    assert "n1 > n3 and 3 more      1  45.73" in shown
    loads = pq.read_table(found.directory / "loads.parquet").to_pylist()
    trunk = [one["mbps"] for one in loads if one["constraint"] == "s1 to s2"]
    assert trunk == pytest.approx([100, 100, 100], rel=0.01)


def test_a_switch_with_a_capacity_limits_what_passes_it(tmp_path: Path) -> None:
    found = run(tmp_path, "xibalba", "xibalba-e7-config2")
    steps = {step.name: index for index, step in enumerate(found.meta.plan.steps)}
    rates = MedianRates.of(found)
    inside = rates.mbps[rates.step == steps["e7_asic_12p"]]
    assert inside == pytest.approx(1600 / 24 * INSIDE_SHARE * ANSWERED, rel=1e-3)
    between = rates.mbps[rates.step == steps["e7_inter_48p"]]
    assert between == pytest.approx(800 / 48 * SHARE * ANSWERED, rel=1e-3)


def test_a_slow_route_a_slow_host_and_a_dead_one_are_honoured(tmp_path: Path) -> None:
    odd = (DATA / "fabrics/odd_hosts.toml").read_text()
    found = run(tmp_path, "matrix", str(write_four_hosts(tmp_path, odd)))
    assert found.meta.status == "partial"
    assert {entry["node"] for entry in found.meta.lost} == {"n4"}
    rates = MedianRates.of(found)
    mine = rates.where(rates.step == 1)
    mbps = {(a + 1, b + 1): rate for a, b, rate in zip(mine.src, mine.dst, mine.mbps, strict=True)}
    expected = {(1, 2): 10, (2, 1): 10, (1, 3): 20, (3, 1): 100, (2, 3): 10, (3, 2): 10}
    # In a tenth of a second there are few whole messages.
    assert mbps == pytest.approx({pair: rate * SHARE for pair, rate in expected.items()}, rel=0.02)


def test_a_chain_over_two_networks_carries_half_on_each(tmp_path: Path) -> None:
    cast = {"steps__cast__networks": "2", "steps__cast__sizes": "['50 MB']"}
    one = run(tmp_path / "1", "cast", "xibalba-dual", steps__cast__sizes="['50 MB']")
    two = run(tmp_path / "2", "cast", "xibalba-dual", **cast)
    time_of = [phases(each)[-1].elapsed_ms for each in (one, two)]
    assert time_of[0] == pytest.approx(50e3 * 8 / 100 / SHARE / ANSWERED, rel=0.05)
    assert time_of[0] / time_of[1] == pytest.approx(2, rel=0.05)


def test_the_search_finds_what_the_fabric_declares(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    weft_json("run", "xray", "--on", "sim:xibalba-e7-32", "--out", folder)
    found = weft_json("diagnose", folder, "--fabric", "xibalba-e7-32")
    assert found["differences"] == [] and found["slow"] == []
    assert {(one["kind"], round(one["capacity_mbps"]["median"])) for one in found["limits"]} == {
        ("trunk", round(800 * SHARE)),
        ("switch", round(1600 * INSIDE_SHARE * ANSWERED)),
    }
    loads = loads_of(RunFolder.open(folder))
    assert loads["module1 to backplane"].peak_share > 0.99, "a trial fills what it asks about"


def test_a_window_in_a_round_trip_is_a_limit(tmp_path: Path) -> None:
    found = run(tmp_path, "ring", "two-racks(window=8 KiB, overhead=50us)")
    rate = MedianRates.of(found).mbps.max()
    # 8 KiB in two ways of 100 us of overhead, two delays of 5 us, and frames that are stored.
    assert 200 < rate < 8192 * 8 / 220


def test_acknowledgements_take_their_room_and_hold_nobody_up(tmp_path: Path) -> None:
    slow = '[[overrides]]\nids = "n2"\nlink = { rate = "10 Mb/s", rate_back = "100 Mb/s" }'
    path = write_four_hosts(tmp_path, slow)
    settings = {
        "steps.aapc.stop": "{ rule = 'time', trial = '1 s', trials = 1 }",
        "steps.aapc.sizes": ["4 KiB"],
    }

    def rates(parameters: str) -> dict[tuple[int, int], float]:
        table = simulate("aapc", f"{path}{parameters}", settings=settings).samples.rows()
        first = [row for row in table if row["phase"] == 0]
        bits = {(row["src"], row["dst"]): 8 * row["size_bytes"] * row["messages"] for row in first}
        return {ends: each / 1e6 for ends, each in bits.items()}

    free, usual, each = rates("(segments_per_ack=0)"), rates(""), rates("(segments_per_ack=1)")
    assert free == pytest.approx({(0, 1): 94.1, (1, 2): 9.41, (2, 3): 94.1, (3, 0): 94.1}, rel=0.02)
    # n1's port carries what n4's data is answered with, n2's what comes in from n1, but no more than as much as data.
    for found, segments in ((usual, 2), (each, 1)):
        part = 90 / 1538 / segments
        assert found[0, 1] == pytest.approx(free[0, 1] - part * found[3, 0], rel=0.02)
        left = max(free[1, 2] - part * found[0, 1], free[1, 2] / 2)
        assert found[1, 2] == pytest.approx(left, rel=0.02)


def test_the_same_again_and_with_other_threads_has_the_same_fingerprint(tmp_path: Path) -> None:
    marks = []
    for number, spec in enumerate(["two-racks", "two-racks(threads=1)", "two-racks(threads=7)"]):
        found = run(tmp_path / str(number), "alltoall", spec)
        marks.append((found.meta.testbed["simulation"]["fingerprint"], found.samples))
    assert marks[0][0] == marks[1][0] == marks[2][0]
    assert marks[0][1] == marks[1][1] == marks[2][1]
    other = run(tmp_path / "other", "alltoall", "two-racks(overhead=11us)")
    assert other.samples != marks[0][1]


def test_a_tolerance_says_what_it_costs(tmp_path: Path) -> None:
    exact = run(tmp_path / "a", "alltoall", "xibalba-e7-32")
    rough = run(tmp_path / "b", "alltoall", "xibalba-e7-32(tolerance=0.05)")
    (warning,) = [one for one in rough.meta.warnings if one.code == "tolerance"]
    assert "idle" in warning.message
    work = [one.meta.testbed["simulation"] for one in (exact, rough)]
    assert work[1]["events"] < work[0]["events"]
    assert not [one for one in exact.meta.warnings if one.code == "tolerance"]


@pytest.mark.timed
def test_an_interrupted_run_keeps_what_it_has_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start("run", "alltoall", "--on", "sim:xibalba-maintenance", "--out", folder)
    while not (folder / "samples.arrows").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    process.wait(20)
    assert time.monotonic() - asked < 3
    cut = RunFolder.open(folder)
    resumed = resume_run(str(folder))
    assert resumed.meta.status == "complete"
    assert resumed.samples.num_rows == 2 * 128 * 127 >= cut.samples.num_rows


def test_a_notebook_gets_a_table_without_a_folder() -> None:
    rates = []
    for overhead_us in (0, 20, 200):
        table = simulate("latency", f"gigabit-pair(overhead={overhead_us}us)").stored.samples
        assert table.schema == SCHEMA
        rates.append(table["elapsed_ns"][0].as_py() / table["messages"][0].as_py())
    assert np.diff(rates) == pytest.approx([4 * 20e3, 4 * 180e3], rel=1e-3)


@pytest.mark.timed
def test_what_does_not_fit_anywhere_is_refused_before_it_starts(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(RequestError, match="minutes"):
        run(tmp_path, "aapc", "crossbar(hosts=60000)")
    assert time.monotonic() - began < 20
    assert not (tmp_path / "run").exists()


def test_a_ring_of_switches_is_simulated_and_nowhere_taken_for_a_tree(tmp_path: Path) -> None:
    path = DATA / "fabrics/ring_of_four.toml"
    rates = MedianRates.of(run(tmp_path, "aapc", str(path), launches="1"))
    # Over distance 2 there are two shortest ways; where all take the first of theirs, two share a link.
    near, far = (rates.mbps[np.isin(rates.phase, phase)] for phase in ([0, 2], [1]))
    assert near == pytest.approx(100 * SHARE, rel=0.01)
    # Acknowledgements of others come the same way.
    assert far.min() == pytest.approx(50 * SHARE, rel=0.05)
    assert far.min() < 50 * SHARE * ANSWERED * 1.001
    told = refusal("diagnose", tmp_path / "run", "--fabric", path)
    assert "ring: has several ways between hosts" in told


def test_a_fabric_with_a_loop_or_in_two_pieces_is_refused(tmp_path: Path) -> None:
    loop = write_four_hosts(tmp_path, '[[links]]\nbetween = ["s1", "s2"]')
    with pytest.raises(RequestError, match="closes a loop"):
        run(tmp_path, "aapc", str(loop))
    loop.write_text(loop.read_text().split("[[links]]")[0] + '[[switches]]\nids = "s[1-2]"')
    with pytest.raises(RequestError, match='no path from "n1" to "n3"'):
        run(tmp_path, "aapc", str(loop))


@pytest.mark.parametrize(("spec", "why"), cases("requests", "wrong_networks"))
def test_a_wrong_name_is_refused_with_what_would_be_right(spec: str, why: str) -> None:
    with pytest.raises(RequestError) as caught:
        network.open_simulated(spec)
    assert why in f"{caught.value.message} {caught.value.hint}"


def test_parameters_are_read_with_their_units() -> None:
    spec = parse_spec("two-racks(overhead=1.5 ms, window=64KiB,tolerance=0.01, k=4)")
    assert spec.parameters == {"overhead_s": 1.5e-3, "window_bytes": 65536, "tolerance": 0.01}
    assert spec.others == {"k": "4"}


def test_round_trips_are_as_many_as_begin_in_a_time(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'name = "short"\n[[steps]]\npattern = "matrix"\nmeasure = "latency"\nsizes = ["1400 B"]\n'
        'stop = { rule = "count", repeats = 20, trials = 1, at_most = "2 ms" }\n'
    )
    samples = run(tmp_path, str(plan), "bad-cable").samples
    pairs = np.stack([samples[name].to_numpy() for name in ("src", "dst")], axis=1)
    _, first, trips = np.unique(pairs, axis=0, return_index=True, return_counts=True)
    trip_ns = samples["elapsed_ns"].to_numpy()[first]
    assert trips.min() == 1 and 1 < trips.max() < 20
    assert trips.tolist() == np.ceil(2e6 / trip_ns).tolist()
