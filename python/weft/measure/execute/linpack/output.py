"""Reads what HPL prints about the problem that it has solved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ROW = re.compile(r"^W[RC]\S+\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s*$")
"""Columns: T/V, N, NB, P, Q, time in seconds, GFlop/s."""
_RESIDUAL = re.compile(r"^\|\|Ax-b\|\|_oo/[^=]*+=\s*+(\S++)\s*+\.*+\s*+(PASSED|FAILED)")
_ERROR = re.compile(r"HPL ERROR|HPL WARNING|>>>")


@dataclass(frozen=True)
class HplSolution:
    """Time, speed by HPL's own figure, and the scaled residual, which decides whether the solution is right."""

    n: int
    elapsed_s: float
    gflops: float
    residual: float
    is_right: bool


def read_output(lines: Iterable[str], flops: float) -> HplSolution | None:
    """The result of the first problem; None if none was solved and checked.

    HPL prints the time with two decimals and the speed with more digits, so short times are computed as `flops` over
    the speed.
    """
    row: re.Match[str] | None = None
    for line in lines:
        row = row or _ROW.match(line)
        if row and (found := _RESIDUAL.match(line)):
            gflops = _number(row[6])
            elapsed_s = flops / gflops / 1e9 if gflops > 0 else _number(row[5])
            return HplSolution(
                int(row[1]), elapsed_s, gflops, _number(found[1]), found[2] == "PASSED"
            )
    return None


def complaint(lines: Iterable[str]) -> str:
    """HPL's own error message; empty if there is none."""
    return " ".join(line.strip() for line in lines if _ERROR.search(line))[:300]


def _number(text: str) -> float:
    """A number, including `nan` and `inf` as C prints them."""
    return float(text)
