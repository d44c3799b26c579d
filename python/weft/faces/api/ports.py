"""The ports of a parallel job from Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pyarrow as pa
from msgspec.structs import asdict

from weft.base.nodeset import fold
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.operate.job_ports.ask import PortsAnswer, PortsQuestion, ask
from weft.operate.job_ports.check import RulesVerdict
from weft.operate.job_ports.rules import PortRule


class Connections(Table):
    """A row for each connection of a job between two nodes; the server is the end that listens. `at_s` counts from the
    job's start; `is_chosen`: the kernel chose the port."""

    SCHEMA: ClassVar[pa.Schema] = pa.schema(
        {
            "phase": pa.string(),
            "at_s": pa.float64(),
            "protocol": pa.string(),
            "client": pa.string(),
            "client_program": pa.string(),
            "server": pa.string(),
            "server_program": pa.string(),
            "port": pa.int64(),
            "is_chosen": pa.bool_(),
            "of_ranks": pa.bool_(),
        }
    )


class Ports(Said):
    """The ports that a job needs. Made by `weft.ports`."""

    def __init__(self, found: PortsAnswer) -> None:
        self.found = found

    @property
    def connections(self) -> Connections:
        """A row for each connection between nodes."""
        return Connections.of_rows(map(asdict, self.found.usage.connections))

    @property
    def rules(self) -> list[PortRule]:
        """The fewest rules that allow the job; `nftables` and `iptables` of `found` are these as text."""
        return self.found.rules

    @property
    def verdicts(self) -> list[RulesVerdict]:
        """The verdicts with all rules, then without each, as far as requested."""
        first = [self.found.verdict] if self.found.verdict else []
        return [*first, *self.found.without]

    def lines(self) -> list[str]:
        """The job and its rules."""
        usage = self.found.usage
        title = f"status {usage.status} after {usage.seconds:.1f} s on {fold(usage.nodes)}"
        return [f"{title}: {len(self.rules)} rules", *(one.text for one in self.rules)]


def ports(
    command: Sequence[str],
    *,
    on: str = "",
    ports: str = "",
    check: bool = False,
    each: bool = False,
    limit_s: float | None = None,
    services: Sequence[str] = (),
    ready: str = "",
) -> Ports:
    """Watch a job's sockets on all of its nodes: `weft.ports(["mpirun", "-n", "4", "--host", "a,b", "./app"]).rules`.

    on: the nodes, if the command does not name them, or a lab. ports: a range to which the job is restricted,
    "40000-40063". check: run it again in a lab with everything else dropped; each: also without each rule. limit_s: end
    a run of the job that takes longer, in seconds. services, ready: daemons of the lab, and a command that succeeds
    when they run.

    Raises RequestError for an invalid request, WorkError if a node cannot be watched.
    """
    question = PortsQuestion(
        command=tuple(command),
        on=on,
        ports=ports,
        check=check,
        each=each,
        limit_s=limit_s,
        services=tuple(services),
        ready=ready,
    )
    return Ports(ask(question))
