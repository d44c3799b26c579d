"""SimGrid itself, where it is installed: the same patterns on a platform, for tests and bench/simgrid.py."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

MODEL = [
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:0",
    "--log=root.thres:error",
]
"""Its plain max-min model, without cross-traffic and without TCP's factors."""

_SOURCE = Path(__file__).resolve().parent.parent / "bench" / "simgrid" / "peer.cpp"


class NoSimGridError(Exception):
    """What is missing."""


def build_peer(binary: Path) -> None:
    """Build bench/simgrid/peer.cpp; raises NoSimGridError."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise NoSimGridError("no g++")
    command = [compiler, "-O3", "-std=c++17", str(_SOURCE), "-o", str(binary), "-lsimgrid"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise NoSimGridError("no SimGrid: apt-get install libsimgrid-dev")
