"""Nodes that can be simulated, from Python."""

from __future__ import annotations

import os

from weft.faces.api.columns.text import Said
from weft.measure.testbed.computed.node import open_nodes


class Machine(Said):
    """Two nodes of the same kind, with the processor that runs each task. Made by `weft.machine`."""

    def __init__(self, name: str) -> None:
        self.testbed = f"node:{name}"
        self._model = open_nodes(name).model

    @property
    def name(self) -> str:
        """The machine's name."""
        return self._model.name

    @property
    def title(self) -> str:
        """A short description."""
        return self._model.title

    @property
    def placement(self) -> dict[str, str]:
        """For each task, the processor that runs it."""
        return dict(self._model.placement())

    def lines(self) -> list[str]:
        """Its title, and its placement."""
        placed = [f"{task} on {processor}" for task, processor in self.placement.items()]
        return [f"{self.name}: {self.title}", *placed]


def machine(name: str | os.PathLike[str]) -> Machine:
    """A node that can be simulated: `weft.machine("p4-400-base").placement`.

    name: MACHINE-PLACEMENT of the catalogue, MACHINE(KEY=VALUE, ...), or the path of a TOML file. Raises RequestError
    for an unknown machine.
    """
    return Machine(os.fspath(name).removeprefix("node:"))
