"""A finding: a warning as data, with the nodes that it is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from weft.base.nodeset import fold
from weft.runs.meta import Warning

Kind = Literal["failure", "difference", "warning"]
"""A failure prevents plans from running; a difference is between nodes that should be equal."""

ORDER: tuple[Kind, ...] = ("failure", "difference", "warning")
MOST_NAMED = 3


@dataclass(frozen=True)
class Finding(Warning):
    """`hint` says what the problem costs, and the command that changes it."""

    kind: Kind = "warning"
    nodes: tuple[str, ...] = ()


def named(nodes: Iterable[str]) -> str:
    """Node names as part of a sentence."""
    names = list(nodes)
    return ", ".join(names) if len(names) <= MOST_NAMED else fold(names)
