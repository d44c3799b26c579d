"""NetPIPE's results: np.out of versions 3, 4 and 5, and what version 3 prints while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from weft.errors import RequestError
from weft.run.importers.imported import Imported, Options, Row, pingpong_plan, read_text, table
from weft.run.importers.netpipe_lines import Content, Cut, Line, parse
from weft.run.importers.netpipe_version import Version, recognise
from weft.run.meta import RunMeta

NODES = ("transmitter", "receiver")
"""The ends of a NetPIPE run; its output does not name them."""


def read(path: Path, options: Options) -> Imported:
    """Read a NetPIPE result; raises RequestError, naming line and reason, if it is none or cut."""
    content = parse(path, read_text(path))
    _refuse_cut(path, content, options)
    version, transfers = recognise(path, content.lines)
    _check(path, content.lines, version, transfers)
    rows = [_row(path, line, version, transfers, options) for line in content.lines]
    meta = _meta(path, version, options, rows, content.lines[0].ways)
    _warn(meta, version, transfers, content.cut)
    return Imported(meta, table(rows), "partial" if content.cut else "complete")


def _refuse_cut(path: Path, content: Content, options: Options) -> None:
    cut = content.cut
    if cut is not None and not (options.partial and content.lines):
        raise RequestError(
            f"{path}, line {cut.number}: {cut.reason}: {cut.text[:80]!r}",
            "measure again, or import the whole lines before it with --partial"
            if content.lines
            else "measure again: there is no whole line before it",
        )


def _check(path: Path, lines: Sequence[Line], version: Version, transfers: int) -> None:
    """Refuse what cannot be a result: no bytes, a size twice, columns that disagree."""
    first: dict[int, int] = {}
    for line in lines:
        where = f"{path}, line {line.number}"
        if line.size_bytes == 0 or (line.rate.value == 0 and line.time.value == 0):
            raise RequestError(f"{where}: no bytes or no time: {line.text!r}")
        if line.size_bytes in first:
            raise RequestError(
                f"{where}: {line.size_bytes} bytes again, as on line {first[line.size_bytes]}",
                "import one NetPIPE output at a time",
            )
        if not version.agrees(line, transfers):
            raise RequestError(
                f"{where}: size, rate and time contradict each other, which they do not on other "
                f"lines of this {version.name} file: {line.text!r}",
                "give the file as NetPIPE wrote it",
            )
        first[line.size_bytes] = line.number


def _row(path: Path, line: Line, version: Version, transfers: int, options: Options) -> Row:
    return Row(
        size_bytes=_one_direction_bytes(path, line) if options.bidir else line.size_bytes,
        messages=line.repeats,
        elapsed_ns=max(1, round(2e9 * version.one_way_s(line, transfers) * line.repeats)),
    )


def _one_direction_bytes(path: Path, line: Line) -> int:
    """np.out of a bidirectional run counts the bytes of both directions."""
    if line.columns == 0:
        raise RequestError(
            f"{path}: --bidir is for np.out; what NetPIPE 3 prints while it runs says so itself",
            "leave --bidir out",
        )
    if line.size_bytes % 2:
        raise RequestError(
            f"{path}, line {line.number}: {line.size_bytes} bytes are odd, so this is not "
            "the output of a bidirectional run, which counts every byte twice",
            "leave --bidir out",
        )
    return line.size_bytes // 2


def _meta(
    path: Path, version: Version, options: Options, rows: Sequence[Row], ways: int
) -> RunMeta:
    both = options.bidir or ways == 2
    title = f"imported from {version.name}, {path.name}"
    return RunMeta(
        plan=pingpong_plan(path.stem, title, options.transport, rows),
        testbed={"kind": "import", "name": path.name, "scale": 1.0, "fabric": None},
        nodes=[{"name": node, "address": "", "facts": {}} for node in NODES],
        statistic=version.statistic,
        source={
            "format": version.format,
            "file": path.name,
            "convention": (
                "both directions busy; size and rate are those of one direction"
                if both
                else "one direction at a time; time is half the round trip"
            ),
        },
    )


def _warn(meta: RunMeta, version: Version, transfers: int, cut: Cut | None) -> None:
    kept = "the best trial" if version.statistic == "best" else "the mean of the trials"
    meta.warn(
        "one-launch",
        f"{version.name} keeps {kept} of a single launch: intervals have no width, and no "
        "difference, mode or dip can be proven",
        "measure with `weft run` for intervals",
    )
    if transfers > 1:
        meta.warn(
            "aggregate-rates",
            f"the file's rates are the sum of {transfers} simultaneous pairs; here are one's",
        )
    if cut is not None:
        meta.warn("file-cut", f"line {cut.number} and all after it are missing: {cut.reason}")
