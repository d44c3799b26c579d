"""Is the simulator as exact as SimGrid, and faster?

weft's simulator beside SimGrid: the same patterns on the same networks, whole processes, medians of turns.

    bench/run.py simgrid [PATTERN:HOSTS ...]

SimGrid is driven the fast way it has: one actor, detached communications, its plain max-min model (CM02 without
cross-traffic and without TCP's factors). Every end is compared, not only the time.

Takes about 20 minutes, half of it for `alltoall:128`.

tier: peers
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from common.checkout import ROOT
from common.machine import machine
from common.results import Goal, save
from support.simgrid.peer import MODEL, NoSimGridError, build_peer


@dataclass(frozen=True)
class Case:
    """A pattern on a network; `peer` is the cluster in SimGrid's words, None where it is not asked.

    The two take turns so many times. Where SimGrid takes minutes, the ends that are compared are those of the last
    turn; to write them down takes no time beside that.
    """

    pattern: str
    hosts: int
    network: tuple[str, ...]
    peer: str | None
    repeats: int = 7
    takes_minutes: bool = False

    @property
    def name(self) -> str:
        return f"{self.pattern}:{self.hosts}"


@dataclass(frozen=True)
class Measured:
    """Of a command that took turns: seconds of each whole process, the most megabytes it had, and its transfers."""

    seconds: list[float]
    megabytes: float
    transfers: int

    @property
    def median_s(self) -> float:
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"{self.median_s:.4f} ({min(self.seconds):.4f}-{max(self.seconds):.4f})"


def fat_tree(k: int) -> tuple[tuple[str, ...], str]:
    """Three levels of switches of k ports."""
    half = k // 2
    shape = f"3;{half},{half},{k};1,{half},{half};1,1,1"
    return ("fat-tree", f"k={k}", "framing=bare"), f'topology="FAT_TREE" topo_parameters="{shape}"'


def torus(side: int) -> tuple[tuple[str, ...], str]:
    dims = [str(side)] * 3
    shape = f'topology="TORUS" topo_parameters="{",".join(dims)}"'
    return ("torus", f"dims={'x'.join(dims)}", "framing=bare"), shape


CASES = [
    Case("alltoall", 128, *fat_tree(8), repeats=5, takes_minutes=True),
    Case("aapc", 128, *fat_tree(8)),
    Case("aapc-random", 64, ("crossbar", "hosts=64", "framing=bare"), ""),
    Case("aapc", 512, ("xgft", "down=8x8x8", "up=1x8x8", "framing=bare"),
         'topology="FAT_TREE" topo_parameters="3;8,8,8;1,8,8;1,1,1"'),
    Case("permutation-random", 1024, *fat_tree(16)),
    Case("alltoall", 64, *torus(4), repeats=3),
    Case("aapc", 4096, ("xgft", "down=16x16x16", "up=1x16x16", "framing=bare"), None),
    Case("permutation", 16384, ("fat-tree", "k=32", "oversubscription=2", "framing=bare"), None),
    Case("ring", 97336, ("torus", "dims=46x46x46", "framing=bare"), None),
    Case("halo", 97336, ("torus", "dims=46x46x46", "framing=bare"), None),
]  # fmt: skip


RATIOS = {"alltoall:128": 50.0, "aapc:512": 100.0}
"""How many times as fast as SimGrid these have to be."""
LIMITS_S = {"aapc:4096": 2.0, "permutation:16384": 0.5, "ring:97336": 0.5, "halo:97336": 1.0}

GROWING = [
    ("aapc", [(512, ("xgft", "down=8x8x8", "up=1x8x8")), (1024, ("xgft", "down=16x8x8", "up=1x16x8")),
              (2048, ("xgft", "down=16x16x8", "up=1x16x16")), (4096, ("xgft", "down=16x16x16", "up=1x16x16"))]),
    ("alltoall", [(64, ("xgft", "down=4x4x4", "up=1x4x4")), (128, ("xgft", "down=8x4x4", "up=1x8x4"))]),
    ("permutation-random", [(n, ("fat-tree", "k=32", f"oversubscription={n // 8192}"))
                            for n in (8192, 16384, 32768)]),
    ("halo", [(n**3, ("torus", f"dims={n}x{n}x{n}")) for n in (16, 23, 32, 46)]),
]  # fmt: skip
"""Patterns on networks of growing size."""


ANSWERED = [
    Case("aapc", 128, *fat_tree(8)),
    Case("halo", 64, *torus(4)),
    Case("aapc-random", 64, ("crossbar", "hosts=64", "framing=bare"), ""),
    Case("alltoall", 64, *torus(4)),
]
"""Patterns of which 5 % are sent back, as SimGrid's cross-traffic is. Where all get as much the two models agree; else
SimGrid gives a transfer no more than the fair share of any limit that its answers cross."""
CROSS_TRAFFIC = [word.replace("crosstraffic:0", "crosstraffic:1") for word in MODEL]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [case.name for case in CASES]
    parser.add_argument("cases", nargs="*", help=", ".join(names))
    chosen = parser.parse_args().cases
    peer = built_peer()
    own = build_own()
    print(machine())
    print(
        f"{'pattern':<18}{'hosts':>8}{'transfers':>11}{'weft, s (least-most)':>26}{'MB':>6}"
        f"{'SimGrid, s (least-most)':>30}{'ratio':>8}{'largest error':>15}"
    )
    wanted = chosen or names
    for case in (case for case in CASES if case.name in wanted):
        save("simgrid", print_row(case, own, peer), case.name.replace(":", "-"))
    if chosen:
        return
    if peer is not None:
        print("with 5 % sent back, beside SimGrid's cross-traffic: difference of ends")
        for case in ANSWERED:
            print(answered_row(case, own, peer), flush=True)
    print("growth: seconds against transfers")
    for pattern, sizes in GROWING:
        print(growth(pattern, sizes, own), flush=True)


def growth(pattern: str, sizes: list[tuple[int, tuple[str, ...]]], own: Path) -> str:
    """By which power of the transfers the time grows, and the memory of one more where all are at once."""
    found = [
        measured([[str(own), pattern, str(hosts), "-", *network, "framing=bare"]], 3)[0]
        for hosts, network in sizes
    ]
    seconds = np.array([one.median_s for one in found])
    megabytes = np.array([one.megabytes for one in found])
    transfers = np.array([one.transfers for one in found])
    power = np.polyfit(np.log(transfers), np.log(seconds), 1)[0]
    words = f"{pattern:<18} power {power:.2f} from {transfers[0]} to {transfers[-1]} transfers"
    if pattern == "aapc":
        return words
    each = np.polyfit(transfers, megabytes * 1e6, 1)[0]
    return f"{words}, {each:.0f} bytes each"


def print_row(case: Case, own: Path, peer: Path | None) -> list[Goal]:
    with tempfile.TemporaryDirectory() as folder:
        commands = [[str(own), case.pattern, str(case.hosts), "-", *case.network]]
        if case.peer is not None and peer is not None:
            platform = Path(folder, "platform.xml")
            platform.write_text(cluster(case))
            commands.append([str(peer), case.pattern, str(case.hosts), "-", str(platform), *MODEL])
        files = [Path(folder, f"ends{at}") for at in range(len(commands))]
        if case.takes_minutes:
            commands = [to_file(*both) for both in zip(commands, files, strict=True)]
        mine, *other = measured(commands, case.repeats)
        words = f"{case.pattern:<18}{case.hosts:>8}{mine.transfers:>11}{mine!s:>26}{mine.megabytes:>6.0f}"
        name = f"{case.pattern}, {case.hosts:,} hosts"
        took = Goal(f"{name}: time", mine.median_s, "s", at_most=LIMITS_S.get(case.name))
        if not other:
            print(words, flush=True)
            return [took, Goal(f"{name}: memory", mine.megabytes, "MB")]
        theirs = other[0]
        if not case.takes_minutes:
            for command, file in zip(commands, files, strict=True):
                ends(command, file)
        own_ends, peer_ends = (np.fromfile(file) for file in files)
        error = float(np.max(np.abs(own_ends / peer_ends - 1)))
        ratio = theirs.median_s / mine.median_s
        print(f"{words}{theirs!s:>30}{ratio:>8.1f}{error:>15.1e}", flush=True)
        return [
            took,
            Goal(f"{name}: SimGrid's time / weft's", ratio, at_least=RATIOS.get(case.name)),
            Goal(f"{name}: largest difference of an end", error, at_most=1e-3),
        ]


def answered_row(case: Case, own: Path, peer: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        platform = Path(folder, "platform.xml")
        platform.write_text(cluster(case))
        words = [case.pattern, str(case.hosts), "-"]
        mine = ends([str(own), *words, *case.network, "back=0.05"], Path(folder, "ends"))
        theirs = ends([str(peer), *words, str(platform), *CROSS_TRAFFIC], Path(folder, "ends"))
        errors = np.abs(mine / theirs - 1)
        last = float(mine.max() / theirs.max() - 1)
        return (
            f"{case.pattern:<18}{case.hosts:>8}  largest {errors.max():.1e}  median "
            f"{np.median(errors):.1e}  of the last {100 * last:+.1f} %"
        )


def ends(command: list[str], file: Path) -> npt.NDArray[np.float64]:
    """What the command says, when it is to write it down."""
    subprocess.run(to_file(command, file), stdout=subprocess.DEVNULL, check=True)
    return np.fromfile(file)


def to_file(command: list[str], file: Path) -> list[str]:
    return [*command[:3], str(file), *command[4:]]


def measured(commands: list[list[str]], repeats: int) -> list[Measured]:
    """The commands in turns."""
    seconds = [[0.0] * repeats for _ in commands]
    said = [""] * len(commands)
    for turn in range(repeats):
        for at, command in enumerate(commands):
            began = time.perf_counter()
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            seconds[at][turn] = time.perf_counter() - began
            said[at] = done.stdout
    found = []
    for turns, line in zip(seconds, said, strict=True):
        transfers, *_, kilobytes = line.split()
        found.append(Measured(turns, float(kilobytes) / 1e3, int(transfers)))
    return found


def cluster(case: Case) -> str:
    return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="c" prefix="node-" radical="0-{case.hosts - 1}" suffix="" speed="1Gf" bw="10Gbps" lat="0" {case.peer}/>
</zone></platform>
"""


def build_own() -> Path:
    command = [
        "cargo",
        "build",
        "--quiet",
        "--profile",
        "dist",
        "-p",
        "weft-netsim",
        "--example",
        "transfers",
    ]
    subprocess.run(command, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "dist" / "examples" / "transfers"


def built_peer() -> Path | None:
    """SimGrid's side, where it is installed."""
    binary = Path(tempfile.gettempdir()) / f"weft-simgrid-peer-{os.getuid()}"
    try:
        build_peer(binary)
    except NoSimGridError as missing:
        print(f"SimGrid is left out: {missing}", file=sys.stderr)
        return None
    return binary


if __name__ == "__main__":
    main()
