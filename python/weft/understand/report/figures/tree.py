"""The inferred network: nested groups of nodes, the limits of each, and slow nodes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import altair as alt

from weft.base.nodeset import fold
from weft.base.quantity import range_mbps
from weft.understand.limits.findings import LimitFinding
from weft.understand.report.ensemble import EnsembleRun
from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.boxes import FREE, box_layer, lines_in, text_layer
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec
from weft.understand.report.limits import limit_lines, slow_text
from weft.understand.report.material import ReportMaterial

ROW_PX, LEAST_PX, MOST_PX = 15, 220, 1100
FOLDED_PX = 48
MOST_LEAVES = 256
"""From this number of nodes on, the nodes of a group share a row."""
LEAF_SHARE = 0.6
"""The column of nodes is this wide, measured in columns of groups."""

SLOW = "#ff8a80"
OVER = ["#fdebd3", "#f28c38"]
"""Colours from the least to the most oversubscribed limit."""
MOST_OVER = 8


@dataclass(frozen=True)
class GroupTree:
    """The groups of a run as rectangles: x is the level, y the place of the nodes."""

    one: EnsembleRun

    @cached_property
    def names(self) -> list[str]:
        return self.one.by_group

    @cached_property
    def is_folded(self) -> bool:
        """Whether the nodes of a group share a row."""
        return len(self.names) >= MOST_LEAVES

    @cached_property
    def rows(self) -> list[tuple[str, ...]]:
        """The nodes of each row: one, or, if folded, those of an innermost group without slow nodes."""
        rows: dict[object, list[str]] = {}
        for name in self.names:
            alone = name in self._slow or not self.is_folded
            rows.setdefault(name if alone else self._innermost(name), []).append(name)
        return [tuple(row) for row in rows.values()]

    @cached_property
    def height(self) -> float:
        each = FOLDED_PX if self.is_folded else ROW_PX
        return min(MOST_PX, max(LEAST_PX, each * len(self.rows)))

    @property
    def row_px(self) -> float:
        return self.height / len(self.rows)

    @cached_property
    def groups(self) -> list[tuple[str, ...]]:
        """All groups except that of all nodes."""
        return [group for group in self.one.groups if 1 < len(group) < len(self.names)]

    @cached_property
    def depth(self) -> int:
        """The number of columns of groups, including that of all nodes."""
        return 1 + max((self._level(group) for group in self.groups), default=0)

    def boxes(self) -> list[Row]:
        """A rectangle for each group and each node."""
        return [*self._group_boxes(), *self._leaves()]

    def lines(self) -> list[Row]:
        """The text of each rectangle."""
        return [row for box in self.boxes() for row in lines_in(box, self.row_px)]

    def _group_boxes(self) -> Iterator[Row]:
        root = tuple(self.names)
        yield self._box(root, 0, self._root_lines(root))
        for group in self.groups:
            title = f"{len(group)} nodes: {fold(group)}"
            lines = [title, *self._parts_lines(group), *limit_lines(self._limits(group))]
            yield self._box(group, self._level(group), lines)

    def _root_lines(self, root: tuple[str, ...]) -> list[str]:
        full = self.one.findings.full_rate_mbps
        each = [f"{range_mbps(full)} each"] if full else []
        return [
            f"All {len(self.names)} nodes",
            *self._parts_lines(root),
            *each,
            *limit_lines(self._limits(root)),
        ]

    def _parts_lines(self, group: tuple[str, ...]) -> list[str]:
        """The direct subgroups of a group by their size: "16 x 16 nodes"."""
        inner = [each for each in self.groups if set(each) < set(group)]
        level = min(map(self._level, inner), default=0)
        sizes = Counter(len(each) for each in inner if self._level(each) == level)
        return [f"{count} x {size} nodes" for size, count in sizes.items() if self.is_folded]

    def _limits(self, group: tuple[str, ...]) -> list[LimitFinding]:
        return [felt for each in self.one.findings.limits if (felt := each.felt_by(group))]

    def _box(self, group: tuple[str, ...], level: int, lines: list[str]) -> Row:
        places = [self._place[name] for name in group]
        inner = [self._level(each) for each in self.groups if set(each) < set(group)]
        # A group without subgroups extends to its nodes, so that no column looks empty.
        right = level + 1 if inner else self.depth
        over = max((limit.oversubscription for limit in self._limits(group)), default=None)
        return {
            "left": level,
            "right": right,
            "top": min(places),
            "bottom": max(places) + 1,
            "fill": _fill(over),
            "leaf": False,
            "text": "\n".join(lines),
        }

    def _leaves(self) -> Iterator[Row]:
        for place, row in enumerate(self.rows):
            yield {
                "left": self._left_of(row[0]),
                "right": self.depth + LEAF_SHARE,
                "top": place,
                "bottom": place + 1,
                "fill": SLOW if row[0] in self._slow else FREE,
                "leaf": True,
                "text": self._slow.get(row[0], fold(row)),
            }

    @cached_property
    def _slow(self) -> dict[str, str]:
        """The text of each slow node."""
        return {
            node: slow_text(each)
            for each in self.one.findings.slow
            if each.kind != "route"
            for node in each.nodes
        }

    @cached_property
    def _place(self) -> dict[str, int]:
        """The row of each node."""
        return {name: place for place, row in enumerate(self.rows) for name in row}

    def _innermost(self, name: str) -> tuple[str, ...]:
        """The smallest group around a node; empty if only that of all nodes contains it."""
        return min((group for group in self.groups if name in group), key=len, default=())

    def _left_of(self, name: str) -> int:
        """The left edge of a node's rectangle: to the right of its innermost group."""
        innermost = self._innermost(name)
        if not innermost:
            return 1
        has_parts = any(set(group) < set(innermost) for group in self.groups)
        return self._level(innermost) + 1 if has_parts else self.depth

    def _level(self, group: tuple[str, ...]) -> int:
        """The number of groups around this one, including that of all nodes."""
        return 1 + sum(set(group) < set(each) for each in self.groups)


def tree_figures(material: ReportMaterial) -> list[Figure]:
    """A tree for each run with groups or slow nodes."""
    return [
        _figure(i, GroupTree(one))
        for i, one in enumerate(material.ensembles)
        if one.groups or one.findings.slow
    ]


def _figure(index: int, tree: GroupTree) -> Figure:
    name = f"tree-{index + 1}"
    tables = {f"{name}-boxes": tree.boxes(), f"{name}-lines": tree.lines()}
    caption = (
        "Groups of nodes that share a limit; the more orange, the more it is oversubscribed. "
        "Red: slow nodes."
    )
    title = f"What {tree.one.label} says of the network"
    return Figure(name, title, caption, _spec(tree, name), tables)


def _spec(tree: GroupTree, name: str) -> Spec:
    x = alt.Scale(domain=[0, tree.depth + LEAF_SHARE], nice=False)
    boxes = box_layer(f"{name}-boxes", x, axes.rows_scale(len(tree.rows)))
    texts = text_layer(f"{name}-lines", tree.depth + LEAF_SHARE)
    return parts.sized(alt.layer(boxes, texts), tree.height)


def _fill(over: float | None) -> str:
    """The colour of a group: more orange for a higher oversubscription of its limit."""
    if over is None:
        return FREE
    share = min(1.0, math.log(max(1.0, over)) / math.log(MOST_OVER))
    return "#" + "".join(
        f"{round(a + (b - a) * share):02x}" for a, b in zip(*map(_bytes, OVER), strict=True)
    )


def _bytes(colour: str) -> bytes:
    return bytes.fromhex(colour.removeprefix("#"))
