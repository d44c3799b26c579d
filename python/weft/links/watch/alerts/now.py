"""now.json: the state of each link in numbers, written at each fetch, so that the exporter reads no probes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct, field

from weft.base.files.fresh_file import fresh_file
from weft.base.files.text_file import ContentError, read_json
from weft.links.analysis.series import tells_beta, usual_kind
from weft.links.watch.alerts.event import LinkName
from weft.runs.probes import KINDS, trips

FILE_NAME = "now.json"
LATELY_S = 900.0
QUANTILES = (0.0, 0.5, 0.9, 0.99)
IN_A_ROW = 3


class ProbeCount(Struct, kw_only=True):
    """Probes of a kind and size since the watch began."""

    kind: str
    size_bytes: int
    sent: int = 0
    lost: int = 0


class Counts(Struct, kw_only=True):
    """Probes of a link, in total and of one day (UTC). Saved together with the cursors in state.json, so that probes
    fetched twice count once."""

    since_start: list[ProbeCount] = field(default_factory=list)
    day: str = ""
    day_sent: int = 0
    day_lost: int = 0

    def add(self, rows: pa.Table) -> None:
        """Count rows of the link."""
        kind, size = rows["kind"].to_numpy(), rows["size_bytes"].to_numpy()
        lost = rows["rtt_ns"].is_null().to_numpy()
        for one in np.unique(kind):
            for bytes_ in np.unique(size[kind == one]):
                chosen = (kind == one) & (size == bytes_)
                count = self._count(KINDS[one], int(bytes_))
                count.sent += int(chosen.sum())
                count.lost += int(lost[chosen].sum())
        day = rows["time_us"].to_numpy() // 86_400_000_000
        newest = datetime.fromtimestamp(int(day.max()) * 86400, UTC).date().isoformat()
        if newest > self.day:
            self.day, self.day_sent, self.day_lost = newest, 0, 0
        if newest == self.day:
            self.day_sent += int((day == day.max()).sum())
            self.day_lost += int(lost[day == day.max()].sum())

    def _count(self, kind: str, size_bytes: int) -> ProbeCount:
        for one in self.since_start:
            if (one.kind, one.size_bytes) == (kind, size_bytes):
                return one
        self.since_start.append(ProbeCount(kind=kind, size_bytes=size_bytes))
        return self.since_start[-1]


class Quantiles(Struct, kw_only=True):
    """Round trips of a kind and size in the last 15 minutes, in seconds, at `QUANTILES`; None without an answer."""

    kind: str
    size_bytes: int
    rtt_s: list[float] | None
    last_s: float | None


class LinkNumbers(Struct, kw_only=True):
    """State of a link; `is_up` is None while it is not measured.

    One way takes `alpha_s` plus `beta_s` a byte, from medians of the last 15 minutes of probes of this `kind` ("" if
    none was answered); `loss` is the lost share of all probes in that time, `available` the answered share of the
    day's.
    """

    link: LinkName
    is_up: bool | None
    newest_s: float | None
    kind: str = ""
    alpha_s: float | None
    beta_s: float | None
    loss: float | None
    available: float | None
    round_trips: list[Quantiles]
    counts: list[ProbeCount]


class Now(Struct, kw_only=True):
    """All links at one time (Unix time)."""

    time_s: float
    links: list[LinkNumbers]


def numbers_of(
    link: LinkName, rows: pa.Table, counts: Counts, *, is_silent: bool, now_s: float
) -> LinkNumbers:
    """Compute the numbers from the last rows of a link, in order of arrival."""
    time_us = rows["time_us"].to_numpy()
    newest_us = int(time_us[-1]) if len(time_us) else 0
    lately = rows.slice(first_of_last(time_us, LATELY_S))
    if is_silent:
        lately = lately.slice(0, 0)
    rtt_s = lately["rtt_ns"].to_numpy(zero_copy_only=False).astype(float) / 1e9
    kind, size = lately["kind"].to_numpy(), lately["size_bytes"].to_numpy()
    lost = np.isnan(rtt_s)
    found = one_way(kind, size, rtt_s)
    today = datetime.fromtimestamp(now_s, UTC).date().isoformat()
    is_today = counts.day == today and counts.day_sent > 0
    return LinkNumbers(
        link=link,
        is_up=None if is_silent or not len(lost) else not lost[-IN_A_ROW:].all(),
        newest_s=newest_us / 1e6 if newest_us else None,
        kind=found.kind,
        alpha_s=found.alpha_s,
        beta_s=found.beta_s,
        loss=float(lost.mean()) if len(lost) else None,
        available=1 - counts.day_lost / counts.day_sent if is_today else None,
        round_trips=_round_trips(kind, size, rtt_s),
        counts=counts.since_start,
    )


def first_of_last(time_us: np.ndarray, seconds: float) -> int:
    """Index of the first probe of the last `seconds`, in order of arrival, from which on none is older and the clock
    was not set back."""
    if not len(time_us):
        return 0
    newest = int(time_us[-1])
    others = np.flatnonzero((time_us < newest - seconds * 1e6) | (time_us > newest))
    return int(others[-1]) + 1 if len(others) else 0


@dataclass(frozen=True)
class OneWayTime:
    """`alpha_s` plus `beta_s` a byte, from probes of this kind; each direction is assumed to take half the round
    trip."""

    kind: str = ""
    alpha_s: float | None = None
    beta_s: float | None = None


def one_way(kind: np.ndarray, size: np.ndarray, rtt_s: np.ndarray) -> OneWayTime:
    """Estimate one-way times from the halved medians of the smallest and largest probes of the kind that `usual_kind`
    selects; `rtt_s` is NaN for losses.

    Beta is None with one size, or if a large message needs several round trips over TCP after an idle time.
    """
    lost = np.isnan(rtt_s)
    if lost.all():
        return OneWayTime()
    usual = usual_kind(kind, size, lost)
    chosen = (kind == usual) & ~lost & tells_beta(kind, size)
    sizes = np.unique(size[chosen])
    small, large = (
        float(np.median(rtt_s[chosen & (size == end)])) / trips(usual)
        for end in (sizes[0], sizes[-1])
    )
    if len(sizes) == 1:
        return OneWayTime(KINDS[usual], small)
    beta_s = (large - small) / float(sizes[-1] - sizes[0])
    return OneWayTime(KINDS[usual], small - beta_s * float(sizes[0]), beta_s)


def _round_trips(kind: np.ndarray, size: np.ndarray, rtt_s: np.ndarray) -> list[Quantiles]:
    found = []
    for one, bytes_ in sorted({*zip(kind.tolist(), size.tolist(), strict=True)}):
        times = rtt_s[(kind == one) & (size == bytes_)]
        last = None if np.isnan(times[-1]) else float(times[-1])
        times = times[~np.isnan(times)]
        at = [float(q) for q in np.quantile(times, QUANTILES)] if len(times) else None
        found.append(Quantiles(kind=KINDS[one], size_bytes=bytes_, rtt_s=at, last_s=last))
    return found


def write_now(folder: Path, links: list[LinkNumbers]) -> None:
    """Replace the file."""
    path = folder / FILE_NAME
    temporary = path.with_suffix(".new")
    with fresh_file(temporary) as file:
        file.write(msgspec.json.encode(Now(time_s=time.time(), links=links)))
    temporary.replace(path)


def read_now(folder: Path) -> Now | None:
    """Read the file of a watch; None if there is none."""
    try:
        return read_json(folder / FILE_NAME, Now)
    except (FileNotFoundError, ContentError):
        return None
