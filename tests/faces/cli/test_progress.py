"""Progress into a pipe."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from weft.faces.cli.tables import progress
from weft.faces.cli.tables.progress import LineProgress


def test_into_a_pipe_what_runs_is_said_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 4.0, 11.0, 11.0, 15.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(times))
    out = io.StringIO()
    reporter = LineProgress(Console(file=out))
    for text in ("phase 1", "phase 2", "phase 3"):
        reporter.describe(text)
    assert out.getvalue() == "phase 2\n"
