"""What commands say of a run that stays disturbed: it comes first, and nothing is concluded."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft
from support.here import refusal, weft_json
from support.here import weft as command
from support.runs import disturbed_run

SAID = (
    "5 of 5 launches were disturbed: the hypervisor took up to 49 % of processor 0 of this machine"
)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A disturbed run that is 16.5 times slower, and a quiet one."""
    return (
        disturbed_run(tmp_path / "disturbed", range(5)).directory,
        disturbed_run(tmp_path / "quiet", []).directory,
    )


def test_show_and_diagnose_say_it_in_their_first_line(folders: tuple[Path, Path]) -> None:
    disturbed, quiet = folders
    for name in ("show", "diagnose"):
        assert command(name, disturbed).stdout.splitlines()[0] == f"disturbed: {SAID}"
        assert "disturbed" not in command(name, quiet).stdout.splitlines()[0]


def test_a_report_says_it_before_all_verdicts(folders: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command("report", folders[1], folders[0], "--out", page)
    verdicts = page.read_text().partition("Verdict</h2>")[2]
    assert verdicts.index(f"Disturbed: {SAID}") < verdicts.index("28 ")
    assert verdicts.count("Disturbed: ") == 1


def test_python_says_it_first(folders: tuple[Path, Path]) -> None:
    assert weft.open(folders[0]).lines()[0].startswith(f"Disturbed: {SAID}")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_compare_gives_no_verdict(folders: tuple[Path, Path], order: tuple[int, int]) -> None:
    a, b = (folders[at] for at in order)
    name = "ab"[order.index(0)]
    said = command("compare", a, b).stdout
    assert said.splitlines()[0] == f"not comparable: {name}: {SAID}"
    assert "significant" not in said and "a differs from b" not in said
    document = weft_json("compare", a, b)
    assert document["not_comparable"] == f"{name}: {SAID}"
    assert {one["significant"] for one in document["points"]} == {None}
    (line, *_) = weft.compare(a, b).lines()
    assert line.endswith(f"not comparable: {name}: {SAID}")


def test_runs_of_which_some_launches_were_measured_again_are_compared(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    again = disturbed_run(tmp_path / "again", [0, 1], launches=7).directory
    document = weft_json("compare", again, folders[1])
    assert document["not_comparable"] is None
    (point,) = document["points"]
    assert point["ratio"]["median"] == pytest.approx(1.0, abs=0.02)
    assert point["significant"] is False


def test_nothing_is_measured_against_a_disturbed_run(folders: tuple[Path, Path]) -> None:
    asked = ["signature", "--on", "lab:pair", "--until", "decided", "--against", folders[0]]
    assert SAID in refusal("run", *asked, "--dry-run")


def test_nothing_is_recommended_by_a_disturbed_run(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    document = weft_json("recommend", folders[0], "--out", tmp_path / "advice")
    assert document["actions"] == []
    said = command("recommend", folders[0], "--out", tmp_path / "advice2").stdout
    assert f"nothing follows from it: {SAID}" in " ".join(said.split())
