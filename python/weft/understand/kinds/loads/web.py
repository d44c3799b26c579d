"""Pages per second and response times of a web server over the number of users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weft.base.interval import Interval
from weft.base.statistics import Floats
from weft.runs.columns.tables import RESPONSES_NAME
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import column
from weft.understand.kinds.loads.live_web import LiveWeb, live_web
from weft.understand.node.occupation import Busy

_TIMES = ("mean_ns", "median_ns", "p95_ns", "p99_ns")


@dataclass(frozen=True)
class WebPoint:
    """`users` users of one page.

    Response times last from the request to the last byte; percentiles are means over batches. `waiting` is the average
    number of waiting users. `busy` is the busy share of each of the server's parts, `interrupts_per_s` that of each of
    its processors. For a `live` server both are empty, and the other numbers are medians over launches.
    """

    step: int
    phase: int
    users: int
    page_bytes: int
    pages_per_s: float
    response_us: float
    median_us: float
    p95_us: float
    p99_us: float
    waiting: float
    busy: dict[str, float]
    interrupts_per_s: dict[str, float]
    live: LiveWeb | None = None

    @property
    def size_bytes(self) -> int:
        """The size of a page."""
        return self.page_bytes

    @property
    def throughput_mbps(self) -> float:
        return self.pages_per_s * self.page_bytes * 8 / 1e6

    @property
    def throughput_interval(self) -> Interval:
        """The throughput with its interval over launches; of zero width if simulated."""
        if not self.live:
            mbps = self.throughput_mbps
            return Interval(mbps, mbps, mbps)
        pages, mb = self.live.pages_per_s, self.page_bytes * 8 / 1e6
        return Interval(pages.median * mb, pages.low * mb, pages.high * mb)

    def to_json(self) -> dict[str, object]:
        """The point as `weft show --json` prints it: the keys of other points, and its own."""
        return {
            "step": self.step,
            "pattern": "webserver",
            "transport": "tcp",
            "size_bytes": self.page_bytes,
            "latency_us": None,
            "throughput_mbps": msgspec.to_builtins(self.throughput_interval),
            "launches": self.live.launches if self.live else 1,
            "modes": 1,
            "users": self.users,
            "requests_per_s": self.pages_per_s,
            "response_us": {
                "mean": self.response_us,
                "median": self.median_us,
                "p95": self.p95_us,
                "p99": self.p99_us,
            },
            "waiting_users": self.waiting,
            "busy": self.busy,
            "interrupts_per_s": self.interrupts_per_s,
            **(self.live.to_json() if self.live else {}),
        }


def web_points(run: RunFolder, occupation: Sequence[Busy]) -> list[WebPoint]:
    """The points by step, page and users; empty if no pages were requested."""
    return _simulated(run, occupation) + [_live_point(one) for one in live_web(run)]


def _live_point(live: LiveWeb) -> WebPoint:
    times_us = {name: one.median for name, one in live.response_us.items()}
    return WebPoint(
        step=live.step,
        phase=live.phase,
        users=live.users,
        page_bytes=live.page_bytes,
        pages_per_s=live.pages_per_s.median,
        response_us=times_us["mean"],
        median_us=times_us["median"],
        p95_us=times_us["p95"],
        p99_us=times_us["p99"],
        waiting=live.waiting,
        busy={},
        interrupts_per_s={},
        live=live,
    )


def _simulated(run: RunFolder, occupation: Sequence[Busy]) -> list[WebPoint]:
    table = run.side_table(RESPONSES_NAME)
    rows = {name: table[name].to_numpy() for name in table.column_names}
    keys = sorted(set(zip(rows["step"].tolist(), rows["phase"].tolist(), strict=True)))
    return [_point(run, rows, occupation, *key) for key in keys]


def _point(
    run: RunFolder,
    rows: dict[str, NDArray[np.generic]],
    occupation: Sequence[Busy],
    step: int,
    phase: int,
) -> WebPoint:
    samples = run.samples
    mine = (column(samples, "step") == step) & (column(samples, "phase") == phase)
    pages, elapsed_ns = column(samples, "messages")[mine], column(samples, "elapsed_ns")[mine]
    here = (rows["step"] == step) & (rows["phase"] == phase)
    busy = [each for each in occupation if (each.step, each.phase) == (step, phase)]
    mean_us, median_us, p95_us, p99_us = (_mean(rows[name][here], pages) / 1e3 for name in _TIMES)
    return WebPoint(
        step=step,
        phase=phase,
        users=int(rows["users"][here][0]),
        page_bytes=int(column(samples, "size_bytes")[mine][0]),
        pages_per_s=float(pages.sum() / elapsed_ns.sum() * 1e9),
        response_us=mean_us,
        median_us=median_us,
        p95_us=p95_us,
        p99_us=p99_us,
        waiting=_mean(rows["waiting"][here], elapsed_ns),
        busy={each.part: each.share for each in busy},
        interrupts_per_s={
            each.part: each.interrupts_per_s for each in busy if "" not in each.shares
        },
    )


def _mean(values: Floats, weights: Any) -> float:
    """The weighted mean over batches."""
    return float(np.average(values, weights=weights))
