"""How well weft decides: twins, what-ifs and designs, each held against what was then measured.

usage: bench/decide.py --part twin [--keep FOLDER] [--first SEED] [--labs COUNT]

Takes about half an hour for the part twin, most of it measuring in labs. There the slowest flow's time misses its goal,
and so it does when the labs' own fabric files are simulated: TCP Reno decides by chance which flow gets how much.

Each part is a module of its own, bench/common/decide_PART.py, with options of its own (--part PART --help).
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from common.machine import machine

FOLDER = Path(__file__).parent / "common"
NOT_PARTS = {"labs", "plans"}


def parts() -> list[str]:
    """Those that there are."""
    found = (path.stem.removeprefix("decide_") for path in FOLDER.glob("decide_*.py"))
    return sorted(name.replace("_", "-") for name in set(found) - NOT_PARTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("--part", choices=parts(), action="append", help="only this one")
    chosen, others = parser.parse_known_args()
    if not chosen.part and {"-h", "--help"} & set(others):
        parser.print_help()
        return
    print(machine(), flush=True)
    for part in chosen.part or parts():
        import_module(f"common.decide_{part.replace('-', '_')}").main(others)


if __name__ == "__main__":
    main()
