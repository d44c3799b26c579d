"""The MPIs of this machine that compile and run a small program."""

import pytest

from weft.measure.execute.mpi.toolchain import packages
from weft.measure.execute.mpi.trial import try_mpis

_TRIED = try_mpis()
INSTALLED = [one.kind for one in _TRIED if not one.problem]
_PROBLEMS = "; ".join(f"{one.problem}, {one.hint}" for one in _TRIED if one.problem)

needs_mpi = pytest.mark.skipif(
    not INSTALLED, reason=_PROBLEMS or f"no MPI: apt-get install {packages(None)}"
)
needs_both = pytest.mark.skipif(
    len(INSTALLED) < 2, reason=_PROBLEMS or f"only one MPI here: apt-get install {packages(None)}"
)
