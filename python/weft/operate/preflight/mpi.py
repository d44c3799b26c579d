"""Whether the MPIs of this machine work, since its `mpirun` would start the ranks."""

from __future__ import annotations

from collections.abc import Iterator

from weft.measure.execute.mpi.toolchain import KINDS, packages
from weft.measure.execute.mpi.trial import MpiTrial
from weft.operate.preflight.finding import Finding
from weft.operate.preflight.record import ClusterRecord


def mpi_findings(record: ClusterRecord) -> Iterator[Finding]:
    """The MPIs that are installed in part but do not work."""
    for mpi in record.mpi:
        if mpi.problem:
            message = f"{KINDS[mpi.kind]} on this machine cannot be used: {mpi.problem}"
            yield Finding("mpi-unusable", message, mpi.hint)


def describe_mpi(mpis: list[MpiTrial]) -> str:
    """Which MPIs plans may use, or what to install."""
    usable = [f"{KINDS[mpi.kind]} {mpi.version}" for mpi in mpis if not mpi.problem]
    if usable:
        return f"usable for --transport mpi: {', '.join(usable)}"
    return f"no usable MPI on this machine, for --transport mpi only (Debian: {packages(None)})"
