"""What a dead link under a bond does to a stream: datagrams at a fixed interval while links fail and come back."""

from __future__ import annotations

import re
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from weft.base.errors import WorkError
from weft.measure.testbed.base import Node
from weft.measure.testbed.vm.bond import NAME
from weft.measure.testbed.vm.cable import set_carriers
from weft.measure.testbed.vm.testbed import GuestLab

PORT = 7007
EVERY_MS = 2.0
"""Interval between datagrams; gaps are known at best to this precision."""
BEFORE_S = 0.5
AFTER_S = 1.0
"""How long the stream goes on after both bonds have seen a change."""
CHANGED_WITHIN_S = 60.0
LONGEST_MS = 300_000

What = Literal["cut", "back"]


class FailoverEvent(Struct, frozen=True):
    """A link that failed or came back while datagrams went from the first node to the second.

    `gap_ms` is the longest time in which none arrived. `disturbed_ms` lasts from the last datagram before the first
    loss to the first after the last loss. Both are measured in sending times. `active` is the interface in use
    afterwards, by node; "" if the mode uses all.
    """

    what: What
    interface: str
    lost: int
    received: int
    gap_ms: float
    disturbed_ms: float
    active: dict[str, str]
    down: dict[str, list[str]]
    """For each node, the interfaces that its bond reports as down."""


class Failover(Struct, frozen=True):
    """All events of a bond, and how they were measured."""

    mode: str
    miimon_ms: int
    every_ms: float
    events: list[FailoverEvent]


class _Heard(Struct, frozen=True):
    received: int
    lost: int
    gap_ns: int
    disturbed_ns: int


class BondState(Struct, frozen=True):
    """The state in /proc/net/bonding: mode, polling interval in ms, active member ("" if all are in use), and members
    that are down."""

    mode: str
    miimon_ms: int
    active: str
    down: list[str]


def measure_failover(lab: GuestLab, times: int, tell: Callable[[str], None]) -> Failover:
    """Cut the active link and restore it, `times` times; raises WorkError."""
    nodes = lab.nodes[:2]
    events: list[FailoverEvent] = []
    state = bond_state(lab, nodes[0])
    for number in range(times):
        interface = _number_of(bond_state(lab, nodes[0]).active)
        for what in ("cut", "back"):
            tell(f"{number + 1} of {times}: eth{interface} {what}")
            events.append(_watch(lab, nodes, interface, what))
    return Failover(state.mode, state.miimon_ms, EVERY_MS, events)


def bond_state(lab: GuestLab, node: Node) -> BondState:
    """The state of a node's bond; raises WorkError."""
    return parse_bond(_output(lab, node, ["cat", f"/proc/net/bonding/{NAME}"]))


def parse_bond(text: str) -> BondState:
    """Parse a file of /proc/net/bonding; raises WorkError if it has another format."""
    head, *members = re.split(r"^Slave Interface: ", text, flags=re.MULTILINE)
    found = re.search(r"^MII Polling Interval \(ms\): (\d+)", head, re.MULTILINE)
    mode = re.search(r"^Bonding Mode: (.+)$", head, re.MULTILINE)
    if not (found and mode):
        raise WorkError(f"this is not a bond's state: {text[:80]!r}")
    active = re.search(r"^Currently Active Slave: (\S+)", head, re.MULTILINE)
    down = [one.split("\n", 1)[0] for one in members if "MII Status: up" not in one]
    return BondState(mode[1], int(found[1]), active[1] if active else "", down)


def _watch(lab: GuestLab, nodes: list[Node], interface: int, what: What) -> FailoverEvent:
    """One event in the middle of a stream, which ends some time after both bonds have seen the change."""
    address = f"{nodes[1].bond}:{PORT}"
    every = ["--every-us", f"{EVERY_MS * 1000:.0f}", "--for-ms", str(LONGEST_MS)]
    beat, hear = ["beat", "--to", address, *every], ["hear", "--at", address]
    with _started(lab, nodes[1], hear) as receiver, _started(lab, nodes[0], beat):
        _await_first(receiver, nodes[1])
        time.sleep(BEFORE_S)
        folder = Path(lab.guests_folder)
        set_carriers(folder, [node.name for node in nodes], interface, what == "back")
        states = {node.name: _changed(lab, node, interface, what) for node in nodes}
        time.sleep(AFTER_S)
        said, _ = receiver.communicate(timeout=CHANGED_WITHIN_S)
    heard = msgspec.json.decode(said, type=_Heard)
    return FailoverEvent(
        what,
        f"eth{interface}",
        heard.lost,
        heard.received,
        heard.gap_ns / 1e6,
        heard.disturbed_ns / 1e6,
        {name: _interface_of(state.active) for name, state in states.items()},
        {name: [_interface_of(one) for one in state.down] for name, state in states.items()},
    )


def _await_first(receiver: subprocess.Popen[str], node: Node) -> None:
    """Wait until a datagram has arrived; raises WorkError."""
    assert receiver.stdout
    readable, _, _ = select.select([receiver.stdout], [], [], CHANGED_WITHIN_S)
    if not readable or receiver.stdout.readline() != "hearing\n":
        raise WorkError(f"{node.name}: no datagram arrived over its bond")


def _changed(lab: GuestLab, node: Node, interface: int, what: What) -> BondState:
    """The state of a bond after it has seen the change; raises WorkError if it does not."""
    deadline = time.monotonic() + CHANGED_WITHIN_S
    while time.monotonic() < deadline:
        state = bond_state(lab, node)
        if (f"member{interface}" in state.down) == (what == "cut"):
            return state
        time.sleep(0.1)
    raise WorkError(
        f"{node.name}: its bond did not see within {CHANGED_WITHIN_S:g} s that eth{interface} has "
        f"{'no' if what == 'cut' else 'a'} carrier"
    )


@contextmanager
def _started(lab: GuestLab, node: Node, words: list[str]) -> Iterator[subprocess.Popen[str]]:
    command = lab.inside(node, ["weft-lab", *words])
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _output(lab: GuestLab, node: Node, words: list[str]) -> str:
    done = subprocess.run(
        lab.inside(node, words),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=CHANGED_WITHIN_S,
        check=False,
    )
    if done.returncode:
        raise WorkError(f"{node.name}: {done.stderr.strip()}")
    return done.stdout


def _number_of(member: str) -> int:
    """The number of the interface below a bond's member; the first if the mode uses all."""
    return int(member.removeprefix("member") or 0)


def _interface_of(member: str) -> str:
    return f"eth{_number_of(member)}" if member else ""
