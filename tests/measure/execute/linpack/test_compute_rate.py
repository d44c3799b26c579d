"""How fast a node computes, with the BLAS of a program."""

import shutil

import numpy as np
import pytest

from weft.measure.execute.linpack.blas import blas_here
from weft.measure.execute.linpack.kernel import factorise, of_library

HPCC = shutil.which("hpcc")


@pytest.mark.skipif(HPCC is None, reason="no hpcc: apt-get install hpcc")
def test_the_blas_of_the_real_program_is_found_and_computes_the_same() -> None:
    library = blas_here(HPCC, is_to_run=False)
    assert library and library.exists()
    assert blas_here(None, is_to_run=True) == library
    assert blas_here(None, is_to_run=False) is None
    assert blas_here(shutil.which("true"), is_to_run=True) is None
    first = np.asfortranarray(np.random.default_rng(1).random((50, 16)))
    second = first.copy(order="F")
    factorise(first, 0, 16)
    factorise(second, 0, 16, of_library(str(library)))
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-12)
