"""HPL.dat, the input file of the real program (hpccinf.txt of HPCC begins in the same way)."""

from __future__ import annotations

from weft.plan.pattern import Grid, Hpl

_FACTORS = {"left": 0, "crout": 1, "right": 2}
_BROADCASTS = {"1ring": 0, "1ringM": 1, "2ring": 2, "2ringM": 3, "long": 4, "longM": 5}
_SWAPS = {"binary-exchange": 0, "long": 1, "mix": 2}
RESIDUAL_LIMIT = 16.0
"""A solution with a larger scaled residual is wrong (HPL's default)."""


def input_file(pattern: Hpl, grid: Grid) -> str:
    """The text of the file: one problem, solved once, with output to standard output."""
    factor = _FACTORS[pattern.pfact]
    values: list[tuple[object, str]] = [
        ("HPL.out", "output file name (if any)"),
        (6, "device out (6=stdout)"),
        *_one(pattern.n, "N"),
        *_one(pattern.nb, "NB"),
        (0, "PMAP (0=Row-major)"),
        (1, "# of process grids (P x Q)"),
        (grid.rows, "Ps"),
        (grid.columns, "Qs"),
        (RESIDUAL_LIMIT, "threshold"),
        *_one(factor, "PFACT (0=left, 1=Crout, 2=Right)"),
        *_one(pattern.nbmin, "NBMIN"),
        *_one(pattern.ndiv, "NDIV"),
        *_one(factor, "RFACT (0=left, 1=Crout, 2=Right)"),
        *_one(_BROADCASTS[pattern.bcast], "BCAST (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)"),
        *_one(pattern.depth, "DEPTH"),
        (_SWAPS[pattern.swap], "SWAP (0=bin-exch,1=long,2=mix)"),
        (pattern.threshold, "swapping threshold"),
        (0, "L1 in (0=transposed)"),
        (0, "U in (0=transposed)"),
        (1, "Equilibration (1=yes)"),
        (8, "memory alignment in double (> 0)"),
    ]
    head = ["HPLinpack benchmark input file", "written by weft"]
    # For HPCC only: no further sizes for its other parts.
    tail = ["#", "0 additional problem sizes", "0", "0 additional block sizes", "0"]
    return "\n".join([*head, *(f"{value} {what}" for value, what in values), *tail, ""])


def _one(value: object, what: str) -> list[tuple[object, str]]:
    return [(1, f"# of {what}"), (value, what)]
