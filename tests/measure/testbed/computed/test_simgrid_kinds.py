"""Each kind of zone, cluster and link of SimGrid's platforms, in a small file: what is read and what is refused."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

from measure.testbed.computed.test_simgrid_zones import check_routes
from network.fabrics.test_formats import refusal_of
from support.made.cases import cases
from support.paths import DATA
from support.simgrid.peer import MODEL
from weft.faces.api.start import simulate
from weft.measure.testbed.computed.network import open_simulated

FOLDER = DATA / "platforms" / "kinds"
KINDS = sorted(path.stem for path in FOLDER.glob("*.xml"))
BY_HAND = cases("platforms", "round_trips")
Pair = tuple[str, str]
SMALL = {"steps.latency.sizes": ["1000 B"]}
NEAR_US = 0.01
"""Times are whole nanoseconds, each of a few of them rounded."""


@cache
def round_trips_us(kind: str) -> dict[Pair, float]:
    """Of 1000 B between all hosts that have a way, by weft; hosts cost nothing."""
    path = FOLDER / f"{kind}.xml"
    hosts = open_simulated(str(path)).model.hosts()
    samples = simulate("matrix", f"{path}(overhead=0us)", settings=SMALL).stored.samples
    rows = (row for row in samples.to_pylist() if row["step"] == 0)
    return {
        (hosts[row["src"]], hosts[row["dst"]]): row["elapsed_ns"] / row["messages"] / 1e3
        for row in rows
    }


def one_way_us(times: Path, platform: Path) -> dict[Pair, float]:
    """Of 1000 B between all hosts that have a way, by SimGrid."""
    command = [times, platform, "1000", *MODEL]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return {(src, dst): float(seconds) * 1e6 for src, dst, seconds in rows}


def test_every_kind_is_calculated_by_hand() -> None:
    assert {kind for kind, *_ in BY_HAND} == set(KINDS)


@pytest.mark.parametrize(("kind", "src", "dst", "us"), BY_HAND)
def test_a_round_trip_takes_its_delays_and_the_bits_at_the_slowest_link(
    kind: str, src: str, dst: str, us: float
) -> None:
    """1000 B are 100 us at 80 Mb/s, in each direction."""
    found = round_trips_us(kind)
    assert found.get((src, dst), found.get((dst, src))) == pytest.approx(us, abs=NEAR_US)


@pytest.mark.parametrize("kind", KINDS)
def test_names_routes_and_times_are_those_of_simgrid(routes: Path, times: Path, kind: str) -> None:
    platform = FOLDER / f"{kind}.xml"
    check_routes(routes, platform)
    theirs = one_way_us(times, platform)
    mine = round_trips_us(kind)
    assert {frozenset(pair) for pair in mine} == {frozenset(pair) for pair in theirs}
    for (src, dst), us in mine.items():
        assert us == pytest.approx(theirs[src, dst] + theirs[dst, src], abs=NEAR_US)


@pytest.mark.parametrize(("file", "why"), cases("platforms", "files_refused"))
def test_what_is_refused_is_named_with_its_line(tmp_path: Path, file: str, why: str) -> None:
    path = tmp_path / "platform.xml"
    path.write_text(file)
    assert why in refusal_of(path)
