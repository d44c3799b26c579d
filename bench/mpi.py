"""weft beside NetPIPE's MPI modules, NPopenmpi and NPmpich2: two ranks on this machine, alternating runs.

usage: bench/mpi.py [--runs N] [openmpi] [mpich]     (both when none is named)

Both tools run under the same mpirun, with the MPI's own choice of transport (shared memory), each rank pinned to its
own processor. weft uses NetPIPE's trials, its repetitions and its choice of the best trial.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from machine import machine
from weft.conduct import RunRequest, start_run
from weft.diagnose.points import points
from weft.testbed.local import Local
from weft.testbed.mpi.command import environment, mpirun_command
from weft.testbed.mpi.toolchain import KINDS, find_toolchain

PEERS = {"openmpi": "NPopenmpi", "mpich": "NPmpich2"}
CPUS = (0, 1)
LATENCY_SIZES = (1, 1024)
RATE_SIZES = (64 << 10, 256 << 10, 1 << 20)
SIZES = (*LATENCY_SIZES, *RATE_SIZES)
NETPIPES_RULE = '{ rule = "time", trial = "200 ms", trials = 3, at_least = 3 }'
DEADLINE_S = 120
Times = dict[int, float]
"""One-way times in microseconds by message size in bytes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--runs", type=int, default=7, help="alternating runs of each tool")
    parser.add_argument("kinds", nargs="*", help=", ".join(PEERS))
    arguments = parser.parse_args()
    print(machine())
    for kind in arguments.kinds or PEERS:
        if shutil.which(PEERS[kind]) is None:
            print(f"\n{kind}: no {PEERS[kind]}, left out")
            continue
        compare(kind, arguments.runs)


def compare(kind: str, runs: int) -> None:
    """Which of the two begins changes from run to run."""
    ours: list[Times] = []
    theirs: list[Times] = []
    for number in range(runs):
        if number % 2:
            theirs.append(netpipe_times_us(kind))
        ours.append(weft_times_us(kind))
        if not number % 2:
            theirs.append(netpipe_times_us(kind))
    toolchain = find_toolchain(kind)
    print(f"\n{KINDS[kind]} {toolchain.launcher.version}, {PEERS[kind]}   (n = {runs})")
    print("  size, B     weft, us   NetPIPE, us   weft / NetPIPE")
    for size in SIZES:
        mine, other = ([one[size] for one in found] for found in (ours, theirs))
        ratio = statistics.median(mine) / statistics.median(other)
        meaning = "time" if size in LATENCY_SIZES else "rate"
        print(
            f"  {size:7d}  {statistics.median(mine):11.3f}  {statistics.median(other):12.3f}   "
            f"{meaning} {ratio if meaning == 'time' else 1 / ratio:.3f}   "
            f"[{min(mine):.3f} .. {max(mine):.3f}] [{min(other):.3f} .. {max(other):.3f}]"
        )
    peaks = [max(8 * size / one[size] for size in RATE_SIZES) for one in ours]
    their_peaks = [max(8 * size / one[size] for size in RATE_SIZES) for one in theirs]
    mine, other = statistics.median(peaks), statistics.median(their_peaks)
    print(
        f"  peak, Mb/s  weft {mine:.0f}, NetPIPE {other:.0f}, weft / NetPIPE {mine / other:.3f}",
        flush=True,
    )


def weft_times_us(kind: str) -> Times:
    overrides = [
        ("steps.*.transport", "mpi"),
        ("steps.*.options.mpi", kind),
        ("steps.pingpong.sizes", str([f"{size} B" for size in SIZES])),
        ("steps.pingpong.stop", NETPIPES_RULE),
        ("launches", "1"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        request = RunRequest(
            "latency", "local:", f"{folder}/run", overrides=overrides, cpus=list(CPUS)
        )
        run = start_run(request)
        assert run.meta.status == "complete", run.meta.warnings
        found = points(run, "best")
        return {point.size_bytes: one.median for point in found if (one := point.latency_us)}


def netpipe_times_us(kind: str) -> Times:
    times: Times = {}
    for size in SIZES:
        times |= netpipe_rows(kind, ["-l", str(size), "-u", str(size), "-p", "0"])
    return times


def netpipe_rows(kind: str, arguments: list[str]) -> Times:
    """One rank pinned to each processor: the program is started twice, under taskset."""
    toolchain = find_toolchain(kind)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "np.out"
        netpipe = ["sh", "-c", PINNED, PEERS[kind], "-o", str(out), *arguments]
        done = subprocess.run(
            mpirun_command(toolchain, Local(2), [0, 1], netpipe, False, Path(folder)),
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            env=environment(toolchain, Local(2), Path(folder)) | {"CPUS": " ".join(map(str, CPUS))},
            cwd=folder,
        )
        if done.returncode:
            raise RuntimeError(f"{PEERS[kind]} failed: {done.stderr.strip()[-1000:]}")
        rows = [line.split() for line in out.read_text().splitlines()]
    return {int(row[0]): float(row[2]) * 1e6 for row in rows}


PINNED = (
    'set -- $CPUS -- $0 "$@"; rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; '
    '[ "$rank" = 0 ] && cpu=$1 || cpu=$2; shift 3; exec taskset -c "$cpu" "$@"'
)
"""What a rank does first: its processor is the one at its place in $CPUS."""

if __name__ == "__main__":
    main()
