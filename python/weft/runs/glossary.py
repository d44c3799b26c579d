"""The field's terms as weft uses them."""

from __future__ import annotations

import re
from functools import cache

from msgspec.structs import replace

from weft.base import catalog
from weft.base.toml_file import TomlTable, decode


class Term(TomlTable, frozen=True):
    """A term: what it means, the `keys` by which plans and JSON call it, the `page` of docs/ that says more.

    `also` has what else tables and pages call it.
    """

    means: str
    page: str
    term: str = ""
    keys: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def names(self) -> set[str]:
        """All that it is looked up by, in lower case."""
        return {one.casefold() for one in (self.term, *self.keys, *self.also)}

    def is_called(self, name: str) -> bool:
        """Whether it is looked up by a name, whose words may be joined by blanks, hyphens or underscores."""
        return _words(name) in map(_words, self.names)


def _words(name: str) -> tuple[str, ...]:
    return tuple(re.split(r"[\s_-]+", name.strip().casefold()))


@cache
def terms() -> tuple[Term, ...]:
    """All there are, by their names."""
    entries = decode(catalog.folder("code").parent / "glossary.toml", dict[str, Term])
    found = (replace(entry, term=name) for name, entry in entries.items())
    return tuple(sorted(found, key=lambda one: one.term.casefold()))


def page() -> str:
    """docs/glossary.md."""
    head = "# What do these words mean?\n\n```\nweft explain half-power size\n```\n"
    return "\n".join([head, *map(_entry, terms())])


def _entry(term: Term) -> str:
    keys = _other_keys(term)
    names = f" Names: {', '.join(f'`{key}`' for key in keys)}." if keys else ""
    also = f" Also: {', '.join(term.also)}." if term.also else ""
    return f"## {term.term}\n\n{term.means}{also}{names} [More]({term.page})\n"


def _other_keys(term: Term) -> list[str]:
    """The keys that are neither its plural nor in its text, each in one spelling."""
    by_words = {_words(key): key for key in term.keys if f"`{key}`" not in term.means}
    return [key for key in by_words.values() if key != f"{term.term.casefold()}s"]
