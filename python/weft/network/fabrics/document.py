"""A fabric file as data: what can be changed, priced and simulated without being written to a disk."""

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
"""A TOML table: texts, numbers, lists and tables by key."""


@dataclass(frozen=True)
class FabricDocument:
    """A fabric file with its keys as written (docs/fabric-files.md). `origin` is what messages call it."""

    table: Table
    origin: str

    @classmethod
    def read(cls, name_or_path: str | os.PathLike[str]) -> FabricDocument:
        """That of the catalogue or of a file; raises RequestError when there is none or it is wrong."""
        path = catalog.find("fabric", os.fspath(name_or_path))
        return cls.of_text(catalog.read(path), catalog.shown(path))

    @classmethod
    def of_text(cls, text: str, origin: str) -> FabricDocument:
        """That of a TOML text; raises RequestError where it is wrong, with the line."""
        _core.load_fabric(text, origin, 1.0)
        return cls(tomlkit.parse(text).unwrap(), origin)

    @property
    def name(self) -> str:
        """What the fabric calls itself."""
        return str(self.table["name"])

    def edited(self) -> dict[str, object]:
        """A copy of the table, to change and hand to `with_table`."""
        return copy.deepcopy(dict(self.table))

    def with_table(self, table: Table) -> FabricDocument:
        """The document with another table; raises RequestError where that is no fabric."""
        found = FabricDocument(table, self.origin)
        _core.load_fabric(found.text, self.origin, 1.0)
        return found

    @cached_property
    def text(self) -> str:
        """As TOML, which `weft.network.fabrics.load` and the lab read."""
        return tomlkit.dumps(self.table)

    def resolved(self, scale: float = 1.0) -> FabricRecord:
        """Every set of nodes expanded, every default filled in, every unit converted; rates times `scale`."""
        fabric: FabricRecord = json.loads(_core.load_fabric(self.text, self.origin, scale))
        return fabric
