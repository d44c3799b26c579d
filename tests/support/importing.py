"""Imports for tests: files and texts of other tools, as runs or as refusals."""

from pathlib import Path

import pytest

from support.paths import DATA
from weft.base.errors import RequestError
from weft.runs.folder import RunFolder
from weft.understand.curve.points import CurvePoint, points
from weft.understand.formats.importers import import_file
from weft.understand.formats.importers.imported import ImportOptions


def imported(
    directory: Path, format: str, source: Path | str, options: ImportOptions | None = None
) -> RunFolder:
    """A run from a file of tests/data, another path, or (with a line break in it) from text."""
    if isinstance(source, str) and "\n" in source:
        path = directory / "result.txt"
        path.write_text(source)
    else:
        path = DATA / source
    return import_file(format, path, directory / "run", options)


def refusal(
    directory: Path, format: str, source: Path | str, options: ImportOptions | None = None
) -> RequestError:
    """Why a file is refused; nothing was written."""
    with pytest.raises(RequestError) as caught:
        imported(directory, format, source, options)
    assert not (directory / "run").exists()
    return caught.value


def latencies_us(run: RunFolder, transport: str | None = None) -> dict[int, float]:
    return {
        point.size_bytes: point.latency_us.median
        for point in _points(run, "pingpong", transport)
        if point.latency_us
    }


def rates_mbps(run: RunFolder, transport: str | None = None) -> dict[int, float]:
    found = _points(run, "stream", transport)
    return {point.size_bytes: point.throughput_mbps.median for point in found}


def _points(run: RunFolder, pattern: str, transport: str | None) -> list[CurvePoint]:
    return [
        point
        for point in points(run)
        if point.pattern == pattern and transport in (None, point.transport)
    ]


def warned(run: RunFolder) -> list[str]:
    return [warning.code for warning in run.meta.warnings]
