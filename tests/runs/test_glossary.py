"""The glossary: it has what commands print and plans name, and the page is made from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from support.here import weft, weft_json
from support.made.computed import compute
from weft.base import catalog
from weft.plan.pattern import Pattern
from weft.runs.glossary import page, terms

ROOT = Path(__file__).resolve().parents[2]
NAMES = {name for term in terms() for name in term.names}
PLAIN = (
    "address against budgets clocks cost dead delay_ns differences direction explanations kind message name phase "
    "plan share source title total_us"
)
"""Words that mean what they say."""


def test_every_plan_and_pattern_is_explained() -> None:
    patterns = {one.__name__.lower() for one in get_args(Pattern)}
    assert {*catalog.names("plan"), *patterns} - NAMES == set()


def test_keys_that_commands_print_are_explained(tmp_path: Path) -> None:
    for plan, on in (("signature", "sim:pair"), ("aapc", "sim:pair")):
        compute(tmp_path / plan, plan, on)
        for command in ("show", "diagnose"):
            document = weft_json(command, tmp_path / plan)
            assert set(_keys(document)) - NAMES - {*PLAIN.split()} == set()


def _keys(document: dict[str, object]) -> Iterator[str]:
    """Of a document and of the entries of its lists."""
    yield from document
    for value in document.values():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield from value[0]


def test_each_term_is_found_by_its_words_however_they_are_joined() -> None:
    for term in terms():
        for name in term.names:
            for joint in " -_":
                spelled = name.replace(" ", joint).replace("_", joint).upper()
                assert term.is_called(spelled), spelled
        assert not term.is_called(f"{term.term} x")


def test_what_tables_and_figures_call_the_values_of_a_signature_is_explained(
    tmp_path: Path,
) -> None:
    compute(tmp_path / "pair", "signature", "sim:pair")
    said = weft("show", tmp_path / "pair").stdout
    for label in ("half power", "knee", "saturation"):
        assert label in said
        assert weft("explain", label).stdout == weft("explain", *label.split()).stdout != ""


def test_pages_that_terms_name_exist() -> None:
    assert [one.page for one in terms() if not (ROOT / "docs" / one.page).is_file()] == []


def test_the_page_is_the_table() -> None:
    assert (ROOT / "docs/glossary.md").read_text() == page()
