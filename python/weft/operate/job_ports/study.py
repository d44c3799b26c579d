"""A job's ports compared with those that a published study of two clusters counted for LAM/MPI.

F. G. Tinetti and W. J. Aróztegui, "Factibilidad y Rendimiento de las Comunicaciones para Cómputo Paralelo
Intercluster", section 2: per remote machine, lamboot opened three TCP ports to negotiate by ssh, one for its daemon,
and two UDP ports that stay until lamhalt; mpirun opened one more TCP port.
"""

from __future__ import annotations

from msgspec import Struct

from weft.operate.job_ports.connection import JobConnection, PortUsage

_BY_SSH = 22


class StudyCount(Struct, frozen=True, kw_only=True):
    """Connections (TCP) and sockets (UDP) per remote machine, the maximum over machines: `ssh_tcp`, `daemon_tcp` and
    `udp` until all ranks run (together `launch`), and `job_tcp`, `job_udp` afterwards."""

    what: str
    ssh_tcp: int
    daemon_tcp: int
    udp: int
    job_tcp: int
    job_udp: int = 0

    @property
    def launch(self) -> int:
        """The sum over the launch."""
        return self.ssh_tcp + self.daemon_tcp + self.udp


PUBLISHED = StudyCount(what="LAM/MPI, published", ssh_tcp=3, daemon_tcp=1, udp=2, job_tcp=1)


def as_in_the_study(usage: PortUsage) -> StudyCount:
    """A job's connections, counted as in the study."""
    counted = [_of(usage, node) for node in usage.nodes[1:] or usage.nodes]
    ssh, daemon, udp, job_tcp, job_udp = (max(column) for column in zip(*counted, strict=True))
    return StudyCount(
        what="this job", ssh_tcp=ssh, daemon_tcp=daemon, udp=udp, job_tcp=job_tcp, job_udp=job_udp
    )


def _of(usage: PortUsage, node: str) -> tuple[int, int, int, int, int]:
    mine = [one for one in usage.connections if node in (one.client, one.server)]
    launch = [one for one in mine if one.phase == "launch"]
    job = [one for one in mine if one.phase != "launch"]
    tcp = [one for one in launch if one.protocol == "tcp"]
    by_ssh = sum(one.port == _BY_SSH for one in tcp)
    job_tcp = sum(one.protocol == "tcp" for one in job)
    return by_ssh, len(tcp) - by_ssh, _udp(launch, node), job_tcp, _udp(job, node)


def _udp(connections: list[JobConnection], node: str) -> int:
    """UDP ports of the node, each counted once."""
    return len({one.port for one in connections if one.protocol == "udp" and one.server == node})
