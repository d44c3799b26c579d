"""Verifies rules: the job is run again on a lab in which everything else is dropped."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from weft.measure.testbed.base import Node
from weft.measure.testbed.event_loop import run_to_end
from weft.operate.job_ports import firewall
from weft.operate.job_ports.job import running
from weft.operate.job_ports.rules import PortRule
from weft.operate.job_ports.stage import NamedLab

MOST_RUNS = 3


class RefusedConnection(Struct, frozen=True, order=True):
    """A connection that no rule allowed."""

    protocol: str
    client: str
    server: str
    port: int

    @property
    def text(self) -> str:
        """The connection as text."""
        return f"{self.protocol} from {self.client} to {self.server}, port {self.port}"


class RulesVerdict(Struct, frozen=True, kw_only=True):
    """How the job ended under rules; `without` is the rule that was left out, if any.

    `status` is None if the job did not end in time. `refused` are the connections that no rule allowed, which are
    missing if the job failed. Of `runs`, all but the last failed although nothing was dropped.
    """

    passed: bool
    status: int | None
    seconds: float
    refused: tuple[RefusedConnection, ...]
    without: PortRule | None = None
    runs: int = 1

    @property
    def is_flaky(self) -> bool:
        """Whether the job also fails for reasons other than the rules."""
        return self.runs > 1

    @property
    def names_the_rule(self) -> bool:
        """Whether exactly what the omitted rule allows was refused."""
        rule = self.without
        return bool(rule and self.refused) and all(
            rule.lets_in(one.protocol, one.client, one.server, one.port)
            for one in self.refused
            if rule
        )


def patience_s(seconds: float) -> float:
    """How long a job that took this long may take under rules: some retry what was dropped."""
    return 3 * seconds + 10


def check(
    stage: NamedLab,
    command: Sequence[str],
    rules: Sequence[PortRule],
    patience: float,
    environment: Mapping[str, str],
) -> RulesVerdict:
    """Run the job with these rules on all nodes; raises WorkError. If it fails although nothing was dropped, the rules
    are not the cause, and it is run again."""
    runs = 1
    verdict = _try(stage, command, rules, patience, environment)
    while runs < MOST_RUNS and not (verdict.passed or verdict.refused):
        verdict = _try(stage, command, rules, patience, environment)
        runs += 1
    return msgspec.structs.replace(verdict, runs=runs)


def _try(
    stage: NamedLab,
    command: Sequence[str],
    rules: Sequence[PortRule],
    patience: float,
    environment: Mapping[str, str],
) -> RulesVerdict:
    stage.wait_until_ready()
    text = firewall.nftables(rules, keeps_refused=True)
    try:
        for node in stage.nodes:
            stage.run(node, ["nft", "-f", "-"], text)
        began = time.monotonic()
        argv = stage.enter(stage.nodes[0], command)
        status = run_to_end(_run(argv, environment, patience))
        seconds = round(time.monotonic() - began, 3)
        refused = sorted({one for node in stage.nodes for one in _refused(stage, node)})
    finally:
        stage.clear()
        for node in stage.nodes:
            stage.run(node, ["nft", "-f", "-"], _AWAY)
    return RulesVerdict(passed=status == 0, status=status, seconds=seconds, refused=tuple(refused))


_AWAY = f"table inet {firewall.TABLE} {{}}\ndelete table inet {firewall.TABLE}\n"
"""Deletes the table whether it exists or not."""


def check_each(
    stage: NamedLab,
    command: Sequence[str],
    rules: Sequence[PortRule],
    patience: float,
    environment: Mapping[str, str],
) -> list[RulesVerdict]:
    """Run the job without each of the rules in turn; raises WorkError."""
    found = []
    for rule in rules:
        others = [one for one in rules if one is not rule]
        verdict = check(stage, command, others, patience, environment)
        found.append(msgspec.structs.replace(verdict, without=rule))
    return found


async def _run(argv: Sequence[str], environment: Mapping[str, str], patience: float) -> int | None:
    async with running(argv, environment, is_quiet=True) as job:
        return await job.wait(patience)


def _refused(stage: NamedLab, node: Node) -> list[RefusedConnection]:
    """The refused connections that the kernel of a node has recorded."""
    by_address = {address: one.name for one in stage.nodes for address in one.places}
    found = []
    for name in (firewall.REFUSED, f"{firewall.REFUSED}6"):
        listed = stage.run(node, ["nft", "-j", "list", "set", "inet", firewall.TABLE, name])
        sets = [one["set"] for one in msgspec.json.decode(listed)["nftables"] if "set" in one]
        for element in sets[0].get("elem", []):
            protocol, address, port = element["concat"]
            # Neighbours ask each other for names and routes at addresses that belong to no node.
            if address in by_address:
                found.append(RefusedConnection(protocol, by_address[address], node.name, port))
    return found
