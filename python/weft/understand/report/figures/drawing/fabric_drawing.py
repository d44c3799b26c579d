"""The layout of a fabric's figure: a column for each level, a row for each host or group of hosts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from weft.base.nodeset import fold
from weft.understand.report.directions import FabricLanes, Lane, Lanes, span
from weft.understand.report.figures.drawing.boxes import FREE, LINE_PX, lines_in
from weft.understand.report.figures.drawing.figure import Row, short

MOST_HOSTS = 32
"""With more hosts, those of a switch share one box with a cell for each."""

HOST_PX, GROUP_PX, LEAST_PX, MOST_PX = 20, 60, 120, 1100
BOX = 0.72
"""The width of a box in columns; the rest is for the links."""
APART_PX = 2.5
"""Half the distance between the two directions of a link."""
STRIPE_PX = 7
MOST_CELLS = 64
"""With more hosts on a switch, several share a cell, which shows the busiest of them."""

Names = tuple[str, ...]
"""A switch, a host, or all hosts of a switch."""


@dataclass(frozen=True)
class BoxPlace:
    """A box: its level, and the rows of its descendants."""

    names: Names
    above: Names | None
    column: int
    top: int
    bottom: int

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class Drawing:
    """The rows of the figure's tables."""

    lanes: FabricLanes

    @cached_property
    def places(self) -> dict[Names, BoxPlace]:
        found = self._placed((self.lanes.tree.root,), None, 0, 0)
        return {place.names: place for place in found}

    @property
    def rows(self) -> int:
        return max(place.bottom for place in self.places.values())

    @property
    def columns(self) -> float:
        return self._last_column + BOX

    @property
    def height(self) -> float:
        each = GROUP_PX if self._is_folded else HOST_PX
        return min(MOST_PX, max(LEAST_PX, each * self.rows))

    def boxes(self) -> list[Row]:
        return [self._box(place) for place in self.places.values()]

    def texts(self) -> list[Row]:
        """The text of the boxes, above their stripes."""
        found: list[Row] = []
        for place in self.places.values():
            box = self._box(place)
            room = {**box, "bottom": box["bottom"] - len(self._striped(place)) * self._stripe}
            found += lines_in(room, self._row_px)
        return found

    def lines(self) -> list[Row]:
        """For each box a line in each direction to the box above it."""
        return [row for place in self.places.values() if place.above for row in self._link(place)]

    def stripes(self) -> list[Row]:
        """The cells at the bottom of boxes: the inside of a switch, or the hosts of a group."""
        return [row for place in self.places.values() for row in self._cells(place)]

    @cached_property
    def _is_folded(self) -> bool:
        tree = self.lanes.tree
        return len(tree.below[tree.root]) > MOST_HOSTS

    @cached_property
    def _last_column(self) -> int:
        """The column of the hosts, however far their switch is from the root."""
        tree = self.lanes.tree
        switches = [name for name in tree.depth if not tree.is_host(name)]
        return 1 + max((tree.depth[name] for name in switches), default=0)

    @cached_property
    def _row_px(self) -> float:
        return self.height / self.rows

    @property
    def _stripe(self) -> float:
        return STRIPE_PX / self._row_px

    def _placed(self, names: Names, above: Names | None, column: int, row: int) -> list[BoxPlace]:
        """A box and its descendants, placed from a row on."""
        below: list[BoxPlace] = []
        end = row
        for inner in self._inner(names):
            below += self._placed(inner, names, column + 1, end)
            end = max(place.bottom for place in below)
        column = column if below else self._last_column
        return [BoxPlace(names, above, column, row, end if below else row + 1), *below]

    def _inner(self, names: Names) -> list[Names]:
        """The children of a box: hosts first, so that they form one block."""
        tree = self.lanes.tree
        if len(names) > 1:
            return []
        inner = tree.children(names[0])
        hosts = tuple(name for name in inner if tree.is_host(name))
        groups: list[Names] = [(host,) for host in hosts]
        if self._is_folded and hosts:
            groups = [hosts]
        return groups + [(name,) for name in inner if not tree.is_host(name)]

    def _box(self, place: BoxPlace) -> Row:
        text = self._text(place)
        wanted_px = LINE_PX * len(text) + STRIPE_PX * len(self._striped(place)) + 6
        half = min((place.bottom - place.top) / 2, wanted_px / 2 / self._row_px)
        return {
            "left": place.column,
            "right": place.column + BOX,
            "top": place.middle - half,
            "bottom": place.middle + half,
            "fill": FREE,
            "leaf": self._is_leaf(place) and not self._is_folded,
            "text": "\n".join(text),
        }

    def _is_leaf(self, place: BoxPlace) -> bool:
        return self.lanes.tree.is_host(place.names[0]) and place.above is not None

    def _text(self, place: BoxPlace) -> list[str]:
        link, inside = self._links(place), self.lanes.inside(place.names[0])
        between = _spans(*map(span, link)) if link else []
        if self._is_leaf(place):
            own = fold(place.names)
            return [own, *between] if self._is_folded else [f"{own}: {', '.join(between)}"]
        return [place.names[0], *between, *([f"inside {span(inside)}"] if inside else [])]

    def _links(self, place: BoxPlace) -> tuple[list[Lane], list[Lane]] | None:
        """The links above the members of a box, out and in; None if there are none."""
        found = [link for name in place.names if (link := self.lanes.above(name))]
        return ([out for out, _ in found], [in_ for _, in_ in found]) if found else None

    def _link(self, place: BoxPlace) -> Iterator[Row]:
        above = self.places[place.above or ()]
        ends = {"left": above.column + BOX, "right": place.column}
        apart = APART_PX / self._row_px
        joined = Lane(f"{place.names[0]} is a part of {above.names[0]}", None, "no limit", "")
        for lanes, off in zip(
            self._links(place) or ([joined], [joined]), (-apart, apart), strict=True
        ):
            yield {**ends, "from": above.middle + off, "to": place.middle + off, **_busiest(lanes)}

    def _striped(self, place: BoxPlace) -> Sequence[Sequence[Lane]]:
        """The stripes of a box, each with its cells."""
        inside: Lanes | None = self.lanes.inside(place.names[0])
        if inside:
            return [[lane] for lane in inside]
        return (self._links(place) or []) if self._is_folded and self._is_leaf(place) else []

    def _cells(self, place: BoxPlace) -> Iterator[Row]:
        stripes, bottom = self._striped(place), self._box(place)["bottom"]
        for i, lanes in enumerate(stripes):
            top = bottom - (len(stripes) - i) * self._stripe
            wide, each = BOX / len(lanes), math.ceil(len(lanes) / MOST_CELLS)
            for first in range(0, len(lanes), each):
                cell = lanes[first : first + each]
                left = place.column + first * wide
                ends = {"left": left, "right": left + len(cell) * wide}
                yield {**ends, "top": top, "bottom": top + self._stripe, **_busiest(cell)}


def _spans(out: str, in_: str) -> list[str]:
    """A line for each direction, or one if both are equal."""
    return [f"out and in {out}"] if out == in_ else [f"out {out}", f"in {in_}"]


def _busiest(lanes: Sequence[Lane]) -> Row:
    lane = max(lanes, key=lambda lane: -1.0 if lane.share is None else lane.share)
    share = {"share": short(lane.share or 0.0), "limited": lane.share is not None}
    return {**share, "name": lane.name, "carried": lane.carried, "peak": lane.peak}
