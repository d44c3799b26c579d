"""Checks that the nodes have the memory that a problem needs, before anything is started."""

from __future__ import annotations

import math

from weft.base.errors import RequestError
from weft.base.quantity import significant
from weft.plan.pattern import Hpl

PANELS = 1.1
"""Panels and buffers of a process, relative to its matrix: HPL's authors advise to fill at most 80 % of memory."""


def needed(pattern: Hpl, processes: int) -> str:
    """The memory that a node needs, as text."""
    each_gb = pattern.matrix_bytes / processes / 1e9
    return f"n = {pattern.n:,} takes {significant(each_gb, 3)} GB on each of {processes} nodes for its matrix alone"


def check_memory(
    name: str, pattern: Hpl, processes: int, of_node_bytes: int, are_one: bool
) -> None:
    """Refuse a problem that does not fit; raises RequestError.

    `of_node_bytes` is the memory of a node, or of this machine if it runs all nodes (`are_one`).
    """
    nodes = 1 if are_one else processes
    if pattern.matrix_bytes * PANELS <= nodes * of_node_bytes:
        return
    most = math.isqrt(int(nodes * of_node_bytes / PANELS / 8))
    where = "this machine has for all of them" if are_one else "the smallest of them has"
    raise RequestError(
        f"step {name!r}: {needed(pattern, processes)}, and {where} {significant(of_node_bytes / 1e9, 3)} GB free",
        f"take at most n = {most // 1000 * 1000:,}, or more nodes",
    )
