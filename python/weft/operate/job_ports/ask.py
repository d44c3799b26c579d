"""`weft ports` as one call: watch a job, derive its rules, and verify them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.mpi.command import port_settings
from weft.measure.testbed.open import open_testbed
from weft.measure.testbed.ports import PortRange
from weft.operate.job_ports import firewall
from weft.operate.job_ports.check import RulesVerdict, check, check_each, patience_s
from weft.operate.job_ports.connection import PHASES, JobConnection, Phase, PortUsage
from weft.operate.job_ports.job import ending_with_us
from weft.operate.job_ports.observe import Command, observe
from weft.operate.job_ports.rules import PortRule, rules_of
from weft.operate.job_ports.stage import LabService, NamedLab, named_fabric, staged
from weft.operate.job_ports.study import PUBLISHED, StudyCount, as_in_the_study


class ConnectionCount(Struct, frozen=True, kw_only=True):
    """Connections between a remote machine and any other, or its UDP ports, that were opened in a phase."""

    phase: Phase
    node: str
    tcp: int
    udp: int
    privileged: int


def counts(usage: PortUsage) -> list[ConnectionCount]:
    """Counts for each phase and remote machine, or for the starting machine if there is no other."""
    remote = usage.nodes[1:] or usage.nodes
    return [
        _count(phase, node, [one for one in usage.connections if one.phase == phase])
        for phase in PHASES
        for node in remote
    ]


def _count(phase: Phase, node: str, connections: Iterable[JobConnection]) -> ConnectionCount:
    mine = [one for one in connections if node in (one.client, one.server)]
    udp = {(one.server, one.port) for one in mine if one.protocol == "udp" and one.server == node}
    return ConnectionCount(
        phase=phase,
        node=node,
        tcp=sum(one.protocol == "tcp" for one in mine),
        udp=len(udp),
        privileged=len({(one.server, one.port) for one in mine if one.is_privileged}),
    )


class PortsQuestion(Struct, frozen=True, kw_only=True):
    """A job's command and how to watch it: `on` a testbed ("" if the command names its nodes), with `ports` to keep to,
    and whether to `check` the rules together and `each` of them. A run is ended after `limit_s`. On a lab there are
    `services`, and `ready` is a command that says when jobs may start."""

    command: tuple[str, ...]
    on: str = ""
    ports: str = ""
    check: bool = False
    each: bool = False
    limit_s: float | None = None
    services: tuple[str, ...] = ()
    ready: str = ""


class PortsAnswer(Struct, frozen=True, kw_only=True):
    """What the job used and the rules that allow it, also as firewall rules; the `verdict` with all rules and `without`
    each, if requested, unless the job fails anyway. `study` has published counts and the job's own in the same terms.
    """

    usage: PortUsage
    counts: list[ConnectionCount]
    study: list[StudyCount]
    rules: list[PortRule]
    nftables: str
    iptables: str
    ip6tables: str
    pins: dict[str, str]
    verdict: RulesVerdict | None = None
    without: list[RulesVerdict] = []

    @property
    def is_good(self) -> bool:
        """Whether the job passed (with the rules too, if checked) and failed without each rule."""
        checked = self.verdict is None or self.verdict.passed
        return self.usage.status == 0 and checked and not any(one.passed for one in self.without)


def ask(question: PortsQuestion) -> PortsAnswer:
    """Watch the job, and check its rules if requested; raises RequestError and WorkError. Whatever ends this process
    ends the job first."""
    with ending_with_us():
        return _ask(question)


def _ask(question: PortsQuestion) -> PortsAnswer:
    if question.limit_s is not None and not question.limit_s > 0:
        raise RequestError(f"--limit {question.limit_s:g}: must be more than 0", "give seconds")
    pins = Pins.parse(question.ports) if question.ports else None
    on = question.on or _by_command(question.command)
    with ExitStack() as stack:
        stage = stack.enter_context(_stage(on, question)) if on.startswith("lab:") else None
        usage = _observed(stage, on, question, pins)
        rules = rules_of(usage, pins.ranges if pins else ())
        answer = PortsAnswer(
            usage=usage,
            counts=counts(usage),
            study=[PUBLISHED, as_in_the_study(usage)],
            rules=rules,
            nftables=firewall.nftables(rules),
            iptables=firewall.iptables(rules),
            ip6tables=firewall.iptables(rules, 6),
            pins=pins.environment if pins else {},
        )
        firewall.refuse_unloadable(answer.nftables, answer.iptables, answer.ip6tables)
        if not (question.check or question.each) or usage.status != 0:
            return answer
        if stage is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            stage = stack.enter_context(
                _stage(f"lab:{named_fabric(folder, usage.nodes)}", question)
            )
        return _checked(stage, question, answer)


def _by_command(command: Sequence[str]) -> str:
    names = hosts_named(command)
    if not names:
        raise RequestError(
            "the command names no nodes, and there is no --on",
            "--on ssh:a,b, or --on lab:FABRIC; --host a,b and -w a,b in the command are understood",
        )
    return f"ssh:{','.join(names)}"


def _stage(on: str, question: PortsQuestion) -> AbstractContextManager[NamedLab]:
    def services(names: Sequence[str]) -> list[LabService]:
        return [LabService.parse(one, names) for one in question.services]

    return staged(on.removeprefix("lab:"), services, question.ready)


def _observed(
    stage: NamedLab | None, on: str, question: PortsQuestion, pins: Pins | None
) -> PortUsage:
    settings = pins.environment if pins else {}
    command, limit_s = question.command, question.limit_s
    if stage is not None:
        argv = stage.enter(stage.nodes[0], command)
        usage = observe(stage.testbed, Command(argv, stage.environment | settings, False, limit_s))
        stage.clear()
        return usage
    with open_testbed(on) as testbed:
        if testbed.is_computed:
            raise RequestError(f"--on {on}: no job runs there", "give real nodes, or lab:FABRIC")
        return observe(testbed, Command(command, {**os.environ, **settings}, True, limit_s))


def _checked(stage: NamedLab, question: PortsQuestion, answer: PortsAnswer) -> PortsAnswer:
    """The answer with verdicts, for the addresses of the stage, which may stand for other machines."""
    usage = _at(stage, answer.usage)
    pins = Pins.parse(question.ports) if question.ports else None
    rules = rules_of(usage, pins.ranges if pins else ())
    environment = stage.environment | answer.pins
    patience = question.limit_s or patience_s(usage.seconds)
    how = (stage, question.command, rules, patience, environment)
    verdict = check(*how)
    without = check_each(*how) if question.each and verdict.passed else []
    return replace(answer, verdict=verdict, without=without)


def _at(stage: NamedLab, usage: PortUsage) -> PortUsage:
    """The same connections at the addresses of a stage's nodes."""
    address = {one.name: one.address for one in stage.nodes}
    connections = tuple(
        replace(one, client_address=address[one.client], server_address=address[one.server])
        for one in usage.connections
    )
    return replace(usage, connections=connections, addresses=address)


_OPTIONS = {"--host", "-host", "-H", "--hosts", "-hosts", "-w", "--nodelist"}


def hosts_named(command: Sequence[str]) -> list[str]:
    """The nodes after --host and similar options, without their slots (a:2); empty if there is no such option."""
    for at, word in enumerate(command):
        option, is_joined, value = word.partition("=")
        if option in _OPTIONS:
            names = value if is_joined else "".join(command[at + 1 : at + 2])
            return [one.partition(":")[0] for one in names.split(",") if one]
    return []


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
