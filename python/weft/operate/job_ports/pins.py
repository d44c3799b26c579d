"""Settings that keep a job's ports in a range: one part for what starts the ranks, the other for the ranks."""

from __future__ import annotations

from msgspec import Struct

from weft.base.errors import RequestError
from weft.measure.execute.mpi.command import port_settings
from weft.measure.testbed.ports import PortRange

_LAUNCHERS_SHARE = 4
_FEWEST = 8


class Pins(Struct, frozen=True):
    """The ports of launchers and of ranks."""

    launcher: PortRange
    ranks: PortRange

    @classmethod
    def parse(cls, text: str) -> Pins:
        """The first quarter of a range for launchers, the rest for ranks; raises RequestError."""
        ports = PortRange.parse(text, "--ports")
        if len(ports) < _FEWEST:
            raise RequestError(
                f"--ports: {ports} has {len(ports)} ports",
                f"at least {_FEWEST}: a quarter is for what starts the ranks, and each rank of a node needs one",
            )
        last = ports.first + len(ports) // _LAUNCHERS_SHARE - 1
        return cls(PortRange(ports.first, last), PortRange(last + 1, ports.last))

    @property
    def ranges(self) -> tuple[PortRange, PortRange]:
        """Both ranges."""
        return self.launcher, self.ranks

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for the job, which Open MPI and MPICH read."""
        return port_settings(self.launcher, self.ranks)

    @property
    def slurm(self) -> str:
        """The line for slurm.conf, from which alone srun takes its ports."""
        return f"SrunPortRange={self.launcher}"
