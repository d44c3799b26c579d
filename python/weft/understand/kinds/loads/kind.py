"""Loads of applications as a kind of results: streams whose receiver computes, and web servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from weft.base.quantity import format_bytes, format_mbps, format_us, significant
from weft.base.table import ResultTable
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.understand.kinds.kind import ResultKind, by_name, step_name
from weft.understand.kinds.loads.loaded import LoadedPoint, loaded_points
from weft.understand.kinds.loads.loads_table import (
    live_tables,
    loads_table,
    processors_table,
)
from weft.understand.kinds.loads.p_over_gamma import p_over_gamma_text
from weft.understand.kinds.loads.web import WebPoint, web_points
from weft.understand.kinds.loads.web_table import page_costs_table, served_table, web_table
from weft.understand.node.occupation import occupation

LoadResult: TypeAlias = LoadedPoint | WebPoint
"""All results of a step and size have the same type."""

_ROUNDING = 1e-9


def streams(found: Sequence[LoadResult]) -> list[LoadedPoint]:
    """The results of streams whose receiver computes."""
    return [one for one in found if isinstance(one, LoadedPoint)]


def servers(found: Sequence[LoadResult]) -> list[WebPoint]:
    """The results of web servers."""
    return [one for one in found if isinstance(one, WebPoint)]


def offloads(points: Sequence[LoadedPoint]) -> bool:
    """Whether any work runs outside the application's processor."""
    return any(abs(one.gain) > _ROUNDING for one in points)


def _results(run: RunFolder) -> list[LoadResult]:
    return [*loaded_points(run), *web_points(run, occupation(run))]


def _named(found: Sequence[LoadResult], meta: RunMeta) -> list[tuple[str, list[LoadResult]]]:
    """The results grouped by step and size; the name is empty if there is only one group."""
    groups = by_name(found, meta, _name)
    return groups if len(groups) > 1 else [("", own) for _, own in groups]


def _name(one: LoadResult, meta: RunMeta) -> str:
    return f"{step_name(one, meta)} {format_bytes(one.size_bytes)}"


def _clause(found: Sequence[LoadResult]) -> str:
    """The results of streams or web servers as a clause."""
    if served := servers(found):
        return _served(served)
    points, said = streams(found), p_over_gamma_text(streams(found))
    return "; ".join(filter(None, (_streamed(points), _gained(points), said)))


def _streamed(points: Sequence[LoadedPoint]) -> str:
    first, last = points[0], points[-1]
    found = f"messages of {format_bytes(first.size_bytes)}: "
    found += f"{format_mbps(first.throughput_mbps)} at gamma {first.gamma:g}"
    if len(points) > 1:
        found += f", {format_mbps(last.throughput_mbps)} at gamma {last.gamma:g}"
    return found


def _gained(points: Sequence[LoadedPoint]) -> str:
    if not offloads(points):
        return "nothing is offloaded"
    best = max(points, key=lambda one: one.gain)
    bound = max(points, key=lambda one: one.laws_gain)
    return (
        f"offload gains most at gamma {best.gamma:g}: {best.gain:+.1%}, "
        f"by LAWS at most {bound.laws_gain:+.1%} at {bound.gamma:g}"
    )


def _served(points: Sequence[WebPoint]) -> str:
    most = max(points, key=lambda one: one.pages_per_s)
    last = points[-1]
    return (
        f"pages of {format_bytes(last.page_bytes)}: up to {significant(most.pages_per_s, 3)} pages/s with "
        f"{most.users} users; {last.users} users wait {format_us(last.response_us)}"
    )


def _tables(found: Sequence[LoadResult], _: RunMeta) -> dict[str, ResultTable]:
    points, served = streams(found), servers(found)
    return {
        "loads": loads_table(points),
        "processors": processors_table(points),
        "web": web_table(served),
        "page_costs": page_costs_table(served),
    }


def _short_tables(_: str, found: Sequence[LoadResult], meta: RunMeta) -> Iterator[ResultTable]:
    """A table with a row for each load, then the processor time of a message or page if it was measured."""
    points, served = streams(found), servers(found)
    if served:
        yield served_table(served)
        yield page_costs_table(served)
    elif points[0].live:
        yield from live_tables(step_name(points[0], meta), points)
    else:
        title = f"stream of {points[0].size_bytes} B under an application load; before is without offload"
        yield loads_table(points).titled(title)


LOADS = ResultKind(
    name="loads",
    title="All loads",
    results=_results,
    named=_named,
    clause=_clause,
    tables=_tables,
    short_tables=_short_tables,
    document=lambda found: {"points": [one.to_json() for one in found]},
    has_colour=True,
    folded="loads",
    explained="<b>Gamma</b> is the application's work over what receiving the same bytes costs a processor that does "
    "all of it (LAWS, P. Shivam and J. S. Chase 2003). The <b>gain</b> is over the same machine with everything on "
    "the application's processor.",
)
