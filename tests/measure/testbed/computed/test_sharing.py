"""Simulated TCP Reno, frame by frame (`sharing=reno`)."""

from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from support.live.four_hosts import write_four_hosts
from support.made.cases import cases
from support.made.computed import compute
from support.refusals import refused
from weft.base.errors import RequestError
from weft.runs.folder import RunFolder
from weft.understand.comparison.routes import compare_routes

SCALE = 0.01


def run(folder: Path, on: str, trial: str = "2 s", scale: float = SCALE) -> RunFolder:
    settings = {}
    for step in ("permutations", "bisections"):
        settings |= {f"steps__{step}__permutations": "1", f"steps__{step}__stop__trial": trial}
    return compute(folder, "random-permutations", f"sim:{on}", scale=scale, **settings)


def fabric(tmp_path: Path, host_rate: str = 'rate = "100 Mb/s"') -> str:
    return str(write_four_hosts(tmp_path, host_rate=host_rate, queue="queue_frames = 50"))


def test_who_meets_nobody_gets_what_max_min_gives(tmp_path: Path) -> None:
    fair = run(tmp_path / "fair", "fat-tree-16")
    reno = run(tmp_path / "reno", "fat-tree-16(sharing=reno)")
    pairs = list(compare_routes(reno, fair).pairs())
    assert len(pairs) == 32
    for pair in pairs:
        assert pair.ratio.median == pytest.approx(1, abs=0.02)
    models = [one.meta.testbed["model"]["sharing"] for one in (fair, reno)]
    assert models == ["max-min", "reno"]


def test_who_shares_gets_about_as_much_in_all(tmp_path: Path) -> None:
    shared = run(tmp_path / "reno", "two-racks(sharing=reno)", "8 s")
    fair = run(tmp_path / "fair", "two-racks", "8 s")
    pairs = list(compare_routes(shared, fair).pairs())
    ratios = [pair.ratio.median for pair in pairs]
    assert min(ratios) > 0.7 and max(ratios) < 1.2
    assert max(ratios) - min(ratios) > 0.01, "it is not max-min fairness"
    carried = [sum(getattr(pair, end).median for pair in pairs) for end in "ab"]
    assert carried[0] == pytest.approx(carried[1], rel=0.06)


def blocks(
    folder: Path, on: str, size: str = "400 kB", plan: str = "aapc", **more: str
) -> RunFolder:
    return compute(folder, plan, f"sim:{on}", **{"steps__*__sizes": f'["{size}"]', **more})


def seconds(run: RunFolder) -> float:
    """From the first phase's start to the last end, of the first launch."""
    samples = run.samples.filter(pc.equal(run.samples["launch"], 0))
    return float(pc.max(pc.add(samples["start_ns"], samples["elapsed_ns"])).as_py()) / 1e9


def test_blocks_without_a_shared_limit_take_what_max_min_says(tmp_path: Path) -> None:
    fair, reno = (
        seconds(blocks(tmp_path / sharing, f"fat-tree-16(sharing={sharing})"))
        for sharing in ("max-min", "reno")
    )
    assert reno == pytest.approx(fair, rel=0.05)


def test_blocks_through_a_shared_limit_take_longer_than_max_min_says(tmp_path: Path) -> None:
    fair, reno = (
        blocks(tmp_path / sharing, f"two-racks(sharing={sharing})", "1 MB", launches="1")
        for sharing in ("max-min", "reno")
    )
    assert 1.02 < seconds(reno) / seconds(fair) < 1.6
    again = blocks(tmp_path / "again", "two-racks(sharing=reno,threads=2)", "1 MB", launches="1")
    assert again.samples == reno.samples


def test_all_blocks_at_once_arrive_frame_by_frame(tmp_path: Path) -> None:
    reno = blocks(tmp_path / "reno", "two-racks(sharing=reno)", "16 kB", "alltoall", launches="1")
    fair = blocks(tmp_path / "fair", "two-racks", "16 kB", "alltoall", launches="1")
    assert len(reno.samples) == len(fair.samples)
    assert seconds(reno) > seconds(fair)


def test_the_same_again_and_with_other_threads(tmp_path: Path) -> None:
    one, other = (
        run(tmp_path / str(threads), f"two-racks(sharing=reno,threads={threads})")
        for threads in (1, 2)
    )
    assert one.samples == other.samples


def test_a_window_holds_it_back(tmp_path: Path) -> None:
    narrow = run(tmp_path / "a", "fat-tree-16(sharing=reno,window=4 KiB)")
    wide = run(tmp_path / "b", "fat-tree-16(sharing=reno)")
    ratios = [pair.ratio.median for pair in compare_routes(narrow, wide).pairs()]
    assert max(ratios) < 0.8


def test_what_loses_most_is_what_holds_back(tmp_path: Path) -> None:
    run(tmp_path / "run", f"{fabric(tmp_path)}(sharing=reno)")
    table = pq.read_table(tmp_path / "run" / "bottlenecks.parquet").to_pylist()
    between = {row["bottleneck"] for row in table if row["src"] // 2 != row["dst"] // 2}
    assert between & {"s1 to s2", "s2 to s1"}


@pytest.mark.parametrize(("plan", "on", "why"), cases("requests", "wrong_sharing"))
def test_what_is_not_carried_out_is_refused(tmp_path: Path, plan: str, on: str, why: str) -> None:
    with pytest.raises(RequestError) as caught:
        compute(tmp_path / "run", plan, f"sim:{on}")
    assert why in f"{caught.value.message} {caught.value.hint}"


def test_a_line_without_a_rate_and_too_many_frames_are_refused(tmp_path: Path) -> None:
    with refused("n1 out has no rate"):
        run(tmp_path / "run", f"{fabric(tmp_path, host_rate='')}(sharing=reno)")
    with refused("minutes; shorten stop"):
        run(tmp_path / "run", "xibalba-er16(sharing=reno)", trial="3600 s", scale=1.0)
    with refused("minutes; shorten the blocks"):
        blocks(
            tmp_path / "run", "xibalba-er16(sharing=reno)", "4 GB", steps__aapc__stop__repeats="99"
        )
