"""Runs a bench, with arguments of its own.

usage: bench/run.py NAME [ARGUMENT...]     (ends with 1 where a goal is missed without a reason)
       bench/run.py --list [TIER]          (names; tiers are quick, full and peers)
"""

from __future__ import annotations

import runpy
import sys

from common.benches import bench_named, of_tier
from common.checkout import ROOT


def main(arguments: list[str]) -> None:
    match arguments:
        case [] | ["-h" | "--help"]:
            print(__doc__, end="")
        case ["--list", *tier]:
            print(*(one.name for one in of_tier(tier[0] if tier else None)))
        case [name, *others]:
            carry_out(name, others)


def carry_out(name: str, arguments: list[str]) -> None:
    bench = bench_named(name)
    sys.path.insert(1, str(ROOT / "tests"))
    sys.argv = [str(bench.path), *arguments]
    runpy.run_module(bench.module, run_name="__main__", alter_sys=True)
    # Here, since listing benches must not need what they import.
    from common.results import unexpected

    if missed := unexpected():
        sys.exit("\n".join(["missed without a reason:", *missed]))


if __name__ == "__main__":
    main(sys.argv[1:])
