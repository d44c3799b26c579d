"""What another routing would give a workload that gets little, held against designs that have that routing."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from weft.decisions.decision.conclusion import conclude
from weft.decisions.decision.document import DesignDecision
from weft.decisions.decision.folder import simulate
from weft.decisions.decision.prepare import prepare
from weft.decisions.decision.request import parse_request
from weft.network.fabrics.document import FabricDocument
from weft.simulation.sweep.folder import SweepFolder

WORKLOAD = """
[[workloads]]
name = "all"
plan = "aapc"
settings = { "steps.aapc.sizes" = ["1 MB"] }
"""
DRAGONFLY = "dragonfly(groups=5,routers=2,hosts=4,global=2,rate=1 Gb/s,routing={})"
CLOS = "clos(leaves=4,hosts=8,spines=2,rate=1 Gb/s,routing={})"
RAIL = "rail(units=4,hosts=8,rails=2,spines=2,rate=1 Gb/s,seed={})"


def decided(tmp_path: Path, *fabrics: str, hosts: int = 16) -> DesignDecision:
    designs = (
        f'[[designs]]\nname = "{name}"\nfabric = "{fabric}"\n'
        for name, fabric in zip("ab", fabrics, strict=True)
    )
    prepared = prepare(
        parse_request(f"hosts = {hosts}\n" + "".join(designs) + WORKLOAD, "d.toml"), None
    )
    with ThreadPoolExecutor(1) as executor:
        return conclude(prepared, simulate(prepared, SweepFolder(tmp_path), executor))


def shares_and_times(found: DesignDecision) -> tuple[float, float]:
    """How many times the host rate the other routing gives, as the warning about `a` says and as the times of both
    designs do."""
    [warning] = [one for one in found.warnings if "on a, whose" in one.message]
    assert warning.code == "static-routing"
    share, other = map(float, re.findall(r"([\d.]+)%", warning.message))
    a, b = (one.times[0].time_s.median for one in found.designs)
    return other / share, a / b


def write_slow_uplink(file: Path, routing: str) -> str:
    """The catalogue's fabric with this routing."""
    hashed = FabricDocument.read("leaf-spine-slow-uplink")
    file.write_text(hashed.text.replace('routing = "hash"', f'routing = "{routing}"'))
    return str(file)


def test_a_hash_in_a_fabric_file_is_held_against_the_first_path(tmp_path: Path) -> None:
    files = [write_slow_uplink(tmp_path / f"{one}.toml", one) for one in ("hash", "shortest")]
    found = decided(tmp_path / "runs", *files)
    assert [one.routing for one in found.designs] == ["hash", "shortest"]
    said, wanted = shares_and_times(found)
    assert said == pytest.approx(wanted, rel=0.02)
    [warning] = [one for one in found.warnings if "on a, whose" in one.message]
    assert "; with shortest " in warning.message
    assert warning.hint.startswith('a copy of its file with routing = "shortest" compares both')


@pytest.mark.parametrize(
    ("fabric", "values", "told"),
    [
        (DRAGONFLY, ("valiant", "minimal"), "; with minimal "),
        (CLOS, ("hash", "d-mod-k"), "; with d-mod-k "),
        (RAIL, (1, 2), "; with another seed "),
    ],
)
def test_a_generator_is_held_against_its_other_routing(
    fabric: str, values: tuple[object, object], told: str, tmp_path: Path
) -> None:
    found = decided(tmp_path, *(fabric.format(one) for one in values), hosts=32)
    said, wanted = shares_and_times(found)
    assert said == pytest.approx(wanted, rel=0.02)
    [warning] = [one for one in found.warnings if "on a, whose" in one.message]
    assert told in warning.message
    assert "|".join(map(str, values)) in warning.hint


def test_tori_are_said_to_have_one_routing(tmp_path: Path) -> None:
    """Thirty-two hosts in two rings of sixteen, whose first sixteen are one ring."""
    found = decided(tmp_path, "torus(dims=16x2,rate=1 Gb/s)", "star(hosts=16,rate=1 Gb/s)")
    [warning] = found.warnings
    assert "dimension order; the simulator routes tori in dimension order only" in warning.message
    assert warning.hint.startswith("adaptive routing")
