"""`weft watch replay` and `weft watch show`, from another tool's file to what happened."""

from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json
from support.importing import DATA
from support.made.probes import probes
from weft.links.watch.store.importing import write_watch


def test_a_file_is_replayed_and_shown(tmp_path: Path) -> None:
    folder = str(tmp_path / "links")
    said = weft_json("watch", "replay", str(DATA / "fping_5.1_D.txt"), "--out", folder)
    assert (said["format"], said["links"], said["probes"]) == ("fping", 2, 10)
    shown = weft_json("watch", "show", folder)
    up = {one["dst"]: one["availability"]["share"]["median"] for one in shown["links"]}
    assert up == {"127.0.0.1": 1.0, "10.255.255.1": 0.0}
    assert [one["dst"] for one in shown["outages"]] == ["10.255.255.1"]
    table = weft("watch", "show", folder).stdout
    assert " 100.000 " in table and "goes on" in table


def test_messages_are_stated_by_hour(tmp_path: Path) -> None:
    folder = tmp_path / "links"
    write_watch(folder, [probes(3 * 86400, sizes=(8, 20_000), step_s=30, beta_s=1e-7)], "ping")
    said = weft_json("watch", "show", str(folder), "--message", "1MB", "--ranks", "16")
    [found] = said["messages"]
    assert len(found["by_hour"]) == 24
    assert found["middle"]["message_s"]["median"] == pytest.approx(0.1, rel=0.05)
    assert found["middle"]["exchange_s"]["median"] == pytest.approx(6.4, rel=0.05)
    table = weft("watch", "show", str(folder), "--message", "1MB", "--ranks", "16").stdout
    assert "any" in table and "23-24" in table and "6.4" in table
    assert "give --message" in refusal("watch", "show", str(folder), "--ranks", "4")
    assert "not a size" in refusal("watch", "show", str(folder), "--message", "big")


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = str(tmp_path / "links")
    weft("watch", "replay", str(DATA / "ping_20221126_D.txt"), "--out", folder)
    assert "not a time" in refusal("watch", "show", folder, "--since", "soon")
