"""A race that the machine decided recommends nothing, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from support.made.tuned import choice_of, raced, tuning_of
from support.runs import change_meta, stolen_mark
from weft.operate.tuning.race import Rules, SettingsCandidate, carry_out
from weft.runs.folder import RunFolder

REASON = "12 of 20 launches were disturbed: the hypervisor took up to 49 % of processor 0 of n1"


def test_a_tuning_of_a_disturbed_race_is_undecided() -> None:
    one = raced(choice_of("tcp_rmem", values=("a",)), None, 1.8)
    disturbed = structs.replace(one, result=structs.replace(one.result, disturbed=REASON))
    found = tuning_of(disturbed)
    assert found.verdict == f"undecided: tcp_rmem: {REASON}: tune when the machine is quiet"
    assert found.to_json()["disturbed"] == [f"tcp_rmem: {REASON}"]
    assert found.undecided == () and found.settings == {}


@pytest.mark.timed
def test_a_race_whose_blocks_were_disturbed_has_no_winner(tmp_path: Path) -> None:
    """Small buffers against the usual ones, which win by a factor."""
    folder = tmp_path / "r"
    small = SettingsCandidate("small", {"send_buffer": "4 KiB", "receive_buffer": "4 KiB"})
    asked = (
        [small, SettingsCandidate("as it is")],
        "stream",
        folder,
        Rules(time_s=20, trial_s=0.005),
    )
    assert carry_out("local:2", *asked).winner == "as it is"
    blocks = {launch for _, launch in RunFolder.open(folder).meta.done}
    change_meta(folder, disturbed=[stolen_mark(block) for block in blocks])
    found = carry_out("local:2", *asked)
    assert (found.winner, found.recommended, found.effect) == ("small", False, None)
    assert str(found.disturbed).startswith(
        f"{len(blocks)} of {len(blocks)} launches were disturbed"
    )
