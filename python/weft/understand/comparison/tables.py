"""The comparison of two runs as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from msgspec import UNSET

from weft.base.alike import alike
from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.base.table import ResultColumn, ResultTable, Value
from weft.understand.comparison.measured import ComparedPair
from weft.understand.comparison.nodes import NodeRatio
from weft.understand.comparison.routes import RoutePairs

MOST_ROWS = 20
"""Longer lists are cut; --json has everything."""


def _if_any(name: str) -> Callable[[ComparedPair], Value]:
    def read(one: ComparedPair) -> Value:
        value = getattr(one, name, UNSET)
        return None if value is UNSET else value

    return read


def _significance(one: ComparedPair) -> str:
    return "" if one.significant is None else "yes" if one.significant else "no"


_PATTERN = ResultColumn("pattern", "pattern", str)
_SIZE = ResultColumn("size_bytes", "size", int)
_A = ResultColumn("a_mbps", "a", Interval, lambda one: one.a, shown="median")
_B = ResultColumn("b_mbps", "b", Interval, lambda one: one.b, shown="median")
_RATIO = ResultColumn("ratio", "ratio", Interval, spec=".3f")
_POINTS = (
    _PATTERN,
    _SIZE,
    ResultColumn("src", "source", str, _if_any("src")),
    ResultColumn("dst", "destination", str, _if_any("dst")),
    ResultColumn("phase", "phase", int, _if_any("phase")),
    ResultColumn("gamma", "gamma", read=_if_any("gamma"), spec="g"),
    ResultColumn("users", "users", read=_if_any("users"), spec="g"),
    ResultColumn("arrangement", "arrangement", str, _if_any("arrangement")),
    _A,
    _B,
    _RATIO,
    ResultColumn("noise_a_share", "noise a", read=lambda one: one.noise_a),
    ResultColumn("noise_b_share", "noise b", read=lambda one: one.noise_b),
    ResultColumn("is_significant", "differs", bool, lambda one: one.significant, shown="data"),
    ResultColumn("differs", "differs", str, _significance),
)
_NODES = (
    _PATTERN,
    ResultColumn("nodes", "node", str),
    ResultColumn("way", "way", str),
    ResultColumn("ratio", "ratio", spec=".3f"),
)
_ROUTES = (
    _PATTERN,
    _SIZE,
    ResultColumn("routes", "routes", int),
    ResultColumn("a_mbps", "a"),
    ResultColumn("b_mbps", "b"),
    ResultColumn("ratio", "ratio", spec=".3f"),
    ResultColumn("worst_ratio", "worst", spec=".3f"),
    ResultColumn("route", "route", str),
    ResultColumn("phase", "phase", int),
)


def points_table(pairs: Iterable[ComparedPair]) -> ResultTable:
    """The throughputs of a and b, their ratio, and the noise of each run."""
    return ResultTable.of("throughput, a over b", _POINTS, pairs)


def nodes_table(nodes: Sequence[NodeRatio]) -> ResultTable:
    """The nodes that differ most; similar ones share a row."""
    found = alike(nodes, lambda one: (one.pattern, one.step, one.direction, f"{one.ratio:.3f}"))
    rows = [_node_row(same[0], fold(each.node for each in same)) for same in found[:MOST_ROWS]]
    more = sum(map(len, found[MOST_ROWS:]))
    remarks = [f"and {more} more"] * bool(more)
    return ResultTable("nodes that differ, beside the others", _NODES, rows, remarks=remarks)


def routes_table(routes: RoutePairs) -> ResultTable:
    """A row for each step and size: the median over routes, and the route that differs most."""
    return ResultTable("routes, a over b", _ROUTES, list(_route_rows(routes)))


def _node_row(one: NodeRatio, names: str) -> list[Value]:
    way = "sends" if one.direction == "out" else "receives"
    return [_named(one.pattern, one.step), names, way, one.ratio]


def _named(pattern: str, step: int) -> str:
    return pattern if step == 0 else f"{pattern} {step + 1}"


def _route_rows(routes: RoutePairs) -> Iterator[list[Value]]:
    for step, size in np.unique(np.column_stack([routes.step, routes.a.size]), axis=0).tolist():
        mine = np.flatnonzero((routes.step == step) & (routes.a.size == size))
        ratios = routes.ratios[mine]
        worst = int(mine[np.argmax(np.abs(ratios - 1))])
        src, dst = (routes.names[end[worst]] for end in (routes.a.src, routes.a.dst))
        medians = (routes.a.mbps[mine], routes.b.mbps[mine], ratios, routes.ratios[[worst]])
        yield [
            _named(*routes.steps[step]),
            size,
            len(mine),
            *(float(np.median(one)) for one in medians),
            f"{src} > {dst}",
            int(routes.a.phase[worst]),
        ]
