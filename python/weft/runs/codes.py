"""What the codes of warnings and findings mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from weft.base import catalog
from weft.base.toml_file import TomlTable, decode


@dataclass(frozen=True)
class Code:
    """A code, which may end in "*"; what it means, and what to `do`; `where` it comes from."""

    code: str
    means: str
    do: str
    where: str


class _Entry(TomlTable, frozen=True):
    means: str
    do: str


class _Section(TomlTable, frozen=True):
    title: str
    codes: dict[str, _Entry]


@cache
def codes() -> tuple[Code, ...]:
    """All there are, in the order of the catalogue's file."""
    sections = decode(catalog.folder("code").parent / "codes.toml", dict[str, _Section]).values()
    return tuple(
        Code(code, entry.means, entry.do, section.title)
        for section in sections
        for code, entry in section.codes.items()
    )


def explained(code: str) -> list[Code]:
    """What a code means, in each place that has it; none for one that there is not."""
    return [one for one in codes() if fnmatchcase(code, one.code)]


def page() -> str:
    """docs/codes.md."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# What does this warning mean?"
    yield ""
    yield "```"
    yield "weft explain buffer-capped"
    yield "```"
    yield ""
    yield "Each warning, finding and cause has a code, which JSON documents have as `code` or `cause`. `weft explain`"
    yield "lists all, `weft explain CODE` explains one."
    where, seen = "", set[str]()
    for one in codes():
        if one.where != where:
            where = one.where
            yield from ("", f"## {where}", "", "| code | meaning | what to do |", "|---|---|---|")
        anchor = "" if one.code in seen else f'<a id="{one.code.rstrip("*")}"></a>'
        seen.add(one.code)
        yield f"| {anchor}`{one.code}` | {one.means} | {one.do} |"
