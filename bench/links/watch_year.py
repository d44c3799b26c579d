"""How long does a year of probes take to show?

A year of one link at a probe a second: what it takes on disk, and how long `weft watch show` takes to analyse it.

Simulated months (as in watch_series.py, with 8 B and 20 kB in turn), written as `weft watch start` does, a day at
a time. A day is summarised when it is over, so that `show` reads summaries; with `--every-probe` it reads all
31.5 million. Both are the whole command, as a process of its own.

Takes about 5 minutes, 100 MB of disk and 5 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from common.machine import machine
from common.results import Goal, save
from common.watch.months import DAYS, START, month
from weft.links.analysis.levels.changes import LevelShift
from weft.links.analysis.series import ProbeSeries
from weft.links.watch.store.store import Site, SiteLink, WatchRecord, Writer
from weft.links.watch.store.summary import read_summary
from weft.runs.probes import SCHEMA

YEAR_DAYS = 365
LARGE_BYTES = 20_000
BETA_S = 1.1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--keep", type=Path, help="keep the folder there; take it where it is")
    keep = parser.parse_args().keep
    print(machine(), f"load {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary, "year")
        if not folder.exists():
            write(folder)
        goals = [*stored(folder), *shown(folder)]
    print(f"load {os.getloadavg()[0]:.1f}")
    for goal in goals:
        print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met)
    save("watch_year", goals)


def write(folder: Path) -> None:
    """The folder of the watch."""
    record = WatchRecord(sites=[Site(name="a"), Site(name="b")], source="synthetic")
    record.link(SiteLink(src="a", dst="b", interval_s=1.0))
    writer = Writer.create(folder, record)
    for rows in days():
        writer.append(rows)
    writer.close()


def days() -> Iterator[pa.Table]:
    """The rows of each day."""
    for number in range(-(-YEAR_DAYS // DAYS)):
        series, _ = month(number, 1.3e-3, 0.4e-3, reroutes=0, interval_s=1.0)
        series.size_bytes[1::2] = LARGE_BYTES
        series.rtt_s[1::2] += 2 * BETA_S * LARGE_BYTES
        for day in range(min(DAYS, YEAR_DAYS - number * DAYS)):
            begin, end = np.searchsorted(series.time_s, [day * 86400, (day + 1) * 86400])
            yield table(series.at(slice(begin, end)), START + number * DAYS * 86400)


def table(series: ProbeSeries, start_s: int) -> pa.Table:
    rtt_ns = pa.array(np.round(series.rtt_s * 1e9), from_pandas=True).cast(pa.int64())
    columns = [
        np.round((start_s + series.time_s) * 1e6).astype(np.int64),
        np.zeros(len(series), np.int64),
        series.kind,
        series.size_bytes,
        rtt_ns,
    ]
    return pa.table(
        [pa.array(one).cast(field.type) for one, field in zip(columns, SCHEMA, strict=True)],
        schema=SCHEMA,
    )


def stored(folder: Path) -> list[Goal]:
    """Sizes on disk; summaries are made."""
    names = sorted((folder / "samples").glob("*.parquet"))
    probes = sum(pq.read_metadata(path).num_rows for path in names)
    for path in names:
        read_summary(folder, path.stem)
    summaries = sum(path.stat().st_size for path in (folder / "summary").glob("*"))
    return [
        Goal("probes", probes),
        Goal("a probe on disk", sum(p.stat().st_size for p in names) / probes, "B", at_most=6),
        Goal("summaries of the year on disk", summaries / 1e6, "MB"),
    ]


def shown(folder: Path) -> list[Goal]:
    """The command with summaries and without."""
    fast = show(folder)
    every = show(folder, "--every-probe")
    times = {(one.what, one.begin_s, one.end_s) for one in every.changes}
    same = sum((one.what, one.begin_s, one.end_s) in times for one in fast.changes)
    return [
        Goal("a year shown", fast.seconds, "s", at_most=5),
        Goal("a year shown, processor time", fast.processor_s, "s"),
        Goal("a year shown, every probe read, processor time", every.processor_s, "s"),
        Goal("memory for that", every.peak_bytes / 1e9, "GB"),
        Goal("changes found", len(fast.changes)),
        Goal("of them at the same times with every probe", same, at_least=len(fast.changes)),
    ]


@dataclass(frozen=True)
class Shown:
    """What a call of `weft watch show` took, and the changes that it found."""

    seconds: float
    processor_s: float
    peak_bytes: int
    changes: list[LevelShift]


def show(folder: Path, *options: str) -> Shown:
    """The command, as a process of its own."""
    command = [sys.executable, "-m", "weft", "watch", "show", str(folder), "--json", *options]
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    changes = json.loads(text)["links"][0]["changes"]
    return Shown(seconds, used, after.ru_maxrss * 1024, msgspec.convert(changes, list[LevelShift]))


if __name__ == "__main__":
    main()
