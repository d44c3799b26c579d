"""A program of this machine with its shared libraries, for guests that cannot see this machine's files."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from weft.base import binaries

_WITHIN_S = 20.0
_LIBRARY = re.compile(r"(/\S+) \(0x[0-9a-f]+\)")
"""A library in the output of ldd(1), where the linker's path stands alone on its line."""


def with_libraries(name: str) -> dict[str, bytes]:
    """The program (in bin/) and its libraries by path, without the first slash; empty if it is not in PATH."""
    program = shutil.which(name)
    if program is None:
        return {}
    said = binaries.ask(["ldd", program], _WITHIN_S)
    libraries = _LIBRARY.findall(said.stdout) if said and said.returncode == 0 else []
    files = {path.removeprefix("/"): Path(path).read_bytes() for path in libraries}
    return files | {f"bin/{name}": Path(program).read_bytes()}
