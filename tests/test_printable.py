"""What a terminal would obey is shown instead."""

import json
from pathlib import Path

import pytest

from support.here import weft
from support.runs import change_meta
from support.synthetic import write_run
from weft.printable import printable, printable_json

CONTROLS = [chr(one) for one in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if chr(one) not in "\t\n"]


@pytest.mark.parametrize("one", CONTROLS, ids=lambda one: f"{ord(one):02x}")
@pytest.mark.parametrize("is_ascii", [True, False])
def test_a_control_character_of_a_document_becomes_visible(one: str, is_ascii: bool) -> None:
    text = f"a{one}b\\{one}"
    document = json.dumps({"name": text}, ensure_ascii=is_ascii).encode()
    shown = json.loads(printable_json(document))["name"]
    assert shown == printable(text) == f"a\\x{ord(one):02x}b\\\\x{ord(one):02x}"


def test_all_else_stays_as_it_is() -> None:
    for text in ("", "a\tb\nc", "\\u001b", "\\\\u001b", 'é "x" – \U0001f600', "a\\x1b"):
        for is_ascii in (True, False):
            document = json.dumps([text], ensure_ascii=is_ascii).encode()
            assert json.loads(printable_json(document)) == [text] == [printable(text)]


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
    assert "\\x1b[2J" in done.stdout + done.stderr
    done = weft("show", tmp_path / "no\x1b[31msuch")
    assert done.returncode == 2 and "\x1b" not in done.stderr and "\\x1b[31m" in done.stderr
