"""`weft run PLAN --help`: the keys of the patterns in a plan, what they take and have."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import weft
from support.refusals import refused
from weft.plan.step_keys import step_keys

PLAN = """
name = "two"
[[steps]]
name = "some"
pattern = "alltoall"
mode = "unphased"
sizes = ["1 KiB"]
stop = { rule = "count", repeats = 5, trials = 2 }
[[steps]]
pattern = "pairs"
sizes = ["1 KiB"]
stop = { rule = "count", repeats = 5, trials = 2 }
over = { stride = [1, 2] }
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "two.toml"
    file.write_text(PLAN)
    return file


def help_of(*words: object) -> str:
    shown = weft("run", *words, "--help")
    assert shown.returncode == 0 and "--patience" in shown.stdout
    return " ".join(shown.stdout.split())


def test_a_named_plan_has_its_steps_in_the_help(plan: Path) -> None:
    shown = help_of(plan)
    assert "Step some, pattern alltoall: --set steps.some.KEY=VALUE" in shown
    assert 'mode="unphased" one of phased, unphased' in shown
    assert "Step pairs, pattern pairs: --set steps.pairs.KEY=VALUE" in shown
    assert "over.stride=[1, 2] a whole number from 1 to" in shown
    assert "duplex one of half, full [default: full]" in shown
    assert "Step pingpong, pattern pingpong: no keys of its own" in help_of("signature")
    assert "Step " not in help_of()


def test_each_value_has_its_unit_and_what_is_usual() -> None:
    (xray,) = [step for step in step_keys("xray") if step.pattern == "xray"]
    keys = {key.name: key for key in xray.keys}
    assert keys["time"].values.startswith("a time with a unit (ns, us, ms, s, min, h, d, w)")
    assert keys["time"].given == '"300 s"'
    (stream,) = [step for step in step_keys("drivers") if step.pattern == "stream"]
    window, gamma, compute = stream.keys
    assert window.values == "a whole number from 1 to 1048576" and stream.usual(window) == "64"
    assert gamma.values.startswith("numbers from 0 to") and stream.usual(gamma) is None
    assert compute.values == "only of a stream with `gamma`"


def test_help_says_what_is_wrong_with_a_plan(tmp_path: Path) -> None:
    assert "not in the catalogue" in help_of("signatur")
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(PLAN.replace("unphased", "at once"))
    assert "unknown mode; known: phased, unphased" in help_of(wrong)
    with refused("unknown mode"):
        step_keys(wrong)
