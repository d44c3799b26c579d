"""Does weft accept name planted faults?

Faults planted in labs: whether `weft accept` names the element and its cause, and passes labs without a fault.

usage: bench/run.py accept [--keep FOLDER] [planted|none|nodes-32|LAB ...]     (these three, unless named)

Each lab has 12 hosts at 20 Mb/s on three leaf switches with uplinks as wide as what is below them, and one fault: a
slow port, one slow direction, a narrow uplink, one bad route, two swapped cables, an MTU of 1400, 0.5 % of the frames
lost, a delay, a busy node, a dead cable. A driver's version and a clock are edited in the record of the check, as a
lab's hosts share one kernel. The element counts as named if the first fault that accept lists has exactly those nodes,
the cause if it is among that fault's first two.

The labs without a fault are other fabrics, as declared. Their nodes are equal: one that is declared slower than the
others does not pass, since `nodes.slower` compares nodes with each other.

The busy node's agent is set to the policy SCHED_IDLE, beside a process that spins with the lowest nice value: other
agents on the same processor hardly notice, as if it were a node by itself.

Takes about 25 minutes, and needs root and nft.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from common.machine import machine
from common.results import Goal, save
from weft.measure.execute.progress import Reporter
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.lab.testbed import bring_up
from weft.network.fabrics.load import load_fabric
from weft.operate.acceptance.accept import RECORD_NAME, AcceptRequest, accept
from weft.operate.acceptance.declared import Promise
from weft.operate.acceptance.faults import ElementFault, faults
from weft.operate.acceptance.judgement import AcceptanceData, default_requirements, verdicts
from weft.operate.acceptance.verdict import RequirementVerdict
from weft.operate.preflight.record import ClusterRecord
from weft.runs.folder import RunFolder

HOSTS = """
[[hosts]]
ids = "{ids}"
attach = "leaf{number}"
link = {{ rate = "{rate}", delay = "5 us" }}
[[links]]
between = ["leaf{number}", "spine"]
rate = "{uplink}"
"""
LEAVES = ("n[1-4]", "n[5-8]", "n[9-12]")
RATE, UPLINK = "20 Mb/s", "80 Mb/s"
LEAST_RIGHT = 11
FIRST = 2
LONGEST_32_S = 180
"""Goals of issue 22."""
LOSS = """
table inet weft {
  chain arriving {
    type filter hook input priority 0;
    numgen random mod 1000 < 5 counter drop
  }
}
"""


def fabric(
    extra: str = "",
    leaves: Sequence[str] = LEAVES,
    rate: str = RATE,
    uplinks: Sequence[str] = (UPLINK,) * len(LEAVES),
) -> str:
    """Leaf switches around a spine, and what differs."""
    parts = [
        HOSTS.format(ids=ids, number=number, rate=rate, uplink=uplink)
        for number, (ids, uplink) in enumerate(zip(leaves, uplinks, strict=True), 1)
    ]
    return "".join(['name = "accepted"', *parts, extra])


def override(node: str, text: str) -> str:
    return f'[[overrides]]\nids = "{node}"\n{text}\n'


@contextmanager
def lossy(entry: LabEntry) -> Iterator[None]:
    """Of the frames that arrive at n3, 0.5 % are dropped by chance."""
    command = entry.keeper.enter_command("n3", ["nft", "-f", "-"])
    subprocess.run(command, input=LOSS, text=True, check=True)
    yield


@contextmanager
def busy(entry: LabEntry) -> Iterator[None]:
    """Other work takes the processor of n5's agents whenever it wants."""
    home = min(os.sched_getaffinity(0))
    spin = f"import os; os.sched_setaffinity(0, {{{home}}}); os.nice(19)\nwhile True: pass"
    over = threading.Event()
    thread = threading.Thread(target=_give_way, args=(entry, "n5", over))
    hog = subprocess.Popen([sys.executable, "-c", spin])
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        hog.kill()
        hog.wait()


def _give_way(entry: LabEntry, node: str, over: threading.Event) -> None:
    """Each new agent of the node runs when nothing else does."""
    (inode,) = (one.inode for one in entry.keeper.nodes if one.name == node)
    seen: set[int] = set()
    while not over.wait(0.05):
        for process in Path("/proc").glob("[0-9]*"):
            if int(process.name) not in seen and _is_agent(process, inode):
                seen.add(int(process.name))
                for task in (process / "task").glob("*"):
                    with suppress(OSError):
                        os.sched_setscheduler(int(task.name), os.SCHED_IDLE, os.sched_param(0))


def _is_agent(process: Path, inode: int) -> bool:
    with suppress(OSError):
        is_probe = (process / "comm").read_text() == "weft-probe\n"
        return is_probe and (process / "ns/net").stat().st_ino == inode
    return False


def other_driver(record: dict[str, Any]) -> None:
    """Cards as servers have them; n4's driver has another version."""
    for node in record["nodes"]:
        version = "4.18.0" if node["name"] == "n4" else "6.1.0"
        node["interfaces"][0] |= {"driver": "mlx5_core", "driver_version": version}


def other_clock(record: dict[str, Any]) -> None:
    """n10 is 250 ms ahead."""
    for path in record["paths"]:
        ahead = (path["dst"] == "n10") - (path["src"] == "n10")
        path["clock_offset_us"] += 250e3 * ahead


@dataclass(frozen=True)
class Planted:
    """A fault: the code that must be among the first two, the nodes at fault, and how it gets there."""

    codes: tuple[str, ...]
    nodes: tuple[str, ...]
    text: str = field(default_factory=fabric)
    plant: Callable[[LabEntry], Any] = nullcontext
    edit: Callable[[dict[str, Any]], None] | None = None


PLANTED = {
    "slow-port": Planted(
        ("link-speed",), ("n7",), fabric(override("n7", 'link = { rate = "2 Mb/s" }'))
    ),
    "one-direction": Planted(
        ("duplex",),
        ("n6",),
        fabric(override("n6", 'link = { rate = "4 Mb/s", rate_back = "20 Mb/s" }')),
    ),
    "narrow-uplink": Planted(
        ("uplink-member",), ("n5", "n6", "n7", "n8"), fabric(uplinks=(UPLINK, "40 Mb/s", UPLINK))
    ),
    "bad-route": Planted(
        ("hash-member",),
        ("n2", "n9"),
        fabric('[[paths]]\nfrom = "n2"\nto = "n9"\nrate = "5 Mb/s"\n'),
    ),
    "swapped-cables": Planted(
        ("swapped-cables",), ("n4", "n5"), fabric(leaves=("n[1-3,5]", "n[4,6-8]", "n[9-12]"))
    ),
    "wrong-mtu": Planted(
        ("mtu-setting",), ("n5",), fabric(override("n5", "link = { mtu_bytes = 1400 }"))
    ),
    "loss": Planted(("cable",), ("n3",), plant=lossy),
    "delay": Planted(
        ("long-path",), ("n11",), fabric(override("n11", 'link = { delay = "400 us" }'))
    ),
    "busy-node": Planted(("other-work",), ("n5",), plant=busy),
    "driver": Planted(("driver-version",), ("n4",), edit=other_driver),
    "clock": Planted(("time-service",), ("n10",), edit=other_clock),
    "dead-node": Planted(("cable-out",), ("n8",), fabric(override("n8", "dead = true"))),
}
STAR = """
[[switches]]
ids = "hub"
[[hosts]]
ids = "n[1-{0}]"
attach = "hub"
link = {{ rate = "{1}", delay = "{2}" }}
"""
WITHOUT = {
    "leaves": fabric(),
    "leaves-slower": fabric(rate="10 Mb/s", uplinks=("40 Mb/s",) * 3),
    "two-leaves": fabric(leaves=LEAVES[:2], uplinks=(UPLINK,) * 2),
    "oversubscribed": fabric(uplinks=("40 Mb/s",) * 3),
    "oversubscribed-4": fabric(uplinks=("20 Mb/s",) * 3),
    "uneven-uplinks": fabric(uplinks=(UPLINK, "40 Mb/s", "20 Mb/s")),
    "uneven-leaves": fabric(leaves=("n[1-6]", "n[7-10]", "n[11-12]")),
    "star-16": 'name = "star"\n' + STAR.format(16, "10 Mb/s", "5 us"),
    "star-4": 'name = "star"\n' + STAR.format(4, "50 Mb/s", "5 us"),
    "star-8": 'name = "star"\n' + STAR.format(8, "20 Mb/s", "5 us"),
    "star-12-far": 'name = "star"\n' + STAR.format(12, "20 Mb/s", "200 us"),
    "pair-of-hosts": 'name = "pair"\n' + STAR.format(2, "100 Mb/s", "5 us"),
}
"""Fabrics that are all as declared."""
GROUPS = ("planted", "none", "nodes-32")
NODES_32 = fabric(
    leaves=("n[1-8]", "n[9-16]", "n[17-24]", "n[25-32]"), rate="10 Mb/s", uplinks=(UPLINK,) * 4
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, help="keep the folders of the acceptances here")
    parser.add_argument("faults", nargs="*", help=", ".join((*GROUPS, *PLANTED, *WITHOUT)))
    arguments = parser.parse_args()
    print(machine(), flush=True)
    chosen = set(arguments.faults) or set(GROUPS)
    planted = [name for name in PLANTED if name in chosen or "planted" in chosen]
    clean = [name for name in WITHOUT if name in chosen or "none" in chosen]
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments.keep or Path(scratch))
        right = [bench.planted(name, PLANTED[name]) for name in planted]
        if len(planted) == len(PLANTED):
            what = f"element and cause named, of {len(right)} faults"
            save_part("planted", Goal(what, sum(right), at_least=LEAST_RIGHT), bench)
        bench.times_s.clear()
        passed = [bench.without(name, WITHOUT[name]) for name in clean]
        if len(clean) == len(WITHOUT):
            what = f"labs without a fault that pass, of {len(passed)}"
            save_part("none", Goal(what, sum(passed), at_least=len(passed)), bench)
        print(f"{sum(right)} of {len(right)} faults, {sum(passed)} of {len(passed)} passed")
        if "nodes-32" in chosen:
            took_s = bench.nodes_32()
            goal = Goal("acceptance of 32 nodes", took_s, "s", at_most=LONGEST_32_S)
            save("accept", [goal], "nodes-32")


def save_part(part: str, goal: Goal, bench: Bench) -> None:
    """A goal, and how long these acceptances took."""
    took_s = float(np.median(bench.times_s))
    save("accept", [goal, Goal(f"{part}: time of an acceptance, median", took_s, "s")], part)


@dataclass
class Bench:
    """Carries acceptances out, in folders of one."""

    folder: Path
    times_s: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    def planted(self, name: str, planted: Planted) -> bool:
        """Whether element and cause are named."""
        found = self._accept(name, planted)
        mine = faults(found)[:1]
        is_right = any(
            set(one.nodes) == set(planted.nodes)
            and {cause.code for cause in one.causes[:FIRST]} & set(planted.codes)
            for one in mine
        )
        print(f"{name:16} {'right' if is_right else 'WRONG'}  {told(faults(found))}", flush=True)
        return is_right

    def without(self, name: str, text: str) -> bool:
        """Whether a lab that is as declared passes."""
        found = self._accept(name, Planted((), (), text), declared=text)
        bad = [one for one in found if one.status != "met"]
        print(
            f"{name:20} {'passed' if not bad else 'NOT PASSED'}  {told(faults(found))}", flush=True
        )
        for one in bad:
            print(f"    {one.status}: {one.title}: {'; '.join(one.evidence)} {one.would_decide}")
        return not bad

    def nodes_32(self) -> float:
        """How long 32 nodes take."""
        self.without("nodes-32", NODES_32)
        return self.times_s[-1]

    def _accept(
        self, name: str, planted: Planted, declared: str = fabric()
    ) -> Sequence[RequirementVerdict]:
        """Put the lab up and accept it as what is declared."""
        files = {"planted": planted.text, "declared": declared}
        for file, text in files.items():
            (self.folder / f"{name}-{file}.toml").write_text(text)
        entry = bring_up(str(self.folder / f"{name}-planted.toml"), 1.0, f"accept-{name}")
        out = self.folder / name
        request = AcceptRequest(
            f"lab:{entry.id}", str(out), fabric=str(self.folder / f"{name}-declared.toml")
        )
        start = time.monotonic()
        try:
            with planted.plant(entry):
                found = accept(request, silent).verdicts
        finally:
            registry.remove(entry)
        self.times_s.append(time.monotonic() - start)
        print(f"{self.times_s[-1]:5.0f} s ", end="", flush=True)
        return edited(out, request, planted.edit) if planted.edit else found


def silent(_: str) -> Any:
    return nullcontext(Reporter())


def edited(
    out: Path, request: AcceptRequest, edit: Callable[[dict[str, Any]], None]
) -> Sequence[RequirementVerdict]:
    """The verdicts on what was measured, with another record of the check."""
    document = json.loads((out / RECORD_NAME).read_text())
    edit(document)
    record = msgspec.convert(document, ClusterRecord)
    runs = {path.parent.name: RunFolder.open(path.parent) for path in out.glob("*/run.json")}
    names = tuple(node.name for node in record.nodes)
    promise = Promise(load_fabric(str(request.fabric)), names)
    wanted = default_requirements(names, promise, is_computed=False)
    return verdicts(wanted, AcceptanceData(names, record, promise, runs))


def told(found: Sequence[ElementFault]) -> str:
    """Each fault with its likeliest causes."""
    return "; ".join(
        f"{one.element} ({', '.join(cause.code for cause in one.causes[:3])})" for one in found
    )


if __name__ == "__main__":
    main()
