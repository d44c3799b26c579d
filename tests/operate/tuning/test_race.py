"""Races between agents on loopback."""

from __future__ import annotations

import signal
import time

import pytest

from support.command import start
from support.here import weft
from weft.base.errors import RequestError, WorkError
from weft.operate.tuning.race import Rules, SettingsCandidate, carry_out
from weft.runs.folder import RunFolder

DEFAULT = SettingsCandidate("as it is")
SMALL = SettingsCandidate("buffers 4 KiB", {"send_buffer": "4 KiB", "receive_buffer": "4 KiB"})
REFUSED = SettingsCandidate("no such control", {"congestion": "nonesuch"})
IMPOSSIBLE = SettingsCandidate("two transports", {"zero_copy": "", "stripes": "2"})
QUICK = Rules(time_s=20, trial_s=0.005, seed=1)

PLAN = """
name = "raced"
[race]
baseline = "one"
time = "8 s"
margin = "0 %"
[[steps]]
name = "one"
pattern = "pingpong"
sizes = ["64 B"]
stop = { rule = "time", trial = "10 ms", trials = 3 }
[[steps]]
name = "two"
pattern = "pingpong"
sizes = ["64 B"]
stop = { rule = "time", trial = "10 ms", trials = 3 }
[[steps]]
name = "three"
pattern = "pingpong"
sizes = ["64 B"]
stop = { rule = "time", trial = "10 ms", trials = 3 }
"""


@pytest.mark.timed
def test_the_better_is_confirmed_and_those_that_fail_are_out_by_name(tmp_path):
    """Small buffers are the baseline: the settings as they are win by a factor."""
    folder = tmp_path / "r"
    entries = [SMALL, SettingsCandidate("as it is"), REFUSED, IMPOSSIBLE]
    found = carry_out("local:2", entries, "stream", folder, QUICK)
    assert (found.winner, found.recommended, found.ended) == ("as it is", True, "one-left")
    assert found.effect is not None
    assert found.effect.low > 1.01
    why = {place.name: place.why for place in found.places if place.failed}
    assert "the kernel refuses congestion control" in why["no such control"]
    assert "stripes: is over tcp-striped" in why["two transports"]
    again = carry_out("local:2", entries, "stream", folder, QUICK)
    assert again == found
    shown = weft("show", folder).stdout
    assert "confirmed: as it is is" in shown
    assert "the kernel refuses congestion" in " ".join(shown.split())
    record = RunFolder.open(folder).meta.race
    assert record["retried"] == [{"candidate": "no such control", "block": 0}]
    assert "no such control was tried again in 1 block" in " ".join(shown.split())
    orders = record["blocks"]
    assert {block[0] for block in orders} == {SMALL.name, "as it is"}


@pytest.mark.timed
def test_a_race_that_is_interrupted_goes_on_where_it_was(tmp_path):
    plan, folder = tmp_path / "plan.toml", tmp_path / "r"
    plan.write_text(PLAN)
    process = start("run", plan, "--on", "local:2", "--out", folder)
    while not folder.exists() or _blocks(folder) < 3:
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    partial = RunFolder.open(folder)
    assert partial.meta.status == "partial"
    assert partial.meta.race["outcome"]["ended"] == "open"
    weft("run", "--resume", folder)
    after = RunFolder.open(folder)
    assert after.meta.status == "complete"
    before = partial.meta.race["blocks"]
    assert after.meta.race["blocks"][: len(before)] == before
    assert after.meta.race["seconds"] > partial.meta.race["seconds"]
    assert set(map(tuple, after.meta.done)) == {
        (after.meta.plan.race.steps_of(name)[0], block)
        for block, names in enumerate(after.meta.race["blocks"])
        for name in names
    }


def _blocks(folder) -> int:
    try:
        return len(RunFolder.open(folder).meta.race["blocks"])
    except (RequestError, TypeError):
        return 0


def test_a_baseline_that_fails_ends_the_race_and_says_why(tmp_path):
    with pytest.raises(WorkError, match="the kernel refuses congestion control"):
        carry_out("local:2", [REFUSED, DEFAULT], "latency", tmp_path / "r", QUICK)


def test_a_race_is_not_computed(tmp_path):
    with pytest.raises(RequestError, match="computes the same each time"):
        carry_out("sim:pair", [DEFAULT, SMALL], "mixed", tmp_path / "r", QUICK)


def test_where_all_candidates_are_refused_the_baseline_stays(tmp_path):
    found = carry_out("local:2", [DEFAULT, IMPOSSIBLE], "mixed", tmp_path / "r", QUICK)
    assert (found.winner, found.recommended, found.blocks) == ("as it is", False, 0)
    assert not (tmp_path / "r").exists()
