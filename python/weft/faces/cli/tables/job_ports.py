"""Output of `weft ports`: connections by phase, counts, rules, and results of a check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console

from weft.base.nodeset import fold
from weft.faces.cli.tables.layout import plain_table, terminal, titled
from weft.operate.job_ports.ask import PortsAnswer
from weft.operate.job_ports.check import RefusedConnection, RulesVerdict
from weft.operate.job_ports.connection import PHASES, JobConnection, PortUsage
from weft.operate.job_ports.study import StudyCount


def print_answer(answer: PortsAnswer, firewall: str) -> None:
    """Print an answer, with the rules for one kind of firewall."""
    console = terminal(soft_wrap=True)
    _print_usage(console, answer.usage)
    rows = [
        (one.phase, one.node, str(one.tcp), str(one.udp), str(one.privileged))
        for one in answer.counts
    ]
    table = plain_table("", "", "TCP", "UDP", "privileged", rows=rows)
    titled(console, "ports per remote machine", table)
    _print_study(console, answer.study)
    titled(console, f"{len(answer.rules)} rules let it pass")
    for rule in answer.rules:
        console.print(f" {rule.text}  ({rule.purpose})")
    if any(rule.is_chosen for rule in answer.rules):
        console.print(
            " any port may be chosen: --ports 40000-40063 keeps Open MPI and MPICH to a range"
        )
    for text in (
        [answer.nftables] if firewall == "nftables" else [answer.iptables, answer.ip6tables]
    ):
        if text:
            titled(console, firewall, *text.rstrip().splitlines())
    if answer.pins:
        lines = [f"{key}={value}" for key, value in answer.pins.items()]
        titled(console, "settings that keep it to these ports", *lines)
    _print_verdicts(console, answer)


def _print_usage(console: Console, usage: PortUsage) -> None:
    ranks = sum(usage.ranks.values())
    where = f"{ranks} ranks on {fold(usage.ranks)}" if ranks else "no ranks seen"
    how = "did not end" if usage.status is None else f"status {usage.status}"
    console.print(f"{how} after {usage.seconds:.1f} s, started on {usage.launcher}, {where}")
    for node, (period_ms, why_not) in usage.polled.items():
        console.print(f"{node} is read every {period_ms} ms only: {why_not}")
    if usage.left:
        left = ", ".join(f"{one.program} on {one.node} (pid {one.pid})" for one in usage.left)
        console.print(f"still running when the job had ended: {left}")
    rows = [row for phase in PHASES for row in _rows(usage.connections, phase)]
    titled(console, "connections between nodes", *(list(_aligned(rows)) or [" none"]))
    outside = sorted({(one.node, one.program, one.address, one.port) for one in usage.outside})
    if outside:
        lines = [
            f" {node}: {program} to {address}:{port}" for node, program, address, port in outside
        ]
        titled(console, "to other addresses, which these rules say nothing of", *lines)


def _print_study(console: Console, counts: Iterable[StudyCount]) -> None:
    rows = [
        (one.what, *map(str, (one.ssh_tcp, one.daemon_tcp, one.udp, one.launch, one.job_tcp)))
        for one in counts
    ]
    heads = ("ssh TCP", "daemon TCP", "UDP", "launch", "then TCP")
    titled(console, "as a published study counts", plain_table("", *heads, rows=rows))


def _rows(connections: Iterable[JobConnection], phase: str) -> list[list[str]]:
    """The connections of a phase, with equal ones merged."""
    found: dict[tuple[str, ...], int] = {}
    for one in connections:
        if one.phase == phase:
            port = (
                str(one.port)
                + (" privileged" if one.is_privileged else "")
                + (" any" if one.is_chosen else "")
            )
            ends = (
                f"{one.client} {one.client_program or '?'}",
                f"{one.server} {one.server_program or '?'}",
            )
            key = (phase, one.protocol, ends[0], f"to {ends[1]}", port)
            found[key] = found.get(key, 0) + 1
    return [[*key, f"{times} times"] for key, times in found.items()]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines that a narrow terminal does not break inside a column."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    return [f" {'  '.join(row)}".rstrip() for row in cells]


def _print_verdicts(console: Console, answer: PortsAnswer) -> None:
    if answer.verdict is None:
        if answer.usage.status != 0:
            console.print(
                "\nThe job failed where nothing was dropped: rules may be missing, and none were checked."
            )
        return
    titled(console, "with all else dropped")
    console.print(f" all {len(answer.rules)} rules: {_said(answer.verdict)}")
    for one in answer.without:
        assert one.without is not None
        console.print(f" without {one.without.text}: {_said(one)}")


def _said(verdict: RulesVerdict) -> str:
    if verdict.passed:
        return f"passes in {verdict.seconds:.1f} s{_flaky(verdict)}"
    how = f"status {verdict.status}" if verdict.status is not None else "does not end"
    missing = _together(verdict.refused) or "nothing: none was dropped that a rule could let in"
    return f"fails ({how} after {verdict.seconds:.1f} s){_flaky(verdict)}: missing {missing}"


def _flaky(verdict: RulesVerdict) -> str:
    if not verdict.is_flaky:
        return ""
    passed = int(verdict.passed)
    return f", {passed} of {verdict.runs} runs passed, the others failed though nothing was dropped"


def _together(refused: Iterable[RefusedConnection]) -> str:
    return "; ".join(one.text for one in refused)
