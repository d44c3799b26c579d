"""`weft ports` as one call: watch a job, derive its rules, and verify them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.testbed.open import open_testbed
from weft.operate.job_ports import firewall
from weft.operate.job_ports.check import RulesVerdict, check, check_each, patience_s
from weft.operate.job_ports.connection import PortUsage
from weft.operate.job_ports.counts import ConnectionCount, counts
from weft.operate.job_ports.hosts_named import hosts_named
from weft.operate.job_ports.job import ending_with_us
from weft.operate.job_ports.observe import Command, observe
from weft.operate.job_ports.pins import Pins
from weft.operate.job_ports.rules import PortRule, rules_of
from weft.operate.job_ports.stage import Stage, StageService, named_fabric, staged
from weft.operate.job_ports.study import PUBLISHED, StudyCount, as_in_the_study


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


def _stage(on: str, question: PortsQuestion) -> AbstractContextManager[Stage]:
    def services(names: Sequence[str]) -> list[StageService]:
        return [StageService.parse(one, names) for one in question.services]

    return staged(on.removeprefix("lab:"), services, question.ready)


def _observed(
    stage: Stage | None, on: str, question: PortsQuestion, pins: Pins | None
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


def _checked(stage: Stage, question: PortsQuestion, answer: PortsAnswer) -> PortsAnswer:
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


def _at(stage: Stage, usage: PortUsage) -> PortUsage:
    """The same connections at the addresses of a stage's nodes."""
    address = {one.name: one.address for one in stage.nodes}
    connections = tuple(
        replace(one, client_address=address[one.client], server_address=address[one.server])
        for one in usage.connections
    )
    return replace(usage, connections=connections, addresses=address)
