"""SmokePing's round-robin databases: an .rrd file, the output of `rrdtool dump`, or of `rrdtool fetch FILE AVERAGE`.

A row has a round of N pings, sorted and without times, and the number lost. RRDtool resamples rounds to a grid: each
value is the time-weighted mean of the rounds within the row, so that losses have fractions. Layout: DS uptime, loss,
median, ping1 .. pingN (seconds), https://oss.oetiker.ch/smokeping/.
"""

from __future__ import annotations

import math
import re
import subprocess
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

from weft.base.errors import RequestError
from weft.links.formats.rows import Rows
from weft.links.formats.source import ProbeFile, ProbeOptions, ReadSeries

MAGIC = b"RRD\0"
SIGN = re.compile(
    r"<!DOCTYPE rrd|<rrd>|^[ \t]*+uptime[ \t]++loss[ \t]++median[ \t]++ping1\b", re.MULTILINE
)
_ROW = re.compile(r"(\d+): (\S.*)")
_DUMP_SECONDS = 120


@dataclass(frozen=True)
class _Archive:
    """Rows (end as Unix time, values by data source) that cover a fixed number of seconds each."""

    step_s: int
    rows: list[tuple[int, list[float]]]

    def __str__(self) -> str:
        return f"{self.step_s} s"


def read_database(path: Path, options: ProbeOptions) -> ReadSeries:
    """Read an .rrd file with the program `rrdtool`; raises RequestError if that is missing or fails."""
    try:
        done = subprocess.run(
            ["rrdtool", "dump", str(path.resolve())],
            capture_output=True,
            text=True,
            timeout=_DUMP_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise RequestError(
            f"{path}: an RRD file is read by rrdtool, which is not installed",
            "apt-get install rrdtool, or give what `rrdtool dump FILE` prints where it is",
        ) from None
    except subprocess.TimeoutExpired:
        raise RequestError(f"{path}: rrdtool took more than {_DUMP_SECONDS} s") from None
    if done.returncode:
        raise RequestError(f"{path}: rrdtool cannot read it: {done.stderr.strip()}")
    return read(ProbeFile(path, done.stdout.splitlines(keepends=True), options))


def read(source: ProbeFile) -> ReadSeries:
    """Read one series, to the target after which the file is named; NAME~SLAVE.rrd was measured by SLAVE."""
    text = "".join(source.lines)
    names, archives = _dump(source, text) if "<rrd>" in text else _fetch(source, text)
    archive = _chosen(source, archives)
    rows = Rows()
    _add_rounds(source, rows, names, archive)
    target, _, slave = source.path.stem.partition("~")
    options = source.options
    series = rows.series(options.src or slave or options.here, options.dst or target)
    return ReadSeries([series] if len(series) else [], _notes(archive, archives))


def _add_rounds(source: ProbeFile, rows: Rows, names: list[str], archive: _Archive) -> None:
    pings = [index for index, name in enumerate(names) if re.fullmatch(r"ping\d+", name)]
    if "loss" not in names or not pings:
        raise RequestError(
            f"{source.path}: an RRD file of something else than SmokePing",
            f"it has {', '.join(names[:6]) or 'no data source'}, not loss, ping1, ping2, ...",
        )
    loss_at, carried = names.index("loss"), 0.0
    for end, values in archive.rows:
        loss = values[loss_at]
        if not math.isfinite(loss):
            continue
        lost = min(max(round(loss + carried), 0), len(pings))
        carried += loss - lost
        known = sorted(values[index] for index in pings if math.isfinite(values[index]))
        if known and known[0] < 0:
            raise RequestError(f"{source.path}: a round trip of {known[0]} s at {end}")
        answers = _ranks(known, len(pings) - lost)
        interval_s = archive.step_s / max(lost + len(answers), 1)
        rows.add_round(end - archive.step_s, interval_s, answers, lost)


def _ranks(known: list[float], count: int) -> list[float]:
    """Select `count` of the sorted values, evenly by rank: averaged rounds have more values than answers."""
    if len(known) <= count:
        return known
    return [known[int((rank + 0.5) * len(known) / count)] for rank in range(count)]


def _chosen(source: ProbeFile, archives: list[_Archive]) -> _Archive:
    """The archive with the shortest rows, or the one requested; raises RequestError if there is none."""
    wanted = source.options.step_s
    fitting = [one for one in archives if wanted is None or one.step_s == wanted]
    if not fitting:
        steps = ", ".join(str(one) for one in archives)
        raise RequestError(
            f"{source.path}: no archive of averages over {wanted:g} s"
            if wanted is not None
            else f"{source.path}: no archive of averages",
            f"there are: {steps}" if steps else "",
        )
    return min(fitting, key=lambda one: one.step_s)


def _notes(archive: _Archive, archives: list[_Archive]) -> list[str]:
    others = [one for one in archives if one is not archive]
    if not others:
        return []
    steps = ", ".join(f"{one} ({_days(one)})" for one in others)
    return [f"rows of {archive} ({_days(archive)}); there are also {steps}: --step"]


def _days(archive: _Archive) -> str:
    return f"{archive.step_s * len(archive.rows) / 86400:.3g} days"


def _dump(source: ProbeFile, text: str) -> tuple[list[str], list[_Archive]]:
    try:
        root = ElementTree.fromstring(text)
        step, last = int(_text(root, "step")), int(_text(root, "lastupdate"))
        names = [_text(one, "name") for one in root.findall("ds")]
        archives = [
            _archive(one, step, last)
            for one in root.findall("rra")
            if _text(one, "cf") == "AVERAGE"
        ]
    except ElementTree.ParseError as error:
        raise source.wrong(
            error.position[0], f"not whole XML of rrdtool dump: {str(error).partition(':')[0]}"
        ) from None
    except (ValueError, OverflowError) as error:
        raise RequestError(f"{source.path}: not XML of rrdtool dump: {error}") from None
    short = [row for one in archives for row in one.rows if len(row[1]) != len(names)]
    if short:
        raise RequestError(
            f"{source.path}: a row has {len(short[0][1])} values for {len(names)} data sources"
        )
    return names, archives


def _text(element: ElementTree.Element, name: str) -> str:
    found = element.findtext(name)
    if found is None:
        raise ValueError(f"<{element.tag}> has no <{name}>")
    return found.strip()


def _archive(rra: ElementTree.Element, step: int, last: int) -> _Archive:
    """Parse an archive. Its last row ends at the last multiple of its length: RRDtool states this only in a comment."""
    length = step * int(_text(rra, "pdp_per_row"))
    if length <= 0:
        raise ValueError(f"rows of {length} s")
    rows = [[float(one.text or "nan") for one in row.findall("v")] for row in rra.iter("row")]
    end = last - last % length
    return _Archive(
        length, [(end - length * (len(rows) - 1 - i), row) for i, row in enumerate(rows)]
    )


def _fetch(source: ProbeFile, text: str) -> tuple[list[str], list[_Archive]]:
    names: list[str] = []
    rows: list[tuple[int, list[float]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if found := _ROW.match(line):
            rows.append((int(found[1]), _values(source, number, found[2], len(names))))
            if len(rows) > 1 and rows[-1][0] <= rows[-2][0]:
                raise source.wrong(number, "a time that is not after the one before")
        elif line.split() and not names:
            names = line.split()
        elif line.split():
            raise source.wrong(number, "no row of rrdtool fetch")
    steps = [after - before for (before, _), (after, _) in pairwise(rows)]
    return names, [_Archive(min(steps), rows)] if steps else []


def _values(source: ProbeFile, number: int, text: str, count: int) -> list[float]:
    try:
        values = [float(one) for one in text.split()]
    except ValueError:
        raise source.wrong(number, "a value is no number") from None
    if len(values) != count:
        raise source.wrong(number, f"{len(values)} values for {count} data sources")
    return values
