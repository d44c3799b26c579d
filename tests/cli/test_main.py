"""The `weft` command itself: what it imports before it does anything."""

from __future__ import annotations

import subprocess
import sys

import pytest


def imported(*arguments: str) -> set[str]:
    command = [sys.executable, "-X", "importtime", "-m", "weft", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_help_needs_neither_arrays_nor_the_commands() -> None:
    modules = imported("--help")
    assert "weft.cli.main" in modules
    assert not modules & {"numpy", "pyarrow", "scipy", "altair", "weft._core", "weft.cli.run"}


@pytest.mark.parametrize("command", ["run", "show", "compare", "diagnose", "report"])
def test_commands_import_statistics_and_charts_when_they_use_them(command: str) -> None:
    assert not imported(command, "--help") & {"scipy.stats", "scipy.optimize", "altair"}
