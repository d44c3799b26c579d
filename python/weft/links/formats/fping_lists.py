"""`fping -C N`, with or without -q: one line for each host with all its round trips, without times."""

from __future__ import annotations

import math
import re

from weft.base.errors import RequestError
from weft.links.formats.passed_over import SkippedProbes
from weft.links.formats.rows import Rows
from weft.links.formats.source import ProbeFile, ReadSeries

SIGN = re.compile(r"^\S+\s+:( (\d+\.\d+|\d+|-))+\s*$", re.MULTILINE)
_LINE = re.compile(r"(\S+)\s+:((?: (?:\d+\.\d+|\d+|-))+)\s*$")

_UNKNOWN = re.compile(r"(\S+): (\S.*(?:not known|resolution|nodename|No address)[^:]*)$")
"""A host whose name does not resolve."""


def read(source: ProbeFile) -> ReadSeries:
    """Read a series for each host, the first probe at `start_s` and the others `interval_s` apart; raises RequestError
    without `start_s`, or if a host occurs twice."""
    start_s, interval_s = source.options.start_s, source.options.interval_s
    if start_s is None:
        raise RequestError(
            f"{source.path}: fping -C writes no times",
            "say with --start when it began (and with --interval what -p was), or use fping -D -c N",
        )
    hosts: dict[str, Rows] = {}
    passed_over, unknown = SkippedProbes(), []
    for number, line in source.numbered():
        if not (found := _LINE.match(line)):
            if named := _UNKNOWN.match(line.rstrip()):
                unknown.append(f"{named[1]} was not probed: {named[2]}")
            elif line.strip():
                passed_over.add(number, line)
            continue
        if found[1] in hosts:
            raise source.wrong(
                number,
                f"{found[1]} a second time",
                "give each run of fping -C in a file of its own",
            )
        rows = hosts[found[1]] = Rows()
        for index, text in enumerate(found[2].split()):
            rtt_s = math.nan if text == "-" else float(text) / 1e3
            rows.add(start_s + index * interval_s, rtt_s, 0)
    series = [rows.series(source.options.here, host) for host, rows in hosts.items()]
    return ReadSeries(series, unknown + passed_over.notes())
