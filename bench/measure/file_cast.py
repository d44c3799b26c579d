"""How fast is a file cast, beside udpcast and scp?

A file along a chain of 16 nodes: one of them killed, two networks, and beside udpcast and scp.

usage: bench/run.py file_cast [PART...]
tier: peers

On a lab of 16 nodes (5 Mb/s) a file is cast undisturbed, with the eighth node killed when it has half of the file, and
over two networks, in turn, three times each. Medians count; all copies are compared with the file. `peers` does the
same over a bridge of the kernel with a token bucket at each port, because a lab forwards no multicast: weft, udpcast,
and scp to one node after the other. `published` casts over the networks of the Xibalba study, simulated with its 60
nodes; the E7 with 16 nodes to a chip, since the 24 of configuration 2 share what feeds 16.

Takes five minutes, with the machine to itself: other work takes from the lab what it forwards with.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import random
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import weft
from common.bridged import Bridged, bridged
from common.machine import machine
from common.results import Goal, save
from support.command import start
from support.live.waiting import agents, wait_for
from weft.runs.folder import RunFolder
from weft.understand.kinds.casts.cast import FileCastResult, file_casts

NODES, VICTIM, ROUNDS = 16, 8, 3
MBPS = 5.0
"""Two cores that are shared forward no more for 16 nodes with two networks."""
LAB_BYTES, PEER_BYTES = 8_000_000, 3_000_000
CHUNK = "8 KiB"
"""At 5 Mb/s one of 64 KiB takes 0.1 s a hop, which 15 hops of a file this small would show."""
PUBLISHED_BYTES = 2_000_000_000
"""So large that the rate does not depend on it, as in the study."""
PUBLISHED = ("xibalba-er16", "xibalba-e7-config1", "xibalba-maintenance")
"""All nearly equal in the study [dolly_order]."""
FABRIC = """name = "sixteen"
[[hosts]]
ids = "n[1-16]"
link = { rate = "5 Mb/s", delay = "20 us" }
attach = "one"
[[switches]]
ids = "one"
ports = 16
[[attachments]]
hosts = "n[1-16]"
attach = "two"
link = { rate = "5 Mb/s", delay = "20 us" }
[[switches]]
ids = "two"
ports = 16
"""


def main() -> None:
    parts = {"chain": chain, "peers": peers, "published": published}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*parts, []], metavar="PART")
    chosen = parser.parse_args().parts or list(parts)
    print(machine(), f"load {os.getloadavg()[0]:.1f}", flush=True)
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            goals = parts[name](Path(folder))
        for goal in goals:
            print(goal.what, goal.measured, goal.unit, goal.text or "", goal.is_met, flush=True)
        save("file_cast", goals, name)


def image(folder: Path, size_bytes: int) -> Path:
    """Bytes that cannot be compressed."""
    path = folder / "disk.img"
    path.write_bytes(random.Random(size_bytes).randbytes(size_bytes))
    return path


def chain(folder: Path) -> list[Goal]:
    """The lab: undisturbed, with a dead node, and over two networks."""
    file = image(folder, LAB_BYTES)
    fabric = folder / "sixteen.toml"
    fabric.write_text(FABRIC)
    ways: dict[str, Callable[[], float]] = {
        "undisturbed": lambda: cast(file, f"lab:{fabric}", 1, whole=NODES - 1),
        "one killed": lambda: cast(file, f"lab:{fabric}", 1, whole=NODES - 2, kills=True),
        "two networks": lambda: cast(file, f"lab:{fabric}", 2, whole=NODES - 1),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            rates[name].append(way())
            print(f"{name}: {rates[name][-1]:.2f} Mb/s", flush=True)
    one, killed, two = (statistics.median(found) for found in rates.values())
    what = f"cast to {NODES - 1} nodes at {MBPS:g} Mb/s"
    return [
        Goal(f"{what}: rate", one, "Mb/s"),
        Goal(f"{what}, one killed midway: of the undisturbed rate", killed / one, at_least=0.9),
        Goal(f"{what}, two networks: times one", two / one, at_least=1.9),
    ]


def cast(file: Path, on: str, networks: int, whole: int, kills: bool = False) -> float:
    """The rate until the last node has the file, which is the same everywhere."""
    out = Path(tempfile.mkdtemp(dir=file.parent))
    given: list[str | Path] = ["--file", file, "--out", out / "run"]
    given += ["--set", f"steps.cast.networks={networks}", "--set", f"steps.cast.chunk={CHUNK}"]
    process = start("run", "cast", "--on", on, *given)
    if kills:
        half = out / f"run/received/n{VICTIM}.{file.name}.weft-part"
        wait_for(lambda: half.stat().st_blocks * 512 > file.stat().st_size / 2, 120)
        os.kill(agents(process.pid)[VICTIM - 1], signal.SIGKILL)
    said = process.communicate(timeout=300)[1]
    assert (out / "run/run.json").exists(), said
    found = the_cast(out / "run")
    copies = [out / f"run/received/{node}.{file.name}" for node in found.record["whole"]]
    assert len(copies) == whole, found.record
    assert all(filecmp.cmp(file, copy, shallow=False) for copy in copies)
    shutil.rmtree(out)
    return found.rate_mbps or 0.0


def the_cast(run: Path) -> FileCastResult:
    (found,) = file_casts(RunFolder.open(run))
    return found


def peers(folder: Path) -> list[Goal]:
    """Over the bridge: weft, udpcast and scp."""
    file = image(folder, PEER_BYTES)
    goals = []
    with bridged(NODES, MBPS) as nodes:
        ways = {"weft": weft_cast, "udpcast": udpcast}
        rates: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, way in ways.items():
                rates[name].append(way(nodes, file))
                print(f"{name}: {rates[name][-1]:.2f} Mb/s", flush=True)
        with nodes.servers(folder) as options:
            rates["scp, one node after the other"] = [scp(nodes, file, options)]
    for name, found in rates.items():
        what = f"{name}: {PEER_BYTES / 1e6:g} MB to {NODES - 1} nodes over {MBPS:g} Mb/s"
        goals.append(Goal(what, statistics.median(found), "Mb/s"))
    return goals


def weft_cast(nodes: Bridged, file: Path) -> float:
    out = Path(tempfile.mkdtemp(dir=file.parent))
    to = out / "{node}.img"
    settings = {"steps.cast.chunk": CHUNK}
    weft.run("cast", nodes.spec, file=file, to=to, out=out / "run", settings=settings)
    check(file, [out / f"{name}.img" for name in nodes.names[1:]])
    return the_cast(out / "run").rate_mbps or 0.0


def udpcast(nodes: Bridged, file: Path) -> float:
    """From when the sender starts, with all receivers there, until all have ended."""
    copies = {name: file.parent / f"udpcast-{name}" for name in nodes.names[1:]}
    receive = ("udp-receiver", "--nokbd", "--interface", "e0", "--nosync", "--file")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    receivers = [
        subprocess.Popen(nodes.enter(name, *receive, copy), **quiet)  # type: ignore[call-overload]
        for name, copy in copies.items()
    ]
    time.sleep(2)
    send = ["udp-sender", "--nokbd", "--interface", "e0", "--full-duplex", "--file", file]
    # Without a limit it sends more than the port takes, and most of that again.
    send += ["--max-bitrate", f"{950 * MBPS:.0f}k"]
    send += ["--min-receivers", str(len(copies)), "--max-wait", "30"]
    begun = time.perf_counter()
    subprocess.run(nodes.enter(nodes.names[0], *send), check=True, timeout=120, **quiet)  # type: ignore[call-overload]
    for receiver in receivers:
        receiver.wait(60)
    took_s = time.perf_counter() - begun
    check(file, list(copies.values()))
    return file.stat().st_size * 8 / took_s / 1e6


def scp(nodes: Bridged, file: Path, options: list[str]) -> float:
    copies = {name: file.parent / f"scp-{name}" for name in nodes.names[1:]}
    begun = time.perf_counter()
    for name, copy in copies.items():
        command = ["scp", "-q", *options, file, f"{nodes.address(name)}:{copy}"]
        subprocess.run(nodes.enter(nodes.names[0], *command), check=True)
    took_s = time.perf_counter() - begun
    check(file, list(copies.values()))
    return file.stat().st_size * 8 / took_s / 1e6


def check(file: Path, copies: list[Path]) -> None:
    """The copies are right, and go."""
    for copy in copies:
        assert filecmp.cmp(file, copy, shallow=False), copy
        copy.unlink()


def published(folder: Path) -> list[Goal]:
    """The study's networks and its 60 nodes, and one of them beside the same with a second network."""
    file = folder / "disk.img"
    with file.open("wb") as empty:
        empty.truncate(PUBLISHED_BYTES)
    rates = {name: simulated(file, f"sim:{name}", 60, folder / name) for name in PUBLISHED}
    one, two = (
        simulated(file, "sim:xibalba-dual", 32, folder / f"dual-{networks}", networks)
        for networks in (1, 2)
    )
    er16, e7, maintenance = rates.values()
    goals = [Goal(f"sim:{name}, 60 nodes", rate, "Mb/s") for name, rate in rates.items()]
    return [
        *goals,
        Goal("E7 over ER16 [dolly_order: equal]", e7 / er16, at_least=0.95, at_most=1.05),
        Goal(
            "maintenance over ER16 [dolly_order: nearly]",
            maintenance / er16,
            at_least=0.9,
            at_most=1.0,
        ),
        Goal("two networks over one [dolly_combined_factor: 2]", two / one, at_least=1.9),
    ]


def simulated(file: Path, on: str, nodes: int, out: Path, networks: int = 1) -> float:
    settings = {"steps.cast.nodes": nodes, "steps.cast.networks": networks}
    run = weft.run("cast", on, file=file, out=out, settings=settings)
    return PUBLISHED_BYTES * 8 / float(run.phases["elapsed_ms"][-1]) / 1e3


if __name__ == "__main__":
    main()
