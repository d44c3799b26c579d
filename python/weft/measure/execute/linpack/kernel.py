"""How fast a process does the computation of Linpack. Run as a program, it prints the rates as JSON.

It times products of matrices whose common side is one block (dgemm), and the factorisation of a panel as wide as a
block, as HPL does it: recursive halves down to four columns. Both use one thread of a BLAS: a named library, or the
OpenBLAS of NumPy and SciPy. The time of a panel includes Python's overhead, so its rate is a little too low.
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
"""Rows and columns that are updated, and rows of a panel; together they exceed the cache of a core."""
_FEW = 4
"""Columns that are factorised one by one (NBMIN of HPL, at its common value)."""
Product: TypeAlias = Callable[[Floats, Floats, Floats], None]
"""Subtracts the product of the first two matrices, whose columns are contiguous, from the third, in place."""
_LONG_ENOUGH_S = 0.5
"""Least duration of each of the two measurements. The rate is work over elapsed time, including interruptions by other
programs."""


class KernelRates(msgspec.Struct, frozen=True):
    """Floating-point operations per second of one process."""

    dgemm_flops: int
    panel_flops: int


def measure(block: int, library: str | None = None) -> KernelRates:
    """The rates for blocks of `block` columns, with a library that has `dgemm_`, or with SciPy's."""
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
    """Product functions of SciPy for whole matrices, which it changes in place, and for parts of one, which it would
    copy."""
    from scipy.linalg.blas import dgemm  # here, because importing it would delay every run

    def whole(left: Floats, right: Floats, into: Floats) -> None:
        dgemm(-1.0, left, right, 1.0, into, overwrite_c=1)

    return whole, take_product


def take_product(left: Floats, right: Floats, into: Floats) -> None:
    """Subtract a product with NumPy, for any matrices."""
    into -= left @ right


def of_library(library: str) -> Product:
    """Product functions of a BLAS with 32-bit integers, for whole matrices and for parts."""
    dgemm = ctypes.CDLL(library).dgemm_

    def take(left: Floats, right: Floats, into: Floats) -> None:
        rows, common = left.shape
        sizes = [_int(one) for one in (rows, right.shape[1], common)]
        minus, plus = ctypes.byref(ctypes.c_double(-1.0)), ctypes.byref(ctypes.c_double(1.0))
        arguments = [minus, *_matrix(left), *_matrix(right), plus, *_matrix(into)]
        dgemm(b"N", b"N", *sizes, *arguments)

    return take


def _matrix(one: Floats) -> tuple[ctypes.c_void_p, object]:
    """Address of a matrix, and its leading dimension (numbers between the starts of columns)."""
    return ctypes.c_void_p(one.ctypes.data), _int(one.strides[1] // one.itemsize)


def _int(value: int) -> object:
    return ctypes.byref(ctypes.c_int(value))


def factorise(panel: Floats, first: int, end: int, take: Product = take_product) -> None:
    """Replace columns `first` to `end` of a panel by L and U, with partial pivoting, in place."""
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
    """Mean time in seconds of a function, which is repeated for long enough."""
    work()
    begun, times = time.perf_counter(), 0
    while (passed_s := time.perf_counter() - begun) < _LONG_ENOUGH_S:
        work()
        times += 1
    return passed_s / times


if __name__ == "__main__":
    print(msgspec.json.encode(measure(int(sys.argv[1]), *sys.argv[2:])).decode())
