"""The main functions of weft: agents that measure, labs to measure in, simulators."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress

from weft.base import binaries
from weft.base.errors import WeftError, message_of
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import SocketsReply, SocketWatchReply
from weft.measure.testbed.agent.request import NoMoreBatches, Sockets
from weft.measure.testbed.hosts.program import agent_programs
from weft.measure.testbed.lab.testbed import open_lab
from weft.measure.testbed.open import open_testbed
from weft.operate.doctor.row import DoctorRow, answer

AREA = "weft"
LAB = "fast-ethernet-pair"
"""A fabric with rates and delays, so that every part of a lab is tried."""
_TRANSPORTS = {
    "icmp": "sysctl -w net.ipv4.ping_group_range='0 2147483647', or run weft as root",
    "mptcp": "sysctl -w net.mptcp.enabled=1",
    "tcp-busy-poll": "run weft as root",
    "tcp-uring": "sysctl -w kernel.io_uring_disabled=0",
}
"""How to get each transport, unless a newer kernel is enough."""
_BUILD = "`make setup` in a checkout, or a wheel for this machine"


def main_job() -> Iterator[DoctorRow]:
    """Rows about the main functions, each of which is tried."""
    yield _tried("simulators", _simulator, "weft run PLAN --on sim:FABRIC or node:MACHINE", _BUILD)
    yield from _agent()
    yield _sockets()
    yield _tried(
        "labs", _lab, "weft demo, weft run PLAN --on lab:FABRIC", "see the rows about the kernel"
    )
    yield _architectures()


def works(rows: list[DoctorRow]) -> bool:
    """Whether weft can measure or simulate anything here."""
    main = ("simulators", "agent")
    return any(row.area == AREA and row.what in main and row.state == "yes" for row in rows)


def _tried(what: str, attempt: Callable[[], list[str]], needed_for: str, get: str) -> DoctorRow:
    """A row about an attempt that succeeds, perhaps with warnings, or raises."""
    try:
        warnings = attempt()
    except (WeftError, OSError) as error:
        hint = getattr(error, "hint", "")
        return DoctorRow(AREA, what, "no", message_of(error), needed_for, hint or get)
    if warnings:
        return DoctorRow(AREA, what, "partly", "; ".join(warnings), needed_for, get)
    return DoctorRow(AREA, what, "yes", "tried", needed_for)


def _simulator() -> list[str]:
    with open_testbed("sim:pair") as testbed:
        assert testbed.is_computed
    return []


def _lab() -> list[str]:
    with open_lab(LAB) as lab:
        return [f"{warning.message} ({warning.hint})" for warning in lab.warnings]


def _agent() -> Iterator[DoctorRow]:
    """An agent on this machine, and the transports that it finds."""
    try:
        transports = asyncio.run(_transports())
    except (WeftError, AgentError, OSError) as error:
        get = getattr(error, "hint", "") or _BUILD
        yield DoctorRow(
            AREA,
            "agent",
            "no",
            message_of(error),
            "weft run PLAN --on local:, lab: or real nodes",
            get,
        )
        return
    yield DoctorRow(AREA, "agent", "yes", "tried", "weft run PLAN --on local:, lab: or real nodes")
    for name, why_not in sorted(transports.items()):
        get = _TRANSPORTS.get(name, "a newer kernel") if why_not else ""
        seen = why_not or "tried"
        yield DoctorRow(
            "transports", name, answer(not why_not), seen, f"weft run PLAN --transport {name}", get
        )


def _sockets() -> DoctorRow:
    """Whether an agent sees all sockets, however short-lived."""
    what, needed_for = "sockets of jobs", "weft ports"
    try:
        said = asyncio.run(_watching())
    except (WeftError, AgentError, OSError) as error:
        get = getattr(error, "hint", "") or "modprobe tcp_diag udp_diag"
        return DoctorRow(AREA, what, "no", message_of(error), needed_for, get)
    if said.why_not:
        seen = f"read every {said.period_ms} ms only: {said.why_not}"
        return DoctorRow(AREA, what, "partly", seen, needed_for, "run weft as root")
    return DoctorRow(AREA, what, "yes", "tried, with the kernel's tracepoint", needed_for)


async def _watching() -> SocketWatchReply:
    agent = await Agent.start("this machine", [str(binaries.find("weft-probe"))])
    try:
        await agent.send(Sockets())
        said = await agent.expect(SocketWatchReply)
        await agent.send(NoMoreBatches())
        await agent.expect(SocketsReply)
    finally:
        await agent.close()
    return said


async def _transports() -> dict[str, str | None]:
    agent = await Agent.start("this machine", [str(binaries.find("weft-probe"))])
    await agent.close()
    return agent.transports


def _architectures() -> DoctorRow:
    needed_for, here = "nodes of other architectures than this machine's", os.uname().machine
    machines: list[str] = []
    with suppress(WeftError, OSError):
        machines = list(agent_programs())
    get = (
        ""
        if len(machines) > 1
        else "a wheel with their agents (`make wheel`), or `agent` in a host file"
    )
    seen = f"for {' and '.join(machines)}" if machines else f"none, not even for {here}"
    return DoctorRow(
        AREA,
        "agents for other architectures",
        "yes" if len(machines) > 1 else "partly",
        seen,
        needed_for,
        get,
    )
