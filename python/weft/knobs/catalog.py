"""The catalogue of knobs: catalog/knobs/*.toml."""

from __future__ import annotations

from functools import cache

from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.toml_file import TomlFile
from weft.knobs.knob import Knob


@cache
def knobs() -> dict[str, Knob]:
    """All knobs, by name."""
    return {name: _read(name) for name in catalog.names("knob")}


def find(name: str) -> Knob:
    """The knob of this name; raises RequestError if there is none."""
    known = knobs()
    if name in known:
        return known[name]
    raise RequestError(
        f"knob {name!r}: not in the catalogue",
        catalog.known_names(name, list(known), "weft list knobs"),
    )


def _read(name: str) -> Knob:
    file = TomlFile(catalog.read(catalog.find("knob", name)), name)
    return file.convert({**file.table, "name": name}, Knob)
