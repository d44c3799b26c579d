"""Other programs that weft uses, and MPIs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shutil import which

from weft.base import catalog
from weft.base.toml_file import TomlTable, decode
from weft.measure.execute.mpi.toolchain import DEBIAN, KINDS
from weft.measure.execute.mpi.trial import try_mpis
from weft.operate.doctor.packages import install
from weft.operate.doctor.row import DoctorRow, answer

AREA = "programs"
_MPI_PACKAGES = {
    "openmpi": {"apt": DEBIAN["openmpi"], "dnf": "openmpi-devel", "zypper": "openmpi4-devel"},
    "mpich": {"apt": DEBIAN["mpich"], "dnf": "mpich-devel", "zypper": "mpich-devel"},
}


class _Tool(TomlTable, frozen=True):
    """A tool that needs all of its `programs`, or `any` of them (by default the one with its `name`). weft also looks
    in `folders`, which PATH may lack."""

    programs: list[str]
    needed_for: str
    packages: dict[str, str]
    any: bool = False
    name: str = ""
    folders: str = ""


class _Tools(TomlTable, frozen=True):
    title: str
    tools: tuple[_Tool, ...]


def programs() -> Iterator[DoctorRow]:
    """A row for each tool of the catalogue, and for each MPI."""
    for tool in decode(catalog.folder("tool").parent / "tools.toml", _Tools).tools:
        yield _row(tool)
    yield from _mpis()
    yield _kvm()


def _row(tool: _Tool) -> DoctorRow:
    here = [which(one) or which(one, path=tool.folders) for one in tool.programs]
    found = [path for path in here if path]
    is_there = bool(found) if tool.any else len(found) == len(tool.programs)
    name = tool.name or ", ".join(tool.programs)
    seen = ", ".join(found) or f"not in PATH: {', '.join(tool.programs)}"
    get = "" if is_there else install(tool.packages)
    return DoctorRow(AREA, name, answer(is_there), seen, tool.needed_for, get)


def _mpis() -> Iterator[DoctorRow]:
    """Each MPI is tried: a program with two ranks is compiled and started."""
    tried = {mpi.kind: mpi for mpi in try_mpis()}
    needed_for = "weft run PLAN --transport mpi"
    for kind, name in KINDS.items():
        mpi, get = tried.get(kind), install(_MPI_PACKAGES[kind])
        if mpi is None:
            yield DoctorRow(
                AREA, name, "no", "neither its mpicc nor its mpirun is in PATH", needed_for, get
            )
        elif mpi.problem:
            yield DoctorRow(AREA, name, "partly", mpi.problem, needed_for, mpi.hint)
        else:
            yield DoctorRow(AREA, name, "yes", mpi.version, needed_for)


def _kvm() -> DoctorRow:
    is_there = os.access("/dev/kvm", os.R_OK | os.W_OK)
    seen = "/dev/kvm can be opened" if is_there else "/dev/kvm cannot be opened"
    get = "" if is_there else "enable virtualisation in the firmware, and join the group kvm"
    return DoctorRow(AREA, "KVM", answer(is_there), seen, "virtual machines at full speed", get)
