"""SimGrid itself, where it is installed: the same patterns on a platform, for tests and bench/simulate/simgrid.py."""

import shutil
import subprocess
from pathlib import Path

from support.paths import CHECKOUT

QUIET = ["--log=root.thres:error"]
MODEL = [
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:0",
    *QUIET,
]
"""Its plain max-min model, without cross-traffic and without TCP's factors."""

_SOURCES = CHECKOUT / "bench" / "simgrid"


class NoSimGridError(Exception):
    """What is missing."""


def build_peer(binary: Path) -> None:
    """Build bench/simgrid/peer.cpp; raises NoSimGridError."""
    _build(_SOURCES / "peer.cpp", binary)


def build_routes(binary: Path) -> None:
    """Build bench/simgrid/routes.cpp; raises NoSimGridError."""
    _build(_SOURCES / "routes.cpp", binary)


def build_times(binary: Path) -> None:
    """Build bench/simgrid/times.cpp; raises NoSimGridError."""
    _build(_SOURCES / "times.cpp", binary)


def _build(source: Path, binary: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        raise NoSimGridError("no g++")
    command = [compiler, "-O3", "-std=c++17", str(source), "-o", str(binary), "-lsimgrid"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise NoSimGridError("no SimGrid: apt-get install libsimgrid-dev")
