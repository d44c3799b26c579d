"""How fast a process computes what Linpack computes: run as a program, it says so as JSON.

Products of matrices whose common side is a block (dgemm), and the factorisation of a panel of a block's width as HPL
does it: halves of halves down to four columns. Both with one thread of a BLAS: of a library that is named, or of the
OpenBLAS that NumPy and SciPy come with. Python's own work is in the time of a panel, whose rate is rather too low.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from typing import TypeAlias

import msgspec
import numpy as np

from weft.base.statistics import Floats

_SIDE = 1024
"""Rows and columns that are updated, and rows of a panel: they do not fit into a cache of a core together."""
_FEW = 4
"""Columns that are factorised one by one: HPL's NBMIN as most set it."""
Product: TypeAlias = Callable[[Floats, Floats, Floats], None]
"""Takes the product of the first two matrices, whose columns are contiguous, from the third, in place."""
_LONG_ENOUGH_S = 0.5
"""Of each of the two. Work over time counts, whatever else takes the processor meanwhile."""


class KernelRates(msgspec.Struct, frozen=True):
    """Floating-point operations per second of one process."""

    dgemm_flops: int
    panel_flops: int


def measure(block: int, library: str | None = None) -> KernelRates:
    """The rates for blocks of so many columns, by a library that has `dgemm_`; by SciPy's where none is named."""
    take_product, take_part = _of_scipy() if library is None else [of_library(library)] * 2
    random = np.random.default_rng(0)
    left = np.asfortranarray(random.random((_SIDE, block)))
    right = np.asfortranarray(random.random((block, _SIDE)))
    updated = np.zeros((_SIDE, _SIDE), order="F")
    rows = max(_SIDE, 2 * block)
    panel = random.random((rows, block))

    def update() -> None:
        take_product(left, right, updated)

    def factor() -> None:
        factorise(np.asfortranarray(panel), 0, block, take_part)

    dgemm_s, panel_s = mean_s(update), mean_s(factor)
    return KernelRates(
        dgemm_flops=max(1, round(2 * _SIDE**2 * block / dgemm_s)),
        panel_flops=max(1, round(block**2 * (rows - block / 3) / panel_s)),
    )


def _of_scipy() -> tuple[Product, Product]:
    """For whole matrices, which SciPy's own function changes in place, and for parts of one, which it would copy."""
    from scipy.linalg.blas import dgemm  # here, because every run would wait for it

    def whole(left: Floats, right: Floats, into: Floats) -> None:
        dgemm(-1.0, left, right, 1.0, into, overwrite_c=1)

    return whole, take_product


def take_product(left: Floats, right: Floats, into: Floats) -> None:
    """NumPy's way, of any matrices."""
    into -= left @ right


def of_library(library: str) -> Product:
    """That of a BLAS with integers of 32 bits, of whole matrices and of parts."""
    dgemm = ctypes.CDLL(library).dgemm_

    def take(left: Floats, right: Floats, into: Floats) -> None:
        rows, common = left.shape
        sizes = [_int(one) for one in (rows, right.shape[1], common)]
        minus, plus = ctypes.byref(ctypes.c_double(-1.0)), ctypes.byref(ctypes.c_double(1.0))
        arguments = [minus, *_matrix(left), *_matrix(right), plus, *_matrix(into)]
        dgemm(b"N", b"N", *sizes, *arguments)

    return take


def _matrix(one: Floats) -> tuple[ctypes.c_void_p, object]:
    """Where it begins, and how many numbers lie between the beginnings of columns."""
    return ctypes.c_void_p(one.ctypes.data), _int(one.strides[1] // one.itemsize)


def _int(value: int) -> object:
    return ctypes.byref(ctypes.c_int(value))


def factorise(panel: Floats, first: int, end: int, take: Product = take_product) -> None:
    """Columns of a panel become L and U, with partial pivoting, in place."""
    if end - first <= _FEW:
        for column in range(first, end):
            _eliminate(panel, column, end)
        return
    middle = (first + end) // 2
    factorise(panel, first, middle, take)
    top = panel[first:middle, middle:end]
    for row in range(1, middle - first):
        top[row] -= panel[first + row, first : first + row] @ top[:row]
    take(panel[middle:, first:middle], top, panel[middle:, middle:end])
    factorise(panel, middle, end, take)


def _eliminate(panel: Floats, column: int, end: int) -> None:
    pivot = column + int(np.argmax(np.abs(panel[column:, column])))
    if pivot != column:
        panel[[column, pivot]] = panel[[pivot, column]]
    below = panel[column + 1 :, column]
    below /= panel[column, column]
    panel[column + 1 :, column + 1 : end] -= np.outer(below, panel[column, column + 1 : end])


def mean_s(work: Callable[[], object]) -> float:
    """The mean time of some work in seconds, which is repeated for long enough."""
    work()
    begun, times = time.perf_counter(), 0
    while (passed_s := time.perf_counter() - begun) < _LONG_ENOUGH_S:
        work()
        times += 1
    return passed_s / times


if __name__ == "__main__":
    print(msgspec.json.encode(measure(int(sys.argv[1]), *sys.argv[2:])).decode())
