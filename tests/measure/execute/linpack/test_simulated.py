"""Linpack on simulated networks: what its skeleton comes to, and what is refused."""

from pathlib import Path

import pytest

from support.made.computed import compute
from support.refusals import refused
from weft.runs.folder import RunFolder
from weft.understand.comparison.measured import measured
from weft.understand.formats.exporters import export_run
from weft.understand.kinds.linpack.solution import Solution, solutions
from weft.understand.summary.summary import summarise

RATES = {"steps__hpl__dgemm": "0.7 GFlop/s", "steps__hpl__panel": "0.2 GFlop/s"}


def solve(folder: Path, on: str, **settings: str) -> RunFolder:
    own = {f"steps__hpl__{key}": value for key, value in settings.items()}
    return compute(folder, "hpl", on, **RATES, **own)


def solution(folder: Path, on: str, **settings: str) -> Solution:
    [found] = solutions(solve(folder, on, **settings))
    return found


def test_a_single_process_takes_as_long_as_it_computes(tmp_path: Path) -> None:
    alone = solution(
        tmp_path / "a", "sim:crossbar(hosts=2,rate=1 Gb/s)", n="2000", nb="100", grid="1x1"
    )
    assert alone.shares and alone.gflops and alone.elapsed_s
    assert alone.shares.compute == pytest.approx(1.0)
    # Between the slower of the two rates and the faster, near that of what most of it is.
    assert 0.6 < alone.gflops.median < 0.7
    flops = (2 / 3 * 2000 + 3 / 2) * 2000**2
    assert alone.gflops.median * alone.elapsed_s.median * 1e9 == pytest.approx(flops)


def test_without_delay_and_messages_at_no_cost_only_waiting_is_left(tmp_path: Path) -> None:
    on = "sim:crossbar(hosts=4,rate=100000 Gb/s,delay=0 us,overhead=0 us,segments_per_ack=0)"
    found = solution(tmp_path / "a", on, n="3000", nb="50", grid="2x2")
    assert found.shares and found.gflops
    assert found.shares.communicate < 0.001
    assert sum(vars(found.shares).values()) == pytest.approx(1.0)
    assert 4 * 0.5 < found.gflops.median < 4 * 0.7


def test_networks_come_in_the_published_order(tmp_path: Path) -> None:
    """hpl_order and hpl_16_equal: Myrinet, then ER16 and E7 alike, then the maintenance network; on 16 nodes of one
    module or switch the Ethernets do not differ."""
    names = ["xibalba-myrinet", "xibalba-er16", "xibalba-e7-config2", "xibalba-maintenance"]
    speeds = {}
    for grid in ("4x4", "4x8"):
        for name in names:
            folder = tmp_path / f"{name}-{grid}"
            found = solution(folder, f"sim:{name}", n="8000", nb="160", grid=grid)
            assert found.gflops
            speeds[name, grid] = found.gflops.median
    myrinet, er16, e7, maintenance = (speeds[name, "4x8"] for name in names)
    assert (
        myrinet > 1.5 * er16 and e7 > 1.1 * maintenance
    )  # hpl_myrinet_gain_pct: by more than half
    assert er16 == pytest.approx(e7, rel=0.15)
    ethernets = [speeds[name, "4x4"] for name in names[1:]]
    assert max(ethernets) < 1.05 * min(ethernets)


def test_price_report_export_and_comparison_know_linpack(tmp_path: Path) -> None:
    run = solve(tmp_path / "e7", "sim:xibalba-e7-config2", n="2000", grid="4x4")
    [found] = summarise(run).results["linpack"]
    assert found.per_mflops and found.gflops
    # 480 USD for each node (cost_port_e7_usd), whatever other nodes there are.
    assert found.per_mflops.network == pytest.approx(16 * 480 / found.gflops.median / 1e3)
    assert found.per_mflops.currency == "USD"
    assert export_run(run, "goal").startswith("num_ranks 16\n")
    [(key, value)] = measured(run, "median").items()
    assert key.pattern == "hpl n=2000, MFlop/s"
    assert value.mbps.median == pytest.approx(found.gflops.median * 1e3)


def test_look_ahead_hides_a_broadcast(tmp_path: Path) -> None:
    on = "sim:crossbar(hosts=8,rate=1 Gb/s)"
    speeds = []
    for depth in ("0", "1"):
        found = solution(
            tmp_path / depth, on, n="4000", nb="100", grid="1x8", bcast="1ring", depth=depth
        )
        assert found.gflops
        speeds.append(found.gflops.median)
    assert speeds[1] > 1.02 * speeds[0]


def test_a_rate_that_the_plan_leaves_out_is_measured_and_said(tmp_path: Path) -> None:
    run = compute(tmp_path / "a", "hpl", "sim:pair", steps__hpl__n="200", steps__hpl__nb="64")
    [warning] = [one for one in run.meta.warnings if one.code == "compute-rate"]
    assert "one process, one thread each" in warning.message
    pattern = run.meta.plan.steps[0].pattern
    assert pattern.dgemm_flops > pattern.panel_flops > 1e7  # type: ignore[union-attr]


def test_what_does_not_fit_is_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with refused(
        "grid 8x8 has 64 processes, and there are 32 nodes for them; of 32 these fit: 1x32, 2x16, 4x8"
    ):
        solve(folder, "sim:two-racks", grid="8x8")
    with refused("would take 8 GB of memory"):
        solve(folder, "sim:fat-tree(k=16)", n="100000", nb="200", grid="32x32")
    with refused('a speed needs a unit (MFlop/s, GFlop/s, TFlop/s), such as "20 GFlop/s"'):
        compute(folder, "hpl", "sim:pair", steps__hpl__dgemm="20")
    with refused("must be a whole number from 1 to 100000000"):
        solve(folder, "sim:pair", n="0.5")
    with refused("which is between nodes; node:p4-400-base cannot run it"):
        compute(folder, "hpl", "node:p4-400-base", steps__hpl__transport="mpi")
    assert not folder.exists()
