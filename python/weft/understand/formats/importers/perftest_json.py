"""perftest's --out_json: the numbers of its tables without their units."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import (
    BOTH_WAYS,
    ImportedTiming,
    Test,
    streamed,
    timed,
)
from weft.understand.formats.importers.passed_over import SkippedLines
from weft.understand.formats.importers.text import SourceLine, Text

_BEGIN = re.compile(r"^[^\S\n]*+\{", re.MULTILINE)
_UNITS_MBYTES_S = {"Gb/s": 1e3 / 8, "MiB/s": 2**20 / 1e6, "MB/s": 1.0}
"""The possible units of bandwidth (--report_gbits), in 10^6 bytes per second."""
_DIGITS = 0.01
"""In the right unit, message rate times size equals the bandwidth within this relative error."""


@dataclass(frozen=True)
class _Result:
    """One size of a test."""

    line: SourceLine
    values: dict[str, Any]

    def number(self, *names: str) -> float:
        """The first positive number among the given names; raises RequestError if there is none."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
                return float(value)
        raise self.line.wrong(
            f"no {' or '.join(names)} above 0 in the results", "give the whole file of --out_json"
        )


def read_json(text: Text) -> tuple[list[Test], SkippedLines]:
    """The test of a file, and the lines around it; raises RequestError, naming line and reason."""
    begin = _BEGIN.search(text.text)
    at = begin.end() - 1 if begin else 0
    line = text.lines[text.text.count("\n", 0, at)]
    try:
        document, end = json.JSONDecoder().raw_decode(text.text, at)
        info, results = document["test_info"], document["results"]
        title = str(info["test"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise line.refuse("not perftest's JSON", "expected test_info and results") from None
    rows = [_Result(line, one) for one in (results if isinstance(results, list) else [results])]
    if not rows or not all(isinstance(one.values, dict) for one in rows):
        raise line.wrong("no results", "give the whole file of --out_json")
    is_rate = any("BW_average" in one.values for one in rows)
    both = "bidirectional" in title.lower()
    verb = title.removesuffix("_BW").removesuffix("_Lat")
    pattern = BOTH_WAYS if both else Stream(window=1)
    test = Test(
        name=f"{verb.lower()}-{'bw' if is_rate else 'latency'}".replace("_", "-"),
        pattern=pattern if is_rate else Pingpong(),
        transport="rdma",
        timings=[one for row in rows for one in _timings(row, is_rate, both)],
        line=line,
        facts={"verb": verb, **{str(key): value for key, value in info.items()}},
    )
    return [test], _around(text, line.number, text.text.count("\n", 0, end) + 1)


def _around(text: Text, first: int, last: int) -> SkippedLines:
    """The lines before and after the document."""
    foreign = SkippedLines()
    for line in [*text.lines[: first - 1], *text.lines[last:]]:
        foreign.add(line)
    return foreign


def _timings(row: _Result, is_rate: bool, both: bool) -> list[ImportedTiming]:
    size = round(row.number("MsgSize"))
    if not is_rate:
        iterations = round(row.number("n_iterations"))
        each_us = row.number("t_avg", "t_typical")
        return [timed(row.line, size, iterations, 2e3 * each_us * iterations)]
    ways = [(0, 1), (1, 0)] if both else [(0, 1)]
    each = _mbytes_s(row, size) / len(ways)
    return [streamed(row.line, size, each, src=src, dst=dst) for src, dst in ways]


def _mbytes_s(row: _Result, size: int) -> float:
    """The bandwidth in 10^6 bytes per second; its unit follows from the message rate (millions per second). Raises
    RequestError if none fits."""
    said, by_messages = row.number("BW_average"), row.number("MsgRate") * size
    for unit in _UNITS_MBYTES_S.values():
        if abs(said * unit / by_messages - 1) <= _DIGITS:
            return said * unit
    raise row.line.wrong(
        f"BW_average = {said:g} is {by_messages:.6g} MB/s by MsgRate, in no unit that perftest has",
        f"expected {', '.join(_UNITS_MBYTES_S)}",
    )
