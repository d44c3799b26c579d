"""What a terminal would obey is shown instead."""

from pathlib import Path

import pytest

from support.here import weft
from support.made.synthetic import write_run
from support.runs import change_meta
from weft.base.printable import printable

CONTROLS = [chr(one) for one in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if chr(one) not in "\t\n"]


@pytest.mark.parametrize("one", CONTROLS, ids=lambda one: f"{ord(one):02x}")
def test_a_control_character_becomes_visible(one: str) -> None:
    assert printable(f"a{one}b\t") == f"a\\u{ord(one):04x}b\t"


def test_a_node_cannot_forge_a_line_on_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write_run(folder, sizes=[1, 1024])
    warning = {"code": "x", "message": "\x1b[2J\x1b[1;1Hweft: all is well\x9b1m", "hint": "\r\x07"}
    nodes = [{"name": f"n{at}\x1b]0;owned\x07", "address": ""} for at in (1, 2)]
    change_meta(folder, nodes=nodes, warnings=[warning])
    for command in (["show"], ["diagnose"], ["compare", folder]):
        done = weft(command[0], folder, *command[1:])
        said = done.stdout + done.stderr
        assert not [one for one in CONTROLS if one in said], command
    done = weft("show", folder)
    assert "\\u001b[2J" in done.stdout + done.stderr
    done = weft("show", tmp_path / "no\x1b[31msuch")
    assert done.returncode == 2 and "\x1b" not in done.stderr and "\\u001b[31m" in done.stderr
