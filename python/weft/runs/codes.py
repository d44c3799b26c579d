"""What the codes of warnings and findings mean."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from weft.errors import RequestError
from weft.plan import catalog


@dataclass(frozen=True)
class Code:
    """A code, which may end in "*"; what it means, and what to `do`; `where` it comes from."""

    code: str
    means: str
    do: str
    where: str


@cache
def codes() -> tuple[Code, ...]:
    """All there are, in the order of the catalogue's file."""
    document = tomllib.loads(catalog.read(catalog.folder("code").parent / "codes.toml"))
    return tuple(
        Code(code, entry["means"], entry["do"], section["title"])
        for section in document.values()
        for code, entry in section["codes"].items()
    )


def explained(code: str) -> list[Code]:
    """What a code means, in each place that has it; raises RequestError for one that there is not."""
    found = [one for one in codes() if fnmatchcase(code, one.code)]
    if not found:
        known = sorted({one.code for one in codes()})
        raise RequestError(f"{code}: no such code", catalog.known_names(code, known))
    return found


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
    where = ""
    for one in codes():
        if one.where != where:
            where = one.where
            yield from ("", f"## {where}", "", "| code | meaning | what to do |", "|---|---|---|")
        yield f"| `{one.code}` | {one.means} | {one.do} |"
