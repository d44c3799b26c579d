"""`weft watch replay` and `weft watch show`, from another tool's file to what happened."""

from pathlib import Path

from support.here import refusal, weft, weft_json
from support.importing import DATA


def test_a_file_is_replayed_and_shown(tmp_path: Path) -> None:
    folder = str(tmp_path / "links")
    said = weft_json("watch", "replay", str(DATA / "fping_5.1_D.txt"), "--out", folder)
    assert (said["format"], said["links"], said["probes"]) == ("fping", 2, 10)
    shown = weft_json("watch", "show", folder)
    up = {one["dst"]: one["availability"]["share"]["median"] for one in shown["links"]}
    assert up == {"127.0.0.1": 1.0, "10.255.255.1": 0.0}
    assert [one["dst"] for one in shown["outages"]] == ["10.255.255.1"]
    table = weft("watch", "show", folder).stdout
    assert "100.000 %" in table and "goes on" in table


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = str(tmp_path / "links")
    weft("watch", "replay", str(DATA / "ping_20221126_D.txt"), "--out", folder)
    assert "not a time" in refusal("watch", "show", folder, "--since", "soon")
