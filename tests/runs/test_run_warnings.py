"""Warnings of several runs: where each comes from, said once, and which put a verdict in doubt."""

from __future__ import annotations

from pathlib import Path

from support.runs import launches_of, pingpong_run
from weft.runs.codes import explained
from weft.runs.meta import Warning
from weft.runs.run_warnings import DOUBTS, RunWarning, doubts, gathered, lines, of_folders, said


def late(share: str, run: str) -> RunWarning:
    return RunWarning("lab-late", f"{share} % of the frames left late", "use --scale", run)


def test_each_warning_names_the_folder_of_its_run(tmp_path: Path) -> None:
    warning = Warning("lab-late", "40.6 % of the frames left late", "use --scale")
    for name, warnings in {"a": [warning], "b": []}.items():
        pingpong_run(tmp_path / name, [1], launches_of([10.0]), warnings=warnings)
    found = of_folders([tmp_path / "a", tmp_path / "b"])
    assert found == (late("40.6", str(tmp_path / "a")),)


def test_what_differs_in_numbers_alone_is_said_once_with_its_count() -> None:
    (one,) = said([late("40.6", "x/a"), late("3.1", "x/b"), late("3.1", "x/c")])
    assert one.message == "3 runs (a, b, c): 3.1 to 40.6 % of the frames left late"
    assert lines([late("3.1", "x/b"), late("3.1", "x/c")]) == [
        "2 runs (b, c): 3.1 % of the frames left late (use --scale) [lab-late]"
    ]


def test_warnings_of_two_nodes_are_two() -> None:
    lost = [[Warning("agent-lost", f"{name}: its agent ended")] for name in ("n3", "n-5", "n3")]
    found = said(gathered(zip("abc", lost, strict=True)))
    assert [one.message for one in found] == [
        "2 runs (a, c): n3: its agent ended",
        "b: n-5: its agent ended",
    ]


def test_folders_of_one_name_are_told_apart() -> None:
    (one,) = said([late("1", "x/pairs"), late("1", "y/pairs")])
    assert one.message.startswith("2 runs (x/pairs, y/pairs): ")


def test_a_doubt_says_why_and_where() -> None:
    capped = RunWarning("buffer-capped", "less than asked", "", "x/a")
    assert doubts([capped]) == ()
    assert doubts([capped, late("1", "x/a"), late("2", "x/b")]) == (
        "frames left the lab late (lab-late in a, b)",
    )


def test_codes_of_doubts_are_explained() -> None:
    assert [code for code in DOUBTS if not explained(code)] == []


def test_addresses_and_versions_are_no_numbers_to_sum() -> None:
    told = [RunWarning("agent-old", f"10.0.0.{n} has 6.18.{n}", "", f"x/{n}") for n in (1, 2)]
    assert [one.message for one in said(told)] == [
        "1: 10.0.0.1 has 6.18.1",
        "2: 10.0.0.2 has 6.18.2",
    ]


def test_large_numbers_are_compared_by_what_they_are() -> None:
    told = [RunWarning("few", f"kept {n} of them.", "", n) for n in ("1,024", "999", "12.5")]
    assert [one.message for one in said(told)] == [
        "3 runs (1,024, 999, 12.5): kept 12.5 to 1,024 of them."
    ]
