"""Probes as an importer collects them, in any order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from weft.diagnosis.links.series import Series

ICMP = 0
ICMP_HEADER_BYTES = 8
DEFAULT_BYTES = 56
"""Payload of ping and fping where nothing else was asked for."""


@dataclass
class Rows:
    """Unix times in seconds; a round trip of NaN is a loss; a size of 0 is not known."""

    unix_s: list[float] = field(default_factory=list)
    rtt_s: list[float] = field(default_factory=list)
    size_bytes: list[int] = field(default_factory=list)

    def add(self, unix_s: float, rtt_s: float, size_bytes: int) -> None:
        """Append a probe."""
        self.unix_s.append(unix_s)
        self.rtt_s.append(rtt_s)
        self.size_bytes.append(size_bytes)

    def series(self, src: str, dst: str) -> Series:
        """The probes in the order of time; a size that is not known is the usual one of the others."""
        unix_s, rtt_s = np.array(self.unix_s), np.array(self.rtt_s)
        order = np.argsort(unix_s, kind="stable")
        start = float(np.floor(unix_s[order[0]])) if len(order) else 0.0
        size = np.array(self.size_bytes, dtype=np.int64)
        usual = int(np.median(size[size > 0])) if np.any(size > 0) else DEFAULT_BYTES
        return Series(
            src=src,
            dst=dst,
            start=start,
            time_s=unix_s[order] - start,
            rtt_s=rtt_s[order],
            size_bytes=np.where(size > 0, size, usual)[order],
            kind=np.full(len(order), ICMP, dtype=np.int8),
        )
