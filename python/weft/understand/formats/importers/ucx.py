"""ucx_perftest: the tables of its latency and bandwidth tests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from weft.plan.pattern import Pingpong, Stream
from weft.understand.formats.importers.imported import Content, ImportOptions, Test, timed
from weft.understand.formats.importers.text import Cut, SourceLine, Text

SIGN = re.compile(
    r"^\|.*\b(latency|overhead) \(usec\) .*\| +bandwidth \(MB/s\)|^iterations,[\d.]+_percentile_lat",
    re.MULTILINE,
)

_HEADER = re.compile(r"\|.*\b(latency|overhead) \(usec\) ")
_CSV = re.compile(r"iterations,[\d.]+_percentile_lat")
_SETTING = re.compile(r"\| (Test|Message size): ++(.*?)(?<! ) ++\|\s*+$")
_ROW = re.compile(r"(Final:|\[thread \d+\]|\S*)\s+((?:[\d.,]+\s+){7}[\d.,]+)(?=\s|$)")
_WHOLE_TRIPS = re.compile(r"\b(get|atomic|add|fadd|swap|cswap)\b")
_ITERATIONS, _OVERALL_US, _OVERALL_MBYTES_S, _OVERALL_PER_S = 0, 3, 5, 7
_DEFAULT_BYTES = 8

_CONVENTION = (
    "latency is the mean half round trip, of bandwidth tests the mean time between two messages; both over all "
    "iterations (overall); MB are 2^20 bytes and serve to check the size, which the client's table does not say"
)


@dataclass
class _Section:
    """A table, with the settings before it."""

    line: SourceLine
    is_latency: bool
    test: str | None
    size_bytes: int | None
    row: SourceLine | None = None
    fields: list[str] = field(default_factory=list)


def read(text: Text, options: ImportOptions) -> Content:
    """ucx_perftest's tables with their final rows; raises RequestError, naming line and reason."""
    text.require(SIGN, "expected a table with 'latency (usec)' or 'overhead (usec)'")
    sections, cut = _sections(text)
    known = [one for one in sections if not _WHOLE_TRIPS.search(one.test or "")]
    return Content(
        format="ucx",
        tests=[_test(one, options) for one in known if one.row],
        convention=_CONVENTION,
        cut=cut,
        left_out=[str(one.test) for one in sections if one not in known],
        warnings=_warnings(known, options),
    )


def _sections(text: Text) -> tuple[list[_Section], Cut | None]:
    found: list[_Section] = []
    settings: dict[str, str] = {}
    for line in text.lines:
        if setting := _SETTING.match(line.text):
            settings[setting[1]] = setting[2]
        elif header := _HEADER.match(line.text):
            size = settings.get("Message size", "")
            bytes_ = int(size) if size.isdigit() else None
            found.append(_Section(line, header[1] == "latency", settings.get("Test"), bytes_))
            settings = {}
        elif _CSV.match(line.text):
            raise line.wrong(
                "a table of -v does not say whether it is of a latency or of a bandwidth test",
                "run ucx_perftest without -v",
            )
        elif found and (row := _ROW.match(line.text)) and not row[1].startswith("[thread"):
            if line.is_open:
                return found, line.cut()
            found[-1].row, found[-1].fields = line, row[2].split()
    if found[-1].row is None:
        return found, text.last.cut("the file ends before the final row of this test")
    return found, None


def _test(section: _Section, options: ImportOptions) -> Test:
    line, fields = section.row, section.fields
    assert line is not None
    size = section.size_bytes or options.size_bytes or _DEFAULT_BYTES
    iterations = line.count(fields[_ITERATIONS].replace(",", ""), "# iterations")
    each_us = line.positive(_plain(fields[_OVERALL_US]), "overall")
    _check_size(line, fields, size)
    crossings = 2 if section.is_latency else 1
    return Test(
        name="ucx-latency" if section.is_latency else "ucx-bandwidth",
        pattern=Pingpong() if section.is_latency else Stream(window=1),
        transport="ucx",
        timings=[timed(line, size, iterations, crossings * each_us * 1e3 * iterations)],
        line=section.line,
        facts={"test": section.test},
    )


def _check_size(line: SourceLine, fields: list[str], size: int) -> None:
    """Raises RequestError if the size contradicts bandwidth over message rate, within the rounding of both."""
    mbytes_s = line.value(_plain(fields[_OVERALL_MBYTES_S]), "bandwidth")
    per_s = line.positive(fields[_OVERALL_PER_S].replace(",", ""), "message rate")
    least, most = ((mbytes_s + end * 0.006) * 2**20 / (per_s - end * 0.6) for end in (-1, 1))
    if not least <= size <= most:
        raise line.refuse(
            f"messages of {size} bytes do not give this bandwidth",
            f"say their size with --size: it is between {max(1, round(least))} and {round(most)}",
        )


def _plain(field: str) -> str:
    """A number without the thousands separators of -N, which occur only in numbers with a decimal point."""
    return field.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})*\.\d+", field) else field


def _warnings(sections: list[_Section], options: ImportOptions) -> list[tuple[str, str, str]]:
    if options.size_bytes or all(one.size_bytes for one in sections):
        return []
    return [
        (
            "size-assumed",
            f"the table does not say how long messages were: taken as {_DEFAULT_BYTES} bytes, the tool's default",
            "--size BYTES says it, and so do the lines that the server prints, put before the table",
        )
    ]
