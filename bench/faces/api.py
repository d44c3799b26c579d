"""What does the Python API cost?

What the Python API costs beside the command line: an all-to-all of 1,024 simulated hosts, and `import weft`.

usage: bench/run.py api [--runs N] [--hosts N]
tier: quick

Each of the three ways is a process of its own, from its start to its end, in alternating order: the command `weft run`,
`weft.run` into a folder, and `weft.simulate`, which holds the run in memory. The ratio is that of the medians.

Takes about a minute.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common.machine import machine
from common.results import Goal, save

PLAN, MOST_RATIO, MOST_IMPORT_S = "aapc", 1.05, 0.2
IMPORTS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="alternating runs of each")
    parser.add_argument("--hosts", type=int, default=1024)
    arguments = parser.parse_args()
    print(machine())
    save("api", [*ratios(arguments.runs, arguments.hosts), import_goal()])


def ratios(runs: int, hosts: int) -> list[Goal]:
    """Of each way beside the command line."""
    fabric = f"clos(leaves={hosts // 32},spines=16,hosts=32)"
    times: dict[str, list[float]] = {}
    for number in range(runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            for way, command in commands(fabric, Path(folder)).items():
                taken_s = seconds(command)
                if number:  # The first round fills the caches.
                    times.setdefault(way, []).append(taken_s)
    for way, taken in times.items():
        print(f"{way:14} {statistics.median(taken):.2f} s ({min(taken):.2f} to {max(taken):.2f})")
    base = statistics.median(times["weft run"])
    others = {way: statistics.median(taken) for way, taken in times.items() if way != "weft run"}
    what = f"{PLAN} of {hosts:,} hosts"
    return [
        Goal(f"{what}: {way} over weft run", taken / base, at_most=MOST_RATIO)
        for way, taken in others.items()
    ] + [Goal(f"{what}: weft run", base, "s")]


def commands(fabric: str, folder: Path) -> dict[str, list[str]]:
    """By way the command that goes it."""
    on, out = f"sim:{fabric}", str(folder / "python")
    written = f"import weft; weft.run({PLAN!r}, on={on!r}, out={out!r})"
    held = f"import weft; weft.simulate({PLAN!r}, {fabric!r})"
    options = ["--on", on, "--out", str(folder / "command")]
    return {
        "weft run": [sys.executable, "-m", "weft", "run", PLAN, *options],
        "weft.run": [sys.executable, "-c", written],
        "weft.simulate": [sys.executable, "-c", held],
    }


def import_goal() -> Goal:
    """`import weft` in fresh processes."""
    code = (
        "import time; begin = time.perf_counter(); import weft; print(time.perf_counter() - begin)"
    )
    command = [sys.executable, "-c", code]
    taken = [float(subprocess.check_output(command, text=True)) for _ in range(IMPORTS)]
    print(f"import weft    {statistics.median(taken) * 1e3:.1f} ms (to {max(taken) * 1e3:.1f})")
    return Goal("import weft", statistics.median(taken), "s", at_most=MOST_IMPORT_S)


def seconds(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
