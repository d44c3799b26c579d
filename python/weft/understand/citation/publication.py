"""The publications whose values the catalogue has."""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from weft.base import catalog
from weft.base.files.text_file import parse_toml

_KIND = "publication"
"""The kind of the catalogue's files with published values."""


class PublishedValue(Struct, frozen=True):
    """One value; `source` is where it stands."""

    id: str
    quantity: str
    value: object
    unit: str
    source: str


class Publication(Struct, frozen=True):
    """A publication with its values; `year` is a text where it has none, and `year_note` says more."""

    title: str
    year: int | str
    authors: list[str] = []
    doc_type: str = ""
    year_note: str = ""
    values: list[PublishedValue] = field(name="result", default_factory=list)


def publications() -> dict[str, Publication]:
    """All of them, by name."""
    paths = {name: catalog.find(_KIND, name) for name in catalog.names(_KIND)}
    return {
        name: msgspec.convert(parse_toml(catalog.read(path), catalog.shown(path)), Publication)
        for name, path in paths.items()
    }
