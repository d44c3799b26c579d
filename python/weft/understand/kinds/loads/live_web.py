"""Response times of a real web server and processor time per page, over launches, from pages and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.interval import Interval
from weft.base.statistics import Floats, median_interval
from weft.plan.pattern import Webserver
from weft.runs.columns.tables import EVIDENCE_NAME, PAGES_NAME
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import column

QUANTILES = ("mean", "median", "p90", "p95", "p99", "p999")
_COUNTERS = {
    "server, user": "process_user_ns",
    "server, system": "process_system_ns",
    "node, user": "cpu_user_ns",
    "node, system": "cpu_system_ns",
    "node, softirq": "cpu_softirq_ns",
}
"""Counters of the cost of a page: of all processes of the server, and of all processors of its node."""
_SERVER = 1
"""The index of the server's node."""


@dataclass(frozen=True)
class LiveWeb:
    """`users` users of one page. Response times start when a request was due (open loop) or sent (closed loop);
    intervals are over launches. `processor_us` is the processor time per page."""

    step: int
    phase: int
    users: int
    page_bytes: int
    loop: str
    server: str
    launches: int
    waiting: float
    pages_per_s: Interval
    response_us: dict[str, Interval]
    processor_us: dict[str, Interval]
    errors: int
    timeouts: int
    late_us: float

    def to_json(self) -> dict[str, Any]:
        """The fields of `weft show --json` that simulated points do not have."""
        builtins = msgspec.to_builtins
        return {
            "loop": self.loop,
            "server": self.server,
            "pages_per_s": builtins(self.pages_per_s),
            "response_intervals_us": builtins(self.response_us),
            "processor_us": builtins(self.processor_us),
            "errors": self.errors,
            "timeouts": self.timeouts,
            "generator_late_us": self.late_us,
        }


def live_web(run: RunFolder) -> list[LiveWeb]:
    """The results by step and phase; empty if no real server was measured."""
    table = run.side_table(PAGES_NAME)
    keys = sorted(set(zip(table["step"].to_pylist(), table["phase"].to_pylist(), strict=True)))
    return [_of_phase(run, table, *key) for key in keys]


def _of_phase(run: RunFolder, table: pa.Table, step: int, phase: int) -> LiveWeb:
    rows = table.filter((pc.field("step") == step) & (pc.field("phase") == phase))
    rows = rows.sort_by("launch")
    samples = run.samples
    mine = (column(samples, "step") == step) & (column(samples, "phase") == phase)
    order = np.argsort(column(samples, "launch")[mine])
    pages, elapsed_ns = (column(samples, name)[mine][order] for name in ("messages", "elapsed_ns"))
    rate = pages / elapsed_ns * 1e9
    pattern = run.meta.plan.steps[step].pattern_as(Webserver)
    return LiveWeb(
        step=step,
        phase=phase,
        users=rows["users"][0].as_py(),
        page_bytes=int(column(samples, "size_bytes")[mine][0]),
        loop=str(pattern.arrivals),
        server=str(pattern.server),
        launches=len(rows),
        waiting=float(np.mean(rows["waiting"].to_numpy())),
        pages_per_s=median_interval(rate),
        response_us={
            name: median_interval(rows[f"{name}_ns"].to_numpy() / 1e3, upper=True)
            for name in QUANTILES
        },
        processor_us=dict(costs(run, step, phase, rows["launch"].to_pylist(), rate)),
        errors=sum(rows["errors"].to_pylist()),
        timeouts=sum(rows["timeouts"].to_pylist()),
        late_us=max(rows["late_ns"].to_pylist()) / 1e3,
    )


def costs(
    run: RunFolder, step: int, phase: int, launches: list[int], rate: Floats
) -> Iterator[tuple[str, Interval]]:
    """Processor time per page in µs, by what it was spent on; nothing if no evidence was recorded.

    Counters are read slightly before and after the pages are counted, so their growth is divided by its own time."""
    here = (pc.field("step") == step) & (pc.field("phase") == phase) & (pc.field("node") == _SERVER)
    rows = run.side_table(EVIDENCE_NAME).filter(here).unify_dictionaries()
    grown = rows.group_by(["launch", "counter"]).aggregate([("value", "sum")]).to_pylist()
    by_name = {(one["launch"], one["counter"]): one["value_sum"] for one in grown}
    if any((launch, "elapsed_ns") not in by_name for launch in launches):
        return
    for name, counter in _COUNTERS.items():
        shares = [
            by_name.get((launch, counter), 0) / by_name[launch, "elapsed_ns"] for launch in launches
        ]
        yield name, median_interval(np.array(shares) * 1e6 / rate, upper=True)
