"""Compares the paths found with those that a fabric declares."""

from __future__ import annotations

from collections.abc import Iterator

from weft.network.fabrics.path_counts import PathCounts
from weft.runs.records.fabric_records import FabricRecord
from weft.understand.paths.report import PathReport
from weft.understand.paths.wording import Words, are_fewer

ONE_CHOICE = 2
"""The number of links of a path with a single hashed choice, up to a spine. With more, the number of paths found is not
exact."""


def path_differences(report: PathReport, fabric: FabricRecord, network: int = 0) -> list[str]:
    """A sentence for each pair of leaves with fewer paths than the fabric declares in a network, unless chance explains
    it."""
    return list(_differences(report, PathCounts(fabric, network)))


def _differences(report: PathReport, counts: PathCounts) -> Iterator[str]:
    words = Words(report.names)
    for one in report.pairs:
        if one.kind not in ("several", "one", "by address") or not one.is_sure:
            continue
        declared = counts.between(report.names[one.src[0]], report.names[one.dst[0]])
        if are_fewer(one, declared.paths, is_exact=declared.links <= ONE_CHOICE):
            why = (
                "links are down, or ports do not matter"
                if declared.links <= ONE_CHOICE
                else "switches in a row hash alike (polarisation), or links are down"
            )
            many = f"{len(one.paths)} of {declared.paths} declared paths"
            yield f"{words.ends(one)}: connections take {many}: {why}"
