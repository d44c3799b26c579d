"""Settings that won stay in place on request, and `weft tune --undo` takes them back."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.clusters.namespaces import settings_of, spec_of, two_namespaces
from support.here import refusal, weft, weft_json
from weft.operate.tuning.apply import apply
from weft.operate.tuning.request import TuneRequest

pytestmark = pytest.mark.timed
WANTED = "4096 131072 1000000"


def test_what_is_left_in_place_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    with two_namespaces() as names:
        before = [*map(settings_of, names)]
        request = TuneRequest(spec_of(names), str(tmp_path / "t"), apply=True)
        done = apply(request, {"tcp_rmem": WANTED, "nodelay": "false"}, "now")
        assert len(done) == 2 and all(one.endswith(f"is {WANTED}") for one in done)
        assert [*map(settings_of, names)] != before
        found = weft_json("tune", "--undo")["restored"]
        assert {one["outcome"] for one in found} == {"restored"}
        assert [*map(settings_of, names)] == before
        assert "nothing is changed" in weft("tune", "--undo").stdout


def test_a_lab_that_ends_with_the_tuning_keeps_nothing(own_registry: None, tmp_path: Path) -> None:
    options = ["tune", "--on", "lab:pair", "--apply", "--out", tmp_path / "t"]
    assert "`weft lab up pair` first" in refusal(*options)
