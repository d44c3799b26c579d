"""tools/packages, where it may not install: what it says is missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.clusters.mpi import needs_mpi
from support.paths import CHECKOUT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A PATH with what compiles MPI, and without apt."""
    for name in ("mpicc", "gcc", "as"):
        if found := shutil.which(name):
            (tmp_path / name).symlink_to(found)
    return tmp_path


def said(path: Path, *wanted: str) -> tuple[int, str]:
    command = ["/bin/sh", str(CHECKOUT / "tools" / "packages"), "required", *wanted]
    environment = {"PATH": str(path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_a_missing_command_is_named_by_its_package(path: Path) -> None:
    status, text = said(path, "no-such-tool=its-package")
    assert status == 1 and text.endswith("apt-get install its-package\n")


@needs_mpi
def test_a_header_is_what_mpicc_finds(path: Path) -> None:
    assert said(path, "mpicc=openmpi-bin", "mpi.h=libopenmpi-dev") == (0, "")
    status, text = said(path, "mpicc=openmpi-bin", "no-such-mpi.h=libopenmpi-dev")
    assert status == 1 and text.endswith("apt-get install libopenmpi-dev\n")
