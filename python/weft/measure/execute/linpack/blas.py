"""The BLAS that the real program is linked with: it largely decides how fast a node computes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from weft.measure.execute.linpack.program import KNOWN

_LIBRARY = re.compile(r"^[ \t]*+lib\S*(?:blas|blis|atlas|mkl_rt)\S* => (/\S+)", re.MULTILINE)
_WITHIN_S = 30


def blas_here(program: str | None, is_to_run: bool) -> Path | None:
    """The path of this BLAS; None if this machine lacks the program, or the program loads no known BLAS.

    If the plan names no program, the known programs are considered only if the real Linpack is to run.
    """
    names = [program] if program else KNOWN if is_to_run else ()
    path = next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        return None
    try:
        done = subprocess.run(
            ["ldd", path], capture_output=True, text=True, timeout=_WITHIN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    library = _LIBRARY.search(done.stdout)
    return Path(library[1]) if library else None
