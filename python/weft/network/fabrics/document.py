"""A fabric file as data, which can be changed, priced and simulated without being written to disk."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import tomlkit

from weft import _core
from weft.base import catalog
from weft.runs.records.fabric_records import FabricRecord

Table = Mapping[str, object]
"""A TOML table: strings, numbers, lists and tables by key."""


@dataclass(frozen=True)
class FabricDocument:
    """A fabric file with its keys as written (docs/fabric-files.md); `origin` names it in messages."""

    table: Table
    origin: str

    @classmethod
    def read(cls, name_or_path: str | os.PathLike[str]) -> FabricDocument:
        """Read a fabric of the catalogue or a file; raises RequestError if it is missing or invalid."""
        path = catalog.find("fabric", os.fspath(name_or_path))
        return cls.of_text(catalog.read(path), catalog.shown(path))

    @classmethod
    def of_text(cls, text: str, origin: str) -> FabricDocument:
        """Parse a TOML text; raises RequestError with the line if it is invalid."""
        _core.load_fabric(text, origin, 1.0)
        return cls(tomlkit.parse(text).unwrap(), origin)

    @property
    def name(self) -> str:
        """The name in the file."""
        return str(self.table["name"])

    def edited(self) -> dict[str, object]:
        """A deep copy of the table, to change and pass to `with_table`."""
        return copy.deepcopy(dict(self.table))

    def with_table(self, table: Table) -> FabricDocument:
        """The document with another table; raises RequestError if that is no valid fabric."""
        found = FabricDocument(table, self.origin)
        _core.load_fabric(found.text, self.origin, 1.0)
        return found

    @cached_property
    def text(self) -> str:
        """The document as TOML, for `weft.network.fabrics.load` and the lab."""
        return tomlkit.dumps(self.table)

    def resolved(self, scale: float = 1.0) -> FabricRecord:
        """The resolved fabric: node sets expanded, defaults filled in, units converted, and rates multiplied by
        `scale`."""
        fabric: FabricRecord = json.loads(_core.load_fabric(self.text, self.origin, scale))
        return fabric
