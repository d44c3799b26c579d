"""`weft what-if` as a user runs it."""

from pathlib import Path

from support.here import refusal, weft, weft_json

DOUBLE = ("--change", "links.rack1-rack2.rate*=2")


def test_a_change_as_a_table_and_as_json(tmp_path: Path) -> None:
    document = weft_json("what-if", "two-racks", *DOUBLE, "--out", tmp_path / "out")
    assert document["is_measured"] is False and document["plans"] == ["aapc"]
    (outcome,) = document["outcomes"]
    assert outcome["speedup"] > 1.5 and outcome["verification"] is None
    assert outcome["effects"][0]["speedup"].keys() == {"median", "low", "high"}
    assert (tmp_path / "out/what-if.json").exists()
    shown = weft("what-if", "two-racks", *DOUBLE).stdout
    assert shown.splitlines()[0] == "two-racks: taken as its file says"
    assert "fast" in shown and "4194304" in shown


def test_alternatives_of_a_file_are_ordered(tmp_path: Path) -> None:
    path = tmp_path / "list.toml"
    path.write_text(
        '[[alternative]]\nname = "narrow"\nchanges = ["links.rack1-rack2.rate*=0.5"]\n'
        '[[alternative]]\nname = "wide"\nchanges = ["oversubscription 1:1"]\n'
        '[[alternative]]\nname = "more"\nchanges = ["add 2 hosts"]\n'
        '[[alternative]]\nname = "wrong"\nchanges = ["remove n99"]\n'
    )
    small = ("--set", "steps.aapc.sizes=['64 KiB']")
    lines = weft("what-if", "two-racks", "--list", path, *small).stdout.splitlines()
    names = [line.split()[0] for line in lines if " aapc " in line]
    assert names == ["wide", "more", "narrow"]
    assert "more: 34 hosts instead of 32" in lines
    assert any(line.startswith("wrong: there is no host n99") for line in lines)


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    assert "what is to be changed" in refusal("what-if", "two-racks")
    assert "no host n99" in refusal("what-if", "two-racks", "--change", "remove n99")
    assert "not in the catalogue" in refusal("what-if", "two-rack", *DOUBLE)
    assert "not in the catalogue" in refusal("what-if", "two-racks", *DOUBLE, "--plan", "apc")
    assert "no such file" in refusal("what-if", "two-racks", "--list", tmp_path / "none.toml")
    assert "not KEY=VALUE" in refusal("what-if", "two-racks", *DOUBLE, "--set", "x")
    overhead = ("--change", "overhead=1us", "--verify")
    assert "a lab has its machine's own" in refusal("what-if", "two-racks", *overhead)
