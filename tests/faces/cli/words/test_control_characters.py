"""A run folder whose names, warnings and titles try to write on the terminal of the one that reads it."""

import re
from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json
from support.made.synthetic_cluster import Cluster, Step, write_cluster_run
from weft.base.errors import RequestError
from weft.links.watch.tell import tell_stderr
from weft.runs.meta import RunMeta, Warning
from weft.understand.report.frame import write_page

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ATTACK = (
    "n\x1b[2J\x1b]0;title\x07\x9b31m\x7f\x08\u202e\nerror: forged\n  hint: run rm\rwarning: forged"
)
"""Clears the screen, names the window, colours, deletes, turns the line around, and begins lines of weft's own."""
FORGED = re.compile("^(error|  hint|warning): (forged|run rm)", re.MULTILINE)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    directory = tmp_path / "run"
    write_cluster_run(directory, Cluster(4), [Step.matrix()])
    meta = RunMeta.read(directory)
    for node in meta.nodes:
        node["name"] += ATTACK
    meta.lost.append(
        {"launch": 0, "step": 0, "phase": 0, "node": meta.nodes[3]["name"], "reason": ATTACK}
    )
    meta.warnings.append(Warning("lab-late", f"late {ATTACK}", f"do {ATTACK}"))
    meta.write(directory)
    return directory


@pytest.mark.parametrize("command", [["show"], ["diagnose"], ["recommend"], ["compare"]])
def test_no_command_lets_them_through(run: Path, command: list[str]) -> None:
    name, *options = command
    runs = [run, run] if name == "compare" else [run]
    done = weft(name, *runs, *options)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and done.stdout.strip(), said
    assert "\\u001b[2J" in said and not UNSEEN.search(said) and "\u202e" not in said
    assert not FORGED.search(said), said


def test_json_has_them_as_they_are(run: Path) -> None:
    """No program that reads it is confused, and none is printed raw."""
    assert any(ATTACK in text for text in _texts(weft_json("show", run)))
    assert not UNSEEN.search(weft("show", run, "--json").stdout)


def test_errors_and_lines_of_a_watch_are_printable(capfd: pytest.CaptureFixture[str]) -> None:
    error = RequestError(f"a {ATTACK}", f"b {ATTACK}")
    assert not UNSEEN.search(error.message + error.hint)
    tell_stderr(f"site {ATTACK}")
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and not UNSEEN.search(said)


def test_a_request_is_quoted_without_them() -> None:
    said = refusal("show", f"/nowhere/{ATTACK}".replace("\x00", ""))
    assert not UNSEEN.search(said) and not FORGED.search(said)


def test_pages_have_none(tmp_path: Path) -> None:
    page = write_page(f"<p>{ATTACK}</p>\n", tmp_path / "page.html").read_bytes().decode()
    assert not UNSEEN.search(page) and "\\u001b[2J" in page


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []
