"""What HPL prints of the problem that it has solved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ROW = re.compile(r"^W[RC]\S+\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s*$")
"""T/V, N, NB, P, Q, time in seconds, GFlop/s."""
_RESIDUAL = re.compile(r"^\|\|Ax-b\|\|_oo/[^=]*+=\s*+(\S++)\s*+\.*+\s*+(PASSED|FAILED)")
_ERROR = re.compile(r"HPL ERROR|HPL WARNING|>>>")


@dataclass(frozen=True)
class Solved:
    """How long it took, what HPL says it came to, and its scaled residual, which decides whether it is right."""

    n: int
    elapsed_s: float
    gflops: float
    residual: float
    is_right: bool


def read_output(lines: Iterable[str], flops: float) -> Solved | None:
    """What the first problem came to; None where none was solved and checked.

    The time has two decimals, and the speed more of them: `flops` over it is the time where it is short.
    """
    row: re.Match[str] | None = None
    for line in lines:
        row = row or _ROW.match(line)
        if row and (found := _RESIDUAL.match(line)):
            gflops = _number(row[6])
            elapsed_s = flops / gflops / 1e9 if gflops > 0 else _number(row[5])
            return Solved(int(row[1]), elapsed_s, gflops, _number(found[1]), found[2] == "PASSED")
    return None


def complaint(lines: Iterable[str]) -> str:
    """What HPL says is wrong, in its own words; empty where it says nothing."""
    return " ".join(line.strip() for line in lines if _ERROR.search(line))[:300]


def _number(text: str) -> float:
    """Also of `nan` and `inf`, which C prints."""
    return float(text)
