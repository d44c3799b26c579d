"""The plan of a race, made of the goal's steps."""

from __future__ import annotations

from weft.operate.tuning.race_plan import SettingsCandidate, race_plan
from weft.plan.load import load_plan


def test_a_step_with_a_list_of_values_races_all_of_them() -> None:
    step = {
        "pattern": "stream",
        "sizes": ["64 KiB"],
        "over": {"options": {"send_buffer": ["8 KiB", "64 KiB"]}},
        "stop": {"rule": "time", "trial": "10 ms", "trials": 3},
    }
    entries = [
        SettingsCandidate("as it is"),
        SettingsCandidate("nodelay false", {"nodelay": "false"}),
    ]
    plan, refused = race_plan(entries, {"name": "goal", "steps": [step]}, 0.1)
    assert plan is not None and not refused
    race = load_plan(plan).race
    assert race
    assert [(one.name, len(one.steps)) for one in race.candidates] == [
        ("as it is", 2),
        ("nodelay false", 2),
    ]
