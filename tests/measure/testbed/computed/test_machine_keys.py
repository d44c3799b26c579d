"""Each key of a machine changes what is computed, or is refused because another key leaves it idle."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.here import weft
from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.measure.testbed.computed.node import open_nodes
from weft.plan.load import load_plan
from weft.plan.plan import Step, to_json

LABELS = {"name", "title"}
"""They name things and compute nothing."""
TABLES = ("memory", "io_bus", "nic", "interrupts", "link", "sockets", "costs", "costs.remote")
VALUES: dict[str, list[str]] = {
    "memory.model": ["mean", "caches"],
    "memory.collision": ["10 us"],
    "memory.hit_rate": ["0.5"],
    "io_bus.burst": ["64 B"],
    "nic.location": ["bridge", "io-bus"],
    "nic.ring": ["1600 B", "9100 B"],
    "nic.pause": ["false"],
    "nic.mtu_bytes": ["1000"],
    "nic.coalesce_frames": ["64", "1"],
    "nic.coalesce_time": ["300 us"],
    "nic.interrupt_rate": ["1 kHz"],
    "nic.event": ["frame", "ring"],
    "nic.large_send": ["4 KiB", "16 KiB"],
    "nic.merge": ["2 KiB", "20 KiB"],
    "nic.hit_rate": ["0.5"],
    "nic.hit": ["0 ns"],
    "nic.miss": ["1 us"],
    "interrupts.timer": ["100 kHz"],
    "sockets.send_buffer": ["8 KiB"],
    "sockets.receive_buffer": ["8 KiB"],
    "sockets.delayed_ack": ["1 us"],
    "sockets.backlog": ["1"],
    "sockets.large_sends": ["64"],
    "sockets.send_in_place": ["true", "false"],
    "application.cycles_per_byte": ["5"],
    "memory.caches.L1D.policy": ["back"],
    "memory.caches.L1D.line": ["32 B"],
}
"""Values that show; of other keys half of the value and twice as much, and something where there is nothing."""
BESIDE = {
    "nic.pause": ("nic.ring", ["1600 B", "9100 B", "4200 B"]),
    "memory.caches.L1I.ways": ("memory.caches.L1I.size", ["2 KiB"]),
    "memory.caches.L2.ways": ("memory.caches.L2.size", ["16 KiB"]),
}
"""Keys that show beside another one."""
CHOICES = {"memory.model", "nic.event"}
"""Of which a machine may have the only one that is possible."""
STOP = {"rule": "count", "repeats": 4, "trials": 1}
RESULTS = ("rows", "occupation", "categories", "cache_hits", "deliveries", "failures")
WALKED = [
    ("p4-400", "base", {"nic.large_send": "64 KiB", "nic.mtu_bytes": "1500"}),
    ("p4-400", "offload", {}),
    ("p4-400", "onload", {"memory.model": "caches"}),
    ("server-100g", "tso-gro", {}),
    ("opteron-4nic", "native", {}),
]


def step(pattern: str, transport: str, sizes: list[str], **more: Any) -> Step:
    one = {"name": "s", "pattern": pattern, "transport": transport, "sizes": sizes, "stop": STOP}
    plan = {"name": "x", "title": "x", "launches": 1, "steps": [one | more]}
    (found,) = load_plan(plan).steps
    return found


STEPS = [
    step("pingpong", "tcp", ["1 B", "64 KiB"]),
    step("stream", "tcp", ["100 B", "64 KiB"]),
    step("stream", "tcp", ["64 KiB"], options={"receive_buffer": "16 KiB"}),
    step("stream", "udp", ["1 KiB", "20 KiB"], stop=STOP | {"repeats": 40}),
    step("pingpong", "mpi", ["1 KiB", "40 KiB"], options={"mpi": "mpich"}),
]


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and values; items of lists by name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, f"{path}.{inner['name']}")
    else:
        yield path, value


def others(key: str, value: Any) -> list[str]:
    if key in VALUES:
        return VALUES[key]
    if isinstance(value, bool):
        return [str(not value).lower()]
    if isinstance(value, (int, float)):
        return [str(value * 2 + 2), str(value * 2 + 0.1), str(value // 2), str(value / 2)]
    amount = re.fullmatch(r"([\d.]+) (.+)", str(value))
    if amount is None:
        return []
    number, unit = float(amount[1]), amount[2]
    return [f"{one:g} {unit}" for one in (number * 2 + 1, number * 2, number / 2)]


class Walked:
    """A machine of the catalogue with a placement and some keys changed."""

    def __init__(self, machine: str, placement: str, changes: dict[str, str]) -> None:
        self.text = catalog.read(catalog.find("machine", machine))
        self.placement = placement
        self.changes = list(changes.items())
        self.base = self.load()
        self.usual = [self._result(self.base, one) for one in STEPS]

    def load(self, *changes: tuple[str, str]) -> _core.Machine:
        return _core.Machine.load(self.text, "m", self.placement, [*self.changes, *changes])

    def _result(self, machine: _core.Machine, one: Step) -> Any:
        try:
            found = machine.simulate(to_json(one), 0, machine.phase_count(to_json(one)))
        except RequestError as error:
            return str(error)
        return [found.get(name) for name in RESULTS]

    def keys(self) -> dict[str, Any]:
        said = dict(leaves(tomllib.loads(self.text)))
        return {key: said.get(key) for key in [*said, *self.optional()] if self.is_physical(key)}

    def optional(self) -> Iterator[str]:
        """What a table may have beside what this machine says, as its refusal of a key lists it."""
        yield "application.cycles_per_byte"
        for table in TABLES:
            with pytest.raises(_core.RefusedError) as error:
                self.load((f"{table}.no-such-key", "1"))
            listed = str(error.value).split("known here: ")[1]
            yield from (f"{table}.{name}" for name in re.findall(r"[a-z_]+", listed))

    def is_physical(self, key: str) -> bool:
        """Caches, which take long, change what is in memory only."""
        if self.base.caches() and key.split(".")[0] not in ("memory", "footprints", "processors"):
            return False
        is_table = key in ("costs.remote", "memory.caches")
        return (
            not is_table and key.split(".")[-1] not in LABELS and not key.startswith("placements")
        )

    def changed(self, key: str, value: Any) -> bool | None:
        """Whether some other value changes a result; None where no other value is possible."""
        found = []
        for other in others(key, 0 if value is None else value):
            found += [self._differs((key, other), beside) for beside in self._beside(key)]
            if True in found:
                return True
        is_only = key in CHOICES and None in found
        return False if False in found and not is_only else None

    def _beside(self, key: str) -> Iterator[list[tuple[str, str]]]:
        name, values = BESIDE.get(key, ("", []))
        yield from ([(name, one)] for one in values) if values else ([],)

    def _differs(self, change: tuple[str, str], beside: list[tuple[str, str]]) -> bool | None:
        """None where a machine refuses it."""
        try:
            before, after = self.load(*beside), self.load(*beside, change)
        except _core.RefusedError:
            return None
        return any(
            self._result(after, one) != (self._result(before, one) if beside else usual)
            for one, usual in zip(STEPS, self.usual, strict=True)
        )


@pytest.mark.parametrize(("machine", "placement", "changes"), WALKED)
def test_a_key_changes_a_result_or_is_refused(
    machine: str, placement: str, changes: dict[str, str]
) -> None:
    walked = Walked(machine, placement, changes)
    wrong = {}
    for key, value in walked.keys().items():
        changed, idle = walked.changed(key, value), walked.base.idle(key, has_pairs=False)
        if changed is not None and changed != (idle is None):
            wrong[key] = (value, changed, idle)
    assert wrong == {}


def test_a_refusal_names_key_machine_and_the_key_to_change(tmp_path: Path) -> None:
    out = tmp_path / "run"
    found = weft("run", "latency", "--on", "node:p4-400-base(memory.latency=1 us)", "--out", out)
    assert found.returncode == 2 and not out.exists()
    assert "memory.latency would change nothing on node:p4-400-base" in found.stderr
    assert "memory.model=caches" in found.stderr
    nodes = open_nodes("p4-400-base(memory.latency=1 us,memory.model=caches)")
    nodes.check(STEPS[0])


def test_several_pairs_take_all_processors_and_interfaces() -> None:
    machine = open_nodes("opteron-4nic-native").model
    for key in ("processors.cpu3.clock", "interfaces.eth4.gap", "io_buses.pci1.rate", "costs.bond"):
        assert machine.idle(key, has_pairs=False) and not machine.idle(key, has_pairs=True)
    assert machine.idle("placements.guest.copy", has_pairs=True)
    assert not machine.idle("placements.native.copy", has_pairs=False)


def test_accesses_in_cycles_change_with_the_clock() -> None:
    """A copy of caches at twice the clock takes half of what it takes in the caches, all of what in memory."""
    one_way = STEPS[0]

    def latency_ns(**changes: str) -> float:
        keys = ",".join(f"{key.replace('__', '.')}={value}" for key, value in changes.items())
        rows = open_nodes(f"p4-400-base({keys})").simulate(one_way, 0, 1).rows["elapsed_ns"]
        return float(np.frombuffer(rows, dtype=np.int64)[0])

    fast = "800 MHz"
    assert latency_ns(memory__hit="1 cycle") == latency_ns(memory__hit="2.5 ns")
    said = latency_ns(processors__cpu0__clock=fast, memory__hit="1.25 ns")
    assert latency_ns(processors__cpu0__clock=fast) == said
    left = latency_ns(processors__cpu0__clock=fast, memory__hit="2.5 ns")
    assert said < left < latency_ns(memory__hit="1 cycle")
    with pytest.raises(_core.RefusedError, match="cycles are a number"):
        open_nodes("p4-400-base(memory.hit=fast cycles)")
