"""Whether a lab's forwarder kept up: shares and warnings from its counters before and after a measurement."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from weft.measure.testbed.base import Frames
from weft.runs.meta import Warning
from weft.runs.records.records import Headroom

LATE_SHARE = 0.01
"""If more than this share of frames is late, the machine rather than the fabric is measured."""
BUSY_PERCENT = 90
"""A second in which the forwarder is busier than this has no headroom."""


Counts = list[tuple[int, int]]


class Stats(Struct, frozen=True):
    """Counters of `weft-lab`: frames by how late they were, and seconds by how busy they were (in percent)."""

    late_limit_ns: int = 0
    late_ns: Counts = []
    busy_seconds: Counts = []


def warnings(before: Stats, after: Stats) -> list[Warning]:
    """Warnings about measurements between the two readings."""
    return late_warnings(before, after) + busy_warnings(before, after)


def headroom(before: Stats, after: Stats) -> Headroom | None:
    """The share of the time in which the forwarder was idle, on average and in the busiest second.

    None before a whole second has passed.
    """
    seconds = _since(before.busy_seconds, after.busy_seconds)
    if not seconds:
        return None
    mean = sum(percent * count for percent, count in seconds.items()) / sum(seconds.values())
    return {
        "mean": round(1 - mean / 100, 3),
        "least": round(1 - max(seconds) / 100, 2),
        "seconds": sum(seconds.values()),
    }


def frames(stats: Stats) -> Frames:
    """Everything that was forwarded so far."""
    late = ((ns, count) for ns, count in stats.late_ns if ns > stats.late_limit_ns)
    return Frames(sum(count for _, count in stats.late_ns), sum(ns * count for ns, count in late))


def late_warnings(before: Stats, after: Stats) -> list[Warning]:
    """Warns if frames left late."""
    counts = _since(before.late_ns, after.late_ns)
    forwarded = sum(counts.values())
    late = _sum_above(counts.items(), after.late_limit_ns)
    if late <= LATE_SHARE * forwarded:
        return []
    return [
        Warning(
            "lab-late",
            f"{100 * late / forwarded:.1f} % of the frames left more than "
            f"{after.late_limit_ns / 1000:.0f} us too late: at times this machine, "
            "not the fabric, was the limit",
            "leave the machine alone while it measures, or use --scale to slow the fabric down",
        )
    ]


def busy_warnings(before: Stats, after: Stats) -> list[Warning]:
    """Warns if the forwarder had no time to spare in some second."""
    seconds = _since(before.busy_seconds, after.busy_seconds)
    busy = _sum_above(seconds.items(), BUSY_PERCENT)
    if not busy:
        return []
    return [
        Warning(
            "lab-busy",
            f"in {busy} of {sum(seconds.values())} s the lab's forwarder had less than "
            f"{100 - BUSY_PERCENT} % of its time to spare, at worst {100 - max(seconds)} %: rates "
            "measured then may be this machine's, not the fabric's",
            "use --scale to slow the fabric down, or leave the machine alone while it measures",
        )
    ]


def _since(before: Counts, after: Counts) -> dict[int, int]:
    """How often each value was counted between the two readings."""
    earlier = dict(before)
    counts = {value: count - earlier.get(value, 0) for value, count in after}
    return {value: count for value, count in counts.items() if count > 0}


def _sum_above(counts: Iterable[tuple[int, int]], limit: int) -> int:
    return sum(count for value, count in counts if value > limit)
