"""`fping -D -l` or `fping -D -c N`: one line for each answer or time-out, with its time."""

from __future__ import annotations

import math
import re
from collections import defaultdict

from weft.links.formats.passed_over import SkippedProbes
from weft.links.formats.rows import ICMP_HEADER_BYTES, Rows
from weft.links.formats.source import ProbeFile, ReadSeries

SIGN = re.compile(r"\[\d+\.\d+\] \S+\s+: \[\d+\], ")
_LINE = re.compile(
    r"\[(\d+\.\d+)\] (\S+)\s+: \[\d+\], (?:(\d+) bytes, ([\d.]+) ms|(timed out))(?! \(DUP)"
)

_WORDLESS = re.compile(r"\s*$|\S+ +: xmt/rcv/%loss = ")
"""An empty line, or the summary of a host at the end."""


def read(source: ProbeFile) -> ReadSeries:
    """Read a series for each host. The time of a lost probe is that at which fping gave up."""
    hosts: dict[str, Rows] = defaultdict(Rows)
    passed_over = SkippedProbes()
    for number, line in source.numbered():
        if not (found := _LINE.match(line)):
            if not _WORDLESS.match(line):
                passed_over.add(number, line)
            continue
        if found[5]:
            hosts[found[2]].add(float(found[1]), math.nan, 0)
        else:
            rtt_s = float(found[4]) / 1e3
            hosts[found[2]].add(float(found[1]) - rtt_s, rtt_s, int(found[3]) - ICMP_HEADER_BYTES)
    series = [rows.series(source.options.here, host) for host, rows in hosts.items()]
    return ReadSeries(series, passed_over.notes())
