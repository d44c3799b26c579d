"""How right are twins, what-ifs and decisions?

How well weft decides: twins, what-ifs and designs, each held against what was then measured.

usage: bench/run.py decide --part twin [--keep FOLDER] [--first SEED] [--labs COUNT]

Takes about half an hour for the part twin, most of it measuring in labs. There the slowest flow's time misses its goal,
and so it does when the labs' own fabric files are simulated: TCP Reno decides by chance which flow gets how much.

Each part is a module of its own, bench/common/decide/PART.py, with options of its own (--part PART --help).
"""

from __future__ import annotations

import argparse

from common.decide import sweep, twin, what_if
from common.machine import machine

PARTS = {"sweep": sweep, "twin": twin, "what-if": what_if}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one")
    chosen, others = parser.parse_known_args()
    if not chosen.part and {"-h", "--help"} & set(others):
        parser.print_help()
        return
    print(machine(), flush=True)
    for part in chosen.part or PARTS:
        PARTS[part].main(others)


if __name__ == "__main__":
    main()
