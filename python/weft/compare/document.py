"""What `weft compare --json` prints before its points."""

from __future__ import annotations

import msgspec

from weft.compare.nodes import NodeRatio
from weft.compare.settings import Difference
from weft.diagnose.curve import Reduction
from weft.run.meta import Warning
from weft.statistics import LEVEL


class Simultaneous(msgspec.Struct):
    """How many rows share the bound on false differences, what was tested, and the smallest p it can give."""

    rows: int
    launches: tuple[int, int]
    least_p: float
    level: float = LEVEL


class Unmatched(msgspec.Struct):
    """How many sizes, routes or loads of each run have no partner."""

    a: int
    b: int


class Head(msgspec.Struct, kw_only=True):
    """What is printed before the points."""

    a: str
    b: str
    quantity: str = "throughput_mbps"
    statistic: Reduction
    differences: list[Difference]
    nodes: list[NodeRatio]
    simultaneous: Simultaneous
    median_abs_error_pct: float
    worst_abs_error_pct: float
    unmatched: Unmatched
    warnings: list[Warning]
