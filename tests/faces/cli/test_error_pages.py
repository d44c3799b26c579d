"""Errors name the page that says more."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from support.here import refusal, weft_json
from weft.faces.cli.error_pages import PAGES, local_page

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("command", "page"),
    [
        ("run sgnature --on sim:pair", "plans"),
        ("run signature --on lab:par", "fabric-files"),
        ("run signature --on hosts:none.toml", "real-clusters"),
        ("run signature --on node:p4", "simulate-a-node"),
        ("import netpipe Makefile", "other-tools"),
        ("laws --p 3 --sigma 1", "laws"),
    ],
)
def test_an_error_names_the_page_of_what_it_is_about(
    command: str, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert refusal(*command.split()).endswith(f"\n  see docs/{page}.md\n")
    assert weft_json(*command.split(), status=2)["error"]["page"] == f"docs/{page}.md"


def test_what_no_page_is_about_names_none() -> None:
    assert "\n  see " not in refusal("show", "none")


def test_the_pages_and_rooms_of_the_table_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [room for room in PAGES if find_spec(room) is None] == []
    assert [page for page in PAGES.values() if page and not local_page(page)] == []


def test_a_page_that_is_not_on_this_machine_is_not_named() -> None:
    assert local_page("none.md") == local_page("") == ""
