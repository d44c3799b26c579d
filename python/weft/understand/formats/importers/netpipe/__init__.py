"""NetPIPE's results: np.out of versions 3, 4 and 5, and the screen output of version 3."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.plan.pattern import Pingpong
from weft.understand.formats.importers.assembly import refuse_cut
from weft.understand.formats.importers.imported import (
    Content,
    ImportedTiming,
    ImportOptions,
    Test,
    timed,
)
from weft.understand.formats.importers.netpipe.lines import Result, parse
from weft.understand.formats.importers.netpipe.version import Version, recognise
from weft.understand.formats.importers.text import Text

SIGN = re.compile(
    r"^NetPIPE:|^Send and receive buffers are|bytes\s+\d+ times\s+-->|\A\s*\d+\s+\d+\.\d+\s+\d+\.\d+\s",
    re.MULTILINE,
)
NODES = ("transmitter", "receiver")
"""The ends of a NetPIPE run; its output does not name them."""


def read(text: Text, options: ImportOptions) -> Content:
    """Reads a NetPIPE result; raises RequestError, naming line and reason, if it is invalid or cut."""
    lines, cut = parse(text)
    if not lines:
        refuse_cut(Content("NetPIPE", [], "", cut=cut), options)
    version, transfers = recognise(lines)
    _check(lines, version, transfers)
    both = options.bidir or lines[0].ways == 2
    timings = [_timing(line, version, transfers, options) for line in lines]
    return Content(
        format=version.format,
        tests=[Test("pingpong", Pingpong(), "unknown", timings, lines[0].line)],
        convention=(
            "both directions busy; size and rate are those of one direction"
            if both
            else "one direction at a time; time is half the round trip"
        ),
        statistic=version.statistic,
        nodes=NODES,
        cut=cut,
        warnings=[_aggregate_warning(transfers)] if transfers > 1 else [],
    )


def _aggregate_warning(transfers: int) -> tuple[str, str, str]:
    message = f"the file's rates are the sum of {transfers} simultaneous pairs; here are one's"
    return "aggregate-rates", message, ""


def _check(lines: Sequence[Result], version: Version, transfers: int) -> None:
    """Raises RequestError for impossible results: no bytes, a size twice, contradictory columns."""
    first: dict[int, int] = {}
    for one in lines:
        line = one.line
        if one.size_bytes == 0 or (one.rate.value == 0 and one.time.value == 0):
            raise line.wrong(f"no bytes or no time: {line.text!r}")
        if one.size_bytes in first:
            raise line.wrong(
                f"{one.size_bytes} bytes again, as on line {first[one.size_bytes]}",
                "import one NetPIPE output at a time",
            )
        if not version.agrees(one, transfers):
            raise line.wrong(
                "size, rate and time contradict each other, which they do not on other "
                f"lines of this {version.name} file: {line.text!r}",
                "give the file as NetPIPE wrote it",
            )
        first[one.size_bytes] = line.number


def _timing(
    one: Result, version: Version, transfers: int, options: ImportOptions
) -> ImportedTiming:
    size = _one_direction_bytes(one) if options.bidir else one.size_bytes
    elapsed_ns = 2e9 * version.one_way_s(one, transfers) * one.repeats
    return timed(one.line, size, one.repeats, elapsed_ns)


def _one_direction_bytes(one: Result) -> int:
    """Half of the size, as np.out of a bidirectional run counts the bytes of both directions; raises RequestError."""
    if one.columns == 0:
        raise one.line.wrong(
            "--bidir is for np.out; what NetPIPE 3 prints while it runs says so itself",
            "leave --bidir out",
        )
    if one.size_bytes % 2:
        raise one.line.wrong(
            f"{one.size_bytes} bytes are odd, so this is not "
            "the output of a bidirectional run, which counts every byte twice",
            "leave --bidir out",
        )
    return one.size_bytes // 2
