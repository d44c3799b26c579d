"""Is weft over MPI as exact as NetPIPE and OSU?

weft over MPI beside NetPIPE's MPI modules and OSU's method: two ranks on this machine, alternating runs.

usage: bench/run.py mpi [--runs N] [openmpi] [mpich]     (both when none is named)
tier: peers

All run under the same mpirun, with the MPI's own choice of transport (shared memory), each rank pinned to its own
processor. Beside NetPIPE, weft uses its trials, its repetitions and its choice of the best trial; beside OSU's method
(osu_method.c) its repetitions, its window, and the mean.

Takes about 2 minutes. OSU's method times 3 to 90 ms in all, without repetition, so that its medians move by
10 to 20 % from set to set. Its 1 KiB over Open MPI was faster than weft in all quiet sets but one; the reason
is not known.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from common.checkout import PEER_SOURCES
from common.machine import machine
from common.results import Goal, KnownMiss, save
from weft.base.errors import RequestError
from weft.measure.execute.mpi.command import environment, mpirun_command
from weft.measure.execute.mpi.toolchain import KINDS, find_toolchain
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.local import Local
from weft.understand.curve.points import points

OSU = ("OSU's latency", "OSU's bw")
OSU_MOVES = KnownMiss(
    "medians of OSU's method, which repeats nothing, move by 10 to 20 % from set to set"
)
PEERS = {"openmpi": "NPopenmpi", "mpich": "NPmpich2"}
CPUS = (0, 1)
LATENCY_SIZES = (1, 1024)
RATE_SIZES = (64 << 10, 256 << 10, 1 << 20)
NETPIPES_RULE = '{ rule = "time", trial = "200 ms", trials = 3, at_least = 3 }'
DEADLINE_S = 120
WINDOW = 64
Times = dict[int, float]
"""One-way times in microseconds by message size in bytes."""


@dataclass(frozen=True)
class Contest:
    """What both measure, and how each does."""

    name: str
    sizes: tuple[int, ...]
    ours: Callable[[str], Times]
    theirs: Callable[[str], Times]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--runs", type=int, default=7, help="alternating runs of each tool")
    parser.add_argument("kinds", nargs="*", help=", ".join(PEERS))
    arguments = parser.parse_args()
    print(machine())
    for kind in arguments.kinds or PEERS:
        try:
            version = find_toolchain(kind).launcher.version
        except RequestError as missing:
            print(f"\n{KINDS[kind]} is left out: {missing.message}")
            continue
        print(f"\n{KINDS[kind]} {version}   (n = {arguments.runs})")
        goals = [
            goal for contest in contests(kind) for goal in compare(contest, kind, arguments.runs)
        ]
        save("mpi", goals, kind, {KINDS[kind]: version})


def contests(kind: str) -> list[Contest]:
    both = LATENCY_SIZES + RATE_SIZES
    found = [
        Contest(OSU[0], LATENCY_SIZES, weft_as_osu_latency, osu_latency),
        Contest(OSU[1], RATE_SIZES, weft_as_osu_bw, osu_bw),
    ]
    if shutil.which(PEERS[kind]) is None:
        print(f"no {PEERS[kind]}, left out")
        return found
    return [Contest(PEERS[kind], both, weft_as_netpipe, netpipe), *found]


def compare(contest: Contest, kind: str, runs: int) -> Iterator[Goal]:
    """Which of the two begins changes from run to run."""
    ours: list[Times] = []
    theirs: list[Times] = []
    for number in range(runs):
        if number % 2:
            theirs.append(contest.theirs(kind))
        ours.append(contest.ours(kind))
        if not number % 2:
            theirs.append(contest.theirs(kind))
    print(f"  beside {contest.name}\n    size, B     weft, us    theirs, us   weft / theirs")
    for size in contest.sizes:
        mine, other = ([one[size] for one in found] for found in (ours, theirs))
        ratio = statistics.median(mine) / statistics.median(other)
        meaning = "time" if size in LATENCY_SIZES else "rate"
        print(
            f"    {size:7d}  {statistics.median(mine):11.3f}  {statistics.median(other):12.3f}   "
            f"{meaning} {ratio if meaning == 'time' else 1 / ratio:.3f}   "
            f"[{min(mine):.3f} .. {max(mine):.3f}] [{min(other):.3f} .. {max(other):.3f}]",
            flush=True,
        )
        what = f"{KINDS[kind]}: {meaning} of {size} B, weft / {contest.name}"
        is_time = meaning == "time"
        known = OSU_MOVES if contest.name in OSU else None
        if is_time:
            yield Goal(what, ratio, at_most=1.0, expected=known)
        else:
            yield Goal(what, 1 / ratio, at_least=1.0, expected=known)


def weft_as_netpipe(kind: str) -> Times:
    sizes = LATENCY_SIZES + RATE_SIZES
    return weft_times_us(kind, "latency", "pingpong", sizes, NETPIPES_RULE, "best")


def weft_as_osu_latency(kind: str) -> Times:
    rule = '{ rule = "count", repeats = 10000, trials = 1 }'
    return weft_times_us(kind, "latency", "pingpong", LATENCY_SIZES, rule, "median")


def weft_as_osu_bw(kind: str) -> Times:
    rule = f'{{ rule = "count", repeats = {20 * WINDOW}, trials = 1 }}'
    more = [("steps.stream.window", str(WINDOW)), ("steps.stream.options.calls", "nonblocking")]
    return weft_times_us(kind, "stream", "stream", RATE_SIZES, rule, "median", more)


def weft_times_us(
    kind: str,
    plan: str,
    step: str,
    sizes: tuple[int, ...],
    rule: str,
    choice: str,
    more: list[tuple[str, str]] | None = None,
) -> Times:
    overrides = [
        ("steps.*.transport", "mpi"),
        ("steps.*.options.mpi", kind),
        (f"steps.{step}.sizes", str([f"{size} B" for size in sizes])),
        (f"steps.{step}.stop", rule),
        ("launches", "1"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        request = RunRequest(
            plan,
            "local:",
            RunOptions(out=f"{folder}/run", settings=dict(overrides + (more or [])), cpus=CPUS),
        )
        run = start_run(request)
        assert run.meta.status == "complete", run.meta.warnings
        return {
            point.size_bytes: 8 * point.size_bytes / point.throughput_mbps.median
            for point in points(run, choice)
            if point.throughput_mbps
        }


def netpipe(kind: str) -> Times:
    times: Times = {}
    for size in LATENCY_SIZES + RATE_SIZES:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "np.out"
            run_pinned(
                kind, [PEERS[kind], "-o", str(out), "-l", str(size), "-u", str(size), "-p", "0"]
            )
            rows = [line.split() for line in out.read_text().splitlines()]
        times |= {int(row[0]): float(row[2]) * 1e6 for row in rows}
    return times


def osu_latency(kind: str) -> Times:
    return osu(kind, "latency", LATENCY_SIZES)


def osu_bw(kind: str) -> Times:
    return osu(kind, "bw", RATE_SIZES)


def osu(kind: str, test: str, sizes: tuple[int, ...]) -> Times:
    source = PEER_SOURCES / "osu_method.c"
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/osu_method"
        # MPICH declares MPI_STATUSES_IGNORE as an array without elements.
        options = ["-O2", "-Wno-stringop-overflow", "-o", program]
        subprocess.run([find_toolchain(kind).compiler.path, *options, str(source)], check=True)
        said = run_pinned(kind, [program, test, *map(str, sizes)])
    rows = [line.split() for line in said.splitlines()]
    return {int(row[0]): float(row[1]) for row in rows}


def run_pinned(kind: str, command: list[str]) -> str:
    """What two ranks print, each of them pinned: the program is started under taskset."""
    toolchain = find_toolchain(kind)
    pinned = ["sh", "-c", PINNED, *command]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            mpirun_command(toolchain.launcher, Local(2), [0, 1], pinned, False, Path(folder)),
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            env=environment(toolchain.launcher, Local(2), Path(folder))
            | {"CPUS": " ".join(map(str, CPUS))},
            cwd=folder,
        )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()[-1000:]}")
    return done.stdout


PINNED = (
    'set -- $CPUS -- $0 "$@"; rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; '
    '[ "$rank" = 0 ] && cpu=$1 || cpu=$2; shift 3; exec taskset -c "$cpu" "$@"'
)
"""What a rank does first: its processor is the one at its place in $CPUS."""

if __name__ == "__main__":
    main()
