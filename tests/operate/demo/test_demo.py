"""The demonstrations: what is known of a network beside what was found, and what they may replace."""

from pathlib import Path

import pytest
from rich.console import Console

from support.here import refusal
from weft.base.errors import RequestError
from weft.base.interval import Interval
from weft.faces.cli.measure.demo import _known_table
from weft.network.fabrics.load import load_fabric
from weft.operate.demo.demonstration import clear
from weft.operate.demo.known import FoundLimit, compare
from weft.operate.demo.network import FABRIC, SCALE
from weft.understand.limits.declared import DeclaredNetwork
from weft.understand.limits.findings import LimitFinding, LimitFindings

FIRST = tuple(f"n{i}" for i in range(1, 21))
SECOND = tuple(f"n{i}" for i in range(21, 33))
TRUNK_MBPS = 80 * 1448 / 1538
CHIP_MBPS = 160 * 1448 / 1518


def found(
    *limits: tuple[str, tuple[str, ...], tuple[str, ...] | None, str, float],
) -> LimitFindings:
    return LimitFindings(
        "",
        limits=[
            LimitFinding(
                kind, members, against, direction, Interval(mbps, mbps, mbps), 2 * mbps, 0.97, ""
            )
            for kind, members, against, direction, mbps in limits
        ],
    )


def known(findings: LimitFindings) -> dict[str, FoundLimit]:
    return {
        one.where: one
        for one in compare(DeclaredNetwork(load_fabric(FABRIC, SCALE)), findings, SCALE)
    }


def test_the_published_limits_of_the_demonstration_are_all_there() -> None:
    all_of_them = known(found())
    assert {where: round(one.full_speed_mbps) for where, one in all_of_them.items()} == {
        "n[1-20] to n[21-32]": 800,
        "n[21-32] to n[1-20]": 800,
        "n[1-20] sending": 1600,
        "n[1-20] receiving": 1600,
        "n[21-32] sending": 1600,
        "n[21-32] receiving": 1600,
    }
    assert all_of_them["n[1-20] to n[21-32]"].declared_mbps == pytest.approx(TRUNK_MBPS)
    assert all_of_them["n[1-20] sending"].declared_mbps == pytest.approx(CHIP_MBPS)


def test_a_range_of_equal_ends_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    exact, wide = Interval(149, 149, 149.4), Interval(75.1, 75, 75.3)
    limits = [FoundLimit("chip", 1600, 153, 200, exact), FoundLimit("trunk", 800, 75.3, 120, wide)]
    Console(width=100).print(_known_table(limits))
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    assert [cells for row in rows if (cells := [one.strip() for one in row if one.strip()])] == [
        ["limit", "published", "payload", "measured", "range", "off"],
        ["chip", "1600", "153", "149", "-2.6 %"],
        ["trunk", "800", "75.3", "75.1", "75 to 75.3", "-0.3 %"],
    ]


def test_what_twelve_ports_send_never_fills_a_chip() -> None:
    is_felt = {where: one.is_felt for where, one in known(found()).items()}
    assert [where for where in is_felt if not is_felt[where]] == [
        "n[21-32] sending",
        "n[21-32] receiving",
    ]


@pytest.mark.parametrize(
    ("members", "against", "direction"), [(SECOND, FIRST, "out"), (FIRST, SECOND, "in")]
)
def test_a_trunk_is_the_same_seen_from_both_of_its_ends(
    members: tuple[str, ...], against: tuple[str, ...], direction: str
) -> None:
    measured = known(found(("trunk", members, against, direction, 70.0)))
    one = measured["n[21-32] to n[1-20]"]
    assert one.measured_mbps == Interval(70.0, 70.0, 70.0)
    assert one.deviation == pytest.approx(70 / TRUNK_MBPS - 1)
    assert measured["n[1-20] to n[21-32]"].measured_mbps is None


def test_a_chip_is_measured_for_both_of_its_directions() -> None:
    measured = known(found(("switch", FIRST, None, "inside", 150.0)))
    assert {where for where, one in measured.items() if one.measured_mbps} == {
        "n[1-20] sending",
        "n[1-20] receiving",
    }


def test_a_limit_of_other_nodes_is_none_of_the_known() -> None:
    measured = known(found(("trunk", FIRST[:19], (FIRST[19], *SECOND), "out", 70.0)))
    assert all(one.measured_mbps is None for one in measured.values())


def test_only_a_demonstration_is_replaced(tmp_path: Path) -> None:
    run = tmp_path / "demo" / "fast-ethernet"
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}")
    clear(tmp_path / "demo", ["xray", "fast-ethernet"])
    assert not (tmp_path / "demo").exists()
    (tmp_path / "letters").mkdir()
    with pytest.raises(RequestError, match="is no demonstration"):
        clear(tmp_path, ["xray"])
    assert (tmp_path / "letters").exists()
    refusal("demo", "--out", tmp_path)
