"""NetPIPE 3's np.out: bytes, Mb/s of 2^20 bits, seconds one way of the best trial."""

from __future__ import annotations

import numpy as np

from weft.base.errors import RequestError
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import curves, pingpong

_BITS_PER_NETPIPE_MB = 2**20


def write(run: RunFolder) -> str:
    """The run's ping-pong, best over all batches and launches; raises RequestError if it has none."""
    curve = pingpong(curves(run, "best"))
    if curve is None:
        raise RequestError(
            f"{run.directory}: no ping-pong in it, and NetPIPE's format holds nothing else",
            "export a run of the plan `signature` or `netpipe`",
        )
    best_us = np.nanmin(curve.times_us, axis=1)
    return "".join(
        _line(int(size), float(time_us) / 1e6)
        for size, time_us in zip(curve.sizes, best_us, strict=True)
    )


def _line(size_bytes: int, one_way_s: float) -> str:
    mbps = size_bytes * 8 / one_way_s / _BITS_PER_NETPIPE_MB
    return f"{size_bytes:8d} {mbps:f} {one_way_s:12.8f}\n"
