"""Slurm: the nodes of an allocation, which is requested if there is none, and srun to start agents on them."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.base.binaries import ask
from weft.base.errors import RequestError, WorkError
from weft.measure.testbed.agent.agent import Reason
from weft.measure.testbed.hosts.host import NetworkAddress, RemoteHost
from weft.measure.testbed.hosts.launcher import Symptoms, explain_by
from weft.measure.testbed.hosts.node_set import expand
from weft.measure.testbed.hosts.testbed import Hosts
from weft.measure.testbed.ports import PortRange

_SYMPTOMS: Symptoms = (
    ("TIME LIMIT", "agent-slurm-time-limit", "the time limit of its Slurm job was reached"),
    ("PREEMPTION|NODE FAILURE|NodeFail", "agent-slurm-lost", "Slurm has taken the node away"),
    (
        "CANCELLED|[Jj]ob.*(already complet|expired|Expired)|Invalid job id",
        "agent-slurm-job-over",
        "its Slurm job is over",
    ),
    ("Unable to contact slurm controller", "agent-slurm-silent", "the Slurm controller does not answer"),
)  # fmt: skip
_HOLD = 'echo "$SLURM_JOB_ID $SLURM_JOB_NODELIST"; exec cat'
_ASK_S = 10.0


@dataclass(frozen=True)
class Srun:
    """A job step with one task for each agent, beside other work in the allocation.

    Without --unbuffered Slurm would hold back output without line ends, such as frames.
    """

    job: str
    name = "srun"

    def command(self, login: str, argv: list[str]) -> list[str]:
        where = [f"--jobid={self.job}", f"--nodelist={login}", "--nodes=1", "--ntasks=1"]
        how = ["--overlap", "--mem=0", "--cpu-bind=none", "--unbuffered", "--chdir=/"]
        return ["srun", *where, *how, *argv]

    def way(self, login: str) -> str:
        return f"srun in job {self.job}, on Slurm's ports"

    def explain(self, said: str) -> Reason | None:
        return explain_by(_SYMPTOMS, said)


class Allocation:
    """Nodes granted by Slurm. A requested allocation lasts until it is released or this process ends."""

    def __init__(self, job: str, nodes: list[str], holder: subprocess.Popen[str] | None) -> None:
        self.job = job
        self.nodes = nodes
        self._holder = holder

    @classmethod
    def inherited(cls, environment: Mapping[str, str]) -> Allocation | None:
        """The allocation in which this process runs; None if there is none."""
        job, nodes = environment.get("SLURM_JOB_ID"), environment.get("SLURM_JOB_NODELIST")
        return cls(job, expand(nodes), None) if job and nodes else None

    @classmethod
    def request(cls, command: list[str]) -> Allocation:
        """Request nodes and wait for them; raises WorkError. salloc's messages go to standard error."""
        try:
            # In a session of its own, since weft handles an interrupt itself and still needs the nodes for that.
            holder = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        except OSError as error:
            reason = f"slurm: cannot start {command[0]}: {error.strerror}"
            raise RequestError(reason, "is Slurm installed here?") from None
        job, nodes = _granted(holder)
        if not nodes:
            raise WorkError(
                f"slurm: no allocation: salloc ended with status {holder.wait()}",
                f"it was asked with: {_shown(command)}",
            )
        return cls(job, expand(nodes), holder)

    def release(self) -> None:
        """Release the nodes. May be called twice."""
        if self._holder is not None:
            assert self._holder.stdin is not None
            self._holder.stdin.close()
            self._holder.wait()
            self._holder = None


def _shown(command: list[str]) -> str:
    """A request as shown to users, without the command that holds the nodes."""
    return shlex.join(command[: command.index("sh")])


def _granted(holder: subprocess.Popen[str]) -> tuple[str, str]:
    """The job and its nodes, once Slurm has granted them; an interrupt cancels the request."""
    assert holder.stdout is not None
    try:
        job, _, nodes = holder.stdout.readline().strip().partition(" ")
    except BaseException:
        holder.terminate()
        holder.wait()
        raise
    return job, nodes


def allocation_command(options: str, nodes: int | None, wanted: Sequence[str] = ()) -> list[str]:
    """The salloc command that holds an allocation until its standard input ends; raises RequestError.

    salloc uses the last value of an option, so the `wanted` nodes override the user's options.
    """
    try:
        own = shlex.split(options)
    except ValueError as error:
        raise RequestError(
            f"slurm:{options}: not options of salloc: {error}", "slurm:--partition=debug"
        ) from None
    count = [] if nodes is None else [f"--nodes={nodes}"]
    same = [f"--nodes={len(wanted)}", f"--nodelist={','.join(wanted)}"] if wanted else []
    return ["salloc", *count, *own, *same, "sh", "-c", _HOLD]


def open_slurm(
    options: str,
    nodes: int | None,
    ports: PortRange | None,
    may_ask: bool,
    wanted: Sequence[str] = (),
) -> Hosts:
    """The nodes of the allocation in which this runs, or of one that is requested now; raises RequestError."""
    inherited = Allocation.inherited(os.environ)
    if inherited and options:
        raise RequestError(
            f"slurm:{options}: this runs in job {inherited.job} already", "leave the options out"
        )
    command = allocation_command(options, nodes, wanted)
    if not inherited and not may_ask:
        raise RequestError(
            "slurm: which nodes Slurm gives is known only when it has given them",
            f"it would be asked with `{_shown(command)}`",
        )
    allocation = inherited or Allocation.request(command)
    try:
        return _testbed(allocation, _chosen(allocation, nodes, wanted), ports)
    except BaseException:
        allocation.release()
        raise


def _chosen(allocation: Allocation, nodes: int | None, wanted: Sequence[str]) -> list[str]:
    """The nodes of a resumed run, or the first ones; raises RequestError if the job has too few."""
    if missing := [name for name in wanted if name not in allocation.nodes]:
        raise RequestError(
            f"job {allocation.job} has no {missing[0]}, on which this run was measured",
            f"resume it outside of the job, or in one with salloc --nodelist={','.join(wanted)}",
        )
    if nodes is not None and nodes > len(allocation.nodes):
        raise RequestError(
            f"--nodes {nodes}: job {allocation.job} has {len(allocation.nodes)}",
            "ask Slurm for more, or weft for less",
        )
    return list(wanted) or allocation.nodes[:nodes]


def _testbed(allocation: Allocation, chosen: list[str], ports: PortRange | None) -> Hosts:
    addresses = _node_addresses(chosen)
    launcher = Srun(allocation.job)
    places = {name: (NetworkAddress(address=at),) for name, at in addresses.items() if at != name}
    hosts = [RemoteHost(name, name, places.get(name, ()), launcher, ports) for name in chosen]
    return Hosts("slurm", f"job {allocation.job}", hosts, on_close=allocation.release)


def _node_addresses(names: list[str]) -> dict[str, str]:
    """The address of each node in Slurm (NodeAddr); empty if the controller does not answer."""
    done = ask(["scontrol", "--oneliner", "show", "node", ",".join(names)], _ASK_S)
    found = {}
    for line in done.stdout.splitlines() if done else ():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if {"NodeName", "NodeAddr"} <= words.keys():
            found[words["NodeName"]] = words["NodeAddr"]
    return found
