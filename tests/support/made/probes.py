"""Series of probes made by rule."""

from dataclasses import replace

import numpy as np

from weft.links.analysis.series import Mark, ProbeSeries

MONDAY = 1_789_948_800
"""21 September 2026, 00:00 UTC, in Unix time."""


def probes(
    seconds: float,
    *,
    src: str = "a",
    dst: str = "b",
    network: str = "",
    kinds: tuple[int, ...] = (0,),
    sizes: tuple[int, ...] = (8,),
    step_s: float = 1.0,
    alpha_s: float = 1e-3,
    beta_s: float = 1e-8,
    seed: int = 1,
) -> ProbeSeries:
    """Kinds and sizes in turn, one way `alpha + beta n` each way with a tenth of alpha as queue."""
    time_s = np.arange(0, seconds, step_s)
    turn = np.arange(len(time_s))
    size = np.array(sizes)[turn % len(sizes)]
    kind = np.array(kinds)[turn // len(sizes) % len(kinds)]
    queue = np.random.default_rng(seed).exponential(alpha_s / 10, len(time_s))
    rtt = 2 * (alpha_s + beta_s * size) + queue
    return ProbeSeries(src, dst, MONDAY, time_s, rtt, size, kind.astype(np.int8), network)


def lose(series: ProbeSeries, begin_s: float, end_s: float, **only: int) -> ProbeSeries:
    """Lose what begins in this time: all of it, or a `kind` or `size` only."""
    chosen = (series.time_s >= begin_s) & (series.time_s < end_s)
    if "kind" in only:
        chosen &= series.kind == only["kind"]
    if "size" in only:
        chosen &= series.size_bytes == only["size"]
    series.rtt_s[chosen] = np.nan
    return series


def stop(series: ProbeSeries, begin_s: float, end_s: float) -> ProbeSeries:
    """Take out what begins in this time: nothing was measured."""
    return series.where((series.time_s < begin_s) | (series.time_s >= end_s))


def mark(series: ProbeSeries, what: str, begin_s: float, end_s: float | None = None) -> ProbeSeries:
    """Have an agent note something, at a time or for one."""
    noted = Mark(what, begin_s, begin_s if end_s is None else end_s)
    return replace(series, marks=(*series.marks, noted))
