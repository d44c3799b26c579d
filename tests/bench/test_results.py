"""Saved results of benchmarks, and the page made of them."""

import json
from pathlib import Path

import pytest

from common import depends
from common.beside import Beside, print_kinds
from common.depends import changed, digests
from common.page import PAGE, page
from common.results import FOLDER_VARIABLE, Goal, save

ROOT = Path(__file__).resolve().parents[2]
RESULTS = sorted((ROOT / "bench" / "results").glob("*.json"))


def test_the_page_is_made_of_the_saved_results():
    """Which are stale is left to the page's own making: each change of a crate would change it."""
    made = page([json.loads(path.read_text()) for path in RESULTS])
    assert rows(PAGE.read_text()) == rows(made)


def rows(text: str) -> list[str]:
    """Those of tables, by bench, whatever their state."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("## "):
            mine = found.setdefault(line, [])
        elif line.startswith("| "):
            mine.append(line)
    return [line for name, mine in found.items() for line in (name, *sorted(mine))]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_saved_results_are_of_benches_and_consistent(path: Path):
    saved = json.loads(path.read_text())
    keys = {"bench", "goals", "machine", "versions", "date", "commit"}
    assert set(saved) - {"depends"} == keys
    assert (ROOT / "bench" / f"{saved['bench']}.py").exists()
    for goal in saved["goals"]:
        assert goal["met"] is None or goal["met"] == holds(goal["goal"], goal["measured"])


def holds(goal: str, measured: float) -> bool:
    bounds = [one.split() for one in goal.split(" and ")]
    return all(
        measured <= float(bound) if sign == "<=" else measured >= float(bound)
        for sign, bound in bounds
    )


@pytest.mark.parametrize(
    ("measured", "bounds", "is_met"),
    [
        (1.0, {"at_most": 1.0}, True),
        (1.1, {"at_most": 1.0}, False),
        (0.9, {"at_least": 1.0}, False),
        (2.0, {"at_most": 3.0, "at_least": 1.0}, True),
        (0.5, {"at_most": 3.0, "at_least": 1.0}, False),
        (None, {"at_most": 1.0}, None),
        (1.0, {}, None),
    ],
)
def test_a_goal_is_met_within_its_bounds(measured, bounds, is_met):
    assert Goal("time", measured, "s", **bounds).is_met is is_met


def test_results_are_saved_only_where_a_folder_is_named(tmp_path, monkeypatch):
    goals = [Goal("time", 0.5, "s", at_most=1.0)]
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    save("pair", goals, "latency")
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    save("pair", goals, "latency", {"NPtcp": "3.7.2"})
    saved = json.loads((tmp_path / "pair-latency.json").read_text())
    assert saved["goals"] == [
        {"what": "time", "goal": "<= 1", "measured": 0.5, "unit": "s", "met": True}
    ]
    assert "| time | <= 1 | 0.5 s | met |" in page([saved])


def test_what_was_fitted_is_in_no_median():
    rows = [
        Beside("latency", "a", 100, 90),
        Beside("latency", "b", 100, 102),
        Beside("latency", "c", 100, 300, "fitted"),
        Beside("L1D read", "d", 50, 60, in_points=True),
    ]
    latency, worst, hits, _ = print_kinds(rows)
    assert (latency.measured, latency.is_met) == (pytest.approx(6), True)
    assert (worst.what, worst.measured) == ("latency, worst: a", pytest.approx(10))
    assert (hits.measured, hits.unit, hits.is_met) == (pytest.approx(10), "points", False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small one: a crate with a test, two kinds of catalogue, a bench that takes values of others."""
    for name in (
        "crates/netsim/src/lib.rs",
        "crates/netsim/tests/flows.rs",
        "catalog/machines/p4.toml",
        "catalog/glossary.toml",
        "bench/inside.py",
        "bench/laws.py",
        "bench/pair.py",
        "bench/udp.py",
        "bench/common/noise.py",
        "bench/calibration.py",
        "bench/calibrated/race.py",
        "python/weft/paired.py",
        "python/weft/cli/main.py",
        "python/weft/diagnosis/race/contest.py",
        "python/weft/diagnosis/race/scores.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before")
    (tmp_path / "bench/pair.py").write_text("import inside\n")
    (tmp_path / "bench/inside.py").write_text("from laws import peaks\n")
    (tmp_path / "bench/laws.py").write_text("from common.noise import draw\n")
    (tmp_path / "bench/calibration.py").write_text("from calibrated import cases\n")
    judged = "from weft.paired import bounds\nfrom weft.diagnosis.race.contest import standing\n"
    (tmp_path / "bench/calibrated/race.py").write_text(judged)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("crates/netsim/src/lib.rs", ["crates"]),
        ("catalog/machines/p4.toml", ["catalog"]),
        ("bench/pair.py", ["bench"]),
        ("crates/netsim/tests/flows.rs", []),
        ("catalog/glossary.toml", []),
        ("bench/inside.py", ["bench"]),
        ("bench/laws.py", ["bench"]),
        ("bench/common/noise.py", ["bench"]),
        ("bench/udp.py", []),
    ],
)
def test_a_result_is_stale_where_what_it_depends_on_changed(checkout, name, parts):
    saved = digests("pair", checkout)
    assert changed("pair", saved, checkout) == []
    (checkout / name).write_text("after")
    depends._model.cache_clear()
    assert changed("pair", saved, checkout) == parts


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("bench/calibrated/race.py", ["weft", "bench"]),
        ("python/weft/paired.py", ["weft"]),
        ("python/weft/diagnosis/race/scores.py", ["weft"]),
        ("python/weft/cli/main.py", []),
        ("crates/netsim/src/lib.rs", []),
    ],
)
def test_what_judges_python_alone_is_stale_where_that_changed(checkout, name, parts):
    saved = digests("calibration", checkout)
    assert changed("calibration", saved, checkout) == []
    (checkout / name).write_text("after")
    assert changed("calibration", saved, checkout) == parts


def test_the_page_marks_stale_results_and_counts_them_apart(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    save("pair", [Goal("time", 0.5, "s", at_most=1.0)])
    saved = json.loads((tmp_path / "pair.json").read_text())
    text = page([saved])
    assert "1 of 1 goals are met; of those with current results, 1 of 1." in text
    assert "machine A:" in text
    old = saved | {"depends": saved["depends"] | {"crates": "0"}}
    text = page([old])
    assert "1 of 1 goals are met; of those with current results, 0 of 0." in text
    assert "machine A, **stale**: crates changed since:" in text
    del old["depends"]
    assert "machine A, **stale**:" in page([old])
