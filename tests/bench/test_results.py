"""Saved results of benchmarks, and the page made of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from common import depends
from common.benches import TIERS, benches
from common.beside import Beside, print_kinds
from common.depends import changed, digests
from common.results import FOLDER_VARIABLE, Goal, KnownMiss, save
from common.saved import documents
from page import PAGE, page
from show import lines

ROOT = Path(__file__).resolve().parents[2]
RESULTS = sorted((ROOT / "bench" / "results").glob("*.json"))


def test_the_page_is_made_of_the_saved_results():
    """Which are stale is left to the page's own making: each change of a crate would change it."""
    made = page(documents())
    assert rows(PAGE.read_text()) == rows(made)


def rows(text: str) -> list[str]:
    """Those of benches, whatever their state."""
    return [line.replace(" stale|", "|") for line in text.splitlines() if line.startswith("|")]


def test_the_page_is_short():
    text = PAGE.read_text()
    assert len(text.split()) <= 900
    assert len(text.splitlines()) <= len(benches()) + 30


@pytest.mark.parametrize("name", benches())
def test_a_bench_says_what_it_asks_and_its_tier(name: str):
    bench = benches()[name]
    assert bench.tier in TIERS
    assert 0 < len(bench.question.split()) <= 12


FOLDERS = [path for path in ROOT.glob("bench/**/") if path.name not in ("results", "__pycache__")]


@pytest.mark.parametrize("folder", sorted(FOLDERS), ids=lambda path: path.name)
def test_folders_of_benches_are_small(folder: Path):
    assert len([path for path in folder.iterdir() if path.is_file()]) <= 20


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_saved_results_are_of_benches_and_consistent(path: Path):
    saved = json.loads(path.read_text())
    keys = {"bench", "goals", "machine", "versions", "date", "commit"}
    assert set(saved) - {"depends"} == keys
    assert saved["bench"] in benches()
    for goal in saved["goals"]:
        assert goal["met"] is None or goal["met"] == holds(goal["goal"], goal["measured"])
        assert goal.get("expected", "why") and (goal["met"] is not None or "expected" not in goal)


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
    assert "  met       time: 0.5 s (<= 1)" in lines(saved)


REASON = "two values contradict each other"


@pytest.mark.parametrize(
    ("measured", "known", "reason"),
    [
        (1.2, KnownMiss(REASON), REASON),
        (9.0, KnownMiss(REASON), REASON),
        (1.2, KnownMiss(REASON, 1.2), REASON),
        (1.20001, KnownMiss(REASON, 1.2), REASON),
        (1.21, KnownMiss(REASON, 1.2), ""),
        (0.5, KnownMiss(REASON, 1.2), REASON),
        (None, KnownMiss(REASON), ""),
        (1.2, None, ""),
    ],
)
def test_a_miss_is_expected_up_to_the_worst_that_its_reason_explains(measured, known, reason):
    assert Goal("time", measured, "s", at_most=1.0, expected=known).reason == reason


@pytest.mark.parametrize(("held", "reason"), [(9, REASON), (10, REASON), (8, "")])
def test_fewer_than_are_known_to_hold_are_a_new_miss(held, reason):
    assert Goal("orders", held, at_least=15, expected=KnownMiss(REASON, 9)).reason == reason


BENCH = """from common.results import Goal, KnownMiss, save
save("pair", [Goal("time", 2.0, "s", at_most=1.0)], expected={expected})
"""


RUN = """import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:]
import run
from common.benches import Bench
run.bench_named = lambda name: Bench(Path(sys.argv[2], "measured", f"{name}.py"))
run.carry_out("pair", [])
"""


@pytest.mark.parametrize(
    ("expected", "status", "said"),
    [("{}", 1, "time: 2 s (<= 1)"), ('{"time": KnownMiss("slow disk")}', 0, "")],
)
def test_a_bench_fails_where_a_miss_has_no_reason(tmp_path, expected, status, said):
    script = tmp_path / "measured" / "pair.py"
    script.parent.mkdir()
    script.write_text(BENCH.format(expected=expected))
    command = [sys.executable, "-c", RUN, str(ROOT / "bench"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (
        done.returncode,
        done.stderr.strip().removeprefix("missed without a reason:").strip(),
    ) == (status, said)


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
        "bench/simulate/inside.py",
        "bench/simulate/laws.py",
        "bench/measure/pair.py",
        "bench/measure/udp.py",
        "bench/common/noise.py",
        "bench/understand/calibration.py",
        "bench/common/calibrated/race.py",
        "python/weft/base/paired.py",
        "python/weft/faces/cli/main.py",
        "python/weft/understand/kinds/race/contest.py",
        "python/weft/understand/kinds/race/scores.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before = 1\n")
    (tmp_path / "bench/measure/pair.py").write_text("from simulate import inside\n")
    (tmp_path / "bench/simulate/inside.py").write_text("from simulate.laws import peaks\n")
    (tmp_path / "bench/simulate/laws.py").write_text("from common.noise import draw\n")
    (tmp_path / "bench/understand/calibration.py").write_text(
        "from common.calibrated import cases\n"
    )
    judged = "from weft.base.paired import bounds\nfrom weft.understand.kinds.race.contest import standing\n"
    (tmp_path / "bench/common/calibrated/race.py").write_text(judged)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("crates/netsim/src/lib.rs", ["crates"]),
        ("catalog/machines/p4.toml", ["catalog"]),
        ("bench/measure/pair.py", ["bench"]),
        ("crates/netsim/tests/flows.rs", []),
        ("catalog/glossary.toml", []),
        ("bench/simulate/inside.py", ["bench"]),
        ("bench/simulate/laws.py", ["bench"]),
        ("bench/common/noise.py", ["bench"]),
        ("bench/measure/udp.py", []),
    ],
)
def test_a_result_is_stale_where_what_it_depends_on_changed(checkout, name, parts):
    saved = digests("pair", checkout)
    assert changed("pair", saved, checkout) == []
    (checkout / name).write_text("after = 2\n")
    depends._model.cache_clear()
    assert changed("pair", saved, checkout) == parts


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("bench/common/calibrated/race.py", ["weft", "bench"]),
        ("python/weft/base/paired.py", ["weft"]),
        ("python/weft/understand/kinds/race/scores.py", ["weft"]),
        ("python/weft/faces/cli/main.py", []),
        ("crates/netsim/src/lib.rs", []),
    ],
)
def test_what_judges_python_alone_is_stale_where_that_changed(checkout, name, parts):
    saved = digests("calibration", checkout)
    assert changed("calibration", saved, checkout) == []
    (checkout / name).write_text("after = 2\n")
    assert changed("calibration", saved, checkout) == parts


@pytest.mark.parametrize(
    "text",
    [
        '"""Another question?"""\nfrom simulate import inside\n',
        "from simulate import inside\nfrom common.results import KnownMiss\nEXPECTED = {}\n",
        "# for rates\nimport simulate.inside\n",
    ],
)
def test_words_and_reasons_make_no_result_stale(checkout, text):
    saved = digests("pair", checkout)
    (checkout / "bench/measure/pair.py").write_text(text)
    assert changed("pair", saved, checkout) == []


def test_a_move_makes_no_result_stale(checkout):
    saved = digests("pair", checkout)
    (checkout / "bench/measure/pair.py").rename(checkout / "bench/simulate/pair.py")
    benches.cache_clear()
    assert changed("pair", saved, checkout) == []


def test_the_page_marks_stale_results_and_counts_misses_apart(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    goals = [
        Goal("time", 0.5, "s", at_most=1.0),
        Goal("rate", 0.5, at_least=1.0),
        Goal("orders", 9, at_least=15),
    ]
    save("pair", goals, expected={"orders": KnownMiss(REASON)})
    saved = json.loads((tmp_path / "pair.json").read_text())
    text = page([saved])
    said = "1 of 3 goals are met, 1 misses are expected, 1 are not"
    assert f"{said}; of current results 1 of 3, 1, 1." in text
    assert f"|1|1|**1**|{saved['date']}|A|" in text
    assert "|udp|Are lost datagrams counted right?||||not saved||" in text
    assert f"            {REASON}" in lines(saved)
    old = saved | {"depends": saved["depends"] | {"crates": "0"}}
    text = page([old])
    assert f"{said}; of current results 0 of 0, 0, 0." in text
    assert f"|{saved['date']} stale|A|" in text
    assert any("stale: crates changed since" in line for line in lines(old))
    del old["depends"]
    assert f"|{saved['date']} stale|A|" in page([old])
