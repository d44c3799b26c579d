"""Two runs in which applications compute, load by load."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from weft.compare.matching import Launches, Matched, Pair, matched, ratio_of
from weft.diagnose.node.applications import loaded_points
from weft.diagnose.node.web import web_points
from weft.interval import Interval
from weft.run.folder import Run

Key = tuple[str, int, str, float]
"""Pattern, size, which kind of load, and how much."""


class LoadPair(Pair, frozen=True):
    """One load in both runs: gamma of a stream, or users of a web server."""

    gamma: float | UnsetType = UNSET
    users: float | UnsetType = UNSET

    @property
    def what(self) -> str:
        load = f"users {self.users:g}" if self.gamma is UNSET else f"gamma {self.gamma:g}"
        return f"{self.pattern}, {load}"


def compare_loads(a: Run, b: Run) -> Matched[LoadPair]:
    """Pair the loads by pattern, size and amount."""
    return matched(_rates(a), _rates(b), _pair)


def _rates(run: Run) -> dict[Key, float]:
    """Throughputs in Mb/s."""
    loaded = {
        ("stream", one.size_bytes, "gamma", one.gamma): one.throughput_mbps
        for one in loaded_points(run)
    }
    web = {
        ("webserver", one.page_bytes, "users", float(one.users)): one.throughput_mbps
        for one in web_points(run, [])
    }
    return loaded | web


def _pair(key: Key, left_mbps: float, right_mbps: float) -> tuple[LoadPair, Launches]:
    """What is computed comes out the same in every launch: each end is one value, and no launch is another."""
    pattern, size_bytes, load, value = key
    left, right = (Interval(mbps, mbps, mbps) for mbps in (left_mbps, right_mbps))
    pair = LoadPair(pattern, size_bytes, left, right, ratio_of(left, right), None, **{load: value})
    return pair, ((), ())
