"""The pages: links lead somewhere, and every command in them is one that weft has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from weft.cli.main import weft

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> Iterator[str]:
    """Lines of blocks that begin with weft, with or without a prompt; placeholders in capitals are left as they are."""
    for block in BLOCK.findall(page.read_text()):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r" ; |; ", line.removeprefix("$ ")):
                if part.startswith("weft "):
                    yield part


def arguments(command: str) -> list[str]:
    """What weft is given: without comments, pipes and redirections."""
    words = shlex.split(command, comments=True)[1:]
    ends = [at for at, word in enumerate(words) if word in ("|", ">", "2>", "&")]
    return words[: min(ends, default=len(words))]


CASES = [
    pytest.param(one, id=f"{page.name}: {one[:60]}") for page in PAGES for one in commands(page)
]


@pytest.mark.parametrize("command", CASES)
def test_commands_in_pages_are_ones_that_weft_has(command: str) -> None:
    group: click.Command = weft
    context: click.Context | None = None
    words = arguments(command)
    while isinstance(group, click.Group):
        context = context or click.Context(weft)
        name = words.pop(0)
        found = group.get_command(context, name)
        assert found is not None, name
        group = found
    group.make_context(group.name, words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        place, _, anchor = link.partition("#")
        target = page.parent / place if place else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def anchors(page: Path) -> list[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings]
