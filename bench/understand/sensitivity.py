"""Which constants matter?

What each constant of some packages does for what they find: halved and doubled, over planted faults and quiet cases.

usage: bench/run.py sensitivity [xray] [paths] [grey] [explain] [links] [--only TEXT]

Every answer is held against that with the constants as they are: what is found, and how many rounds that took. Where
double and half change none, 64 times and 1/64 show what is left without the branch. A constant that changes nothing at
all is to be deleted, or is a guard whose reason says for which cases, other than these, it stands.

The cases are those of bench/common/sensitive, a file for each package: by arithmetic, or simulated. All take about half
an hour on two processors; each package by itself a part of that, and is saved as a part. `--only TEXT` varies the
constants whose names contain it, and those that have no row yet; it keeps the saved rows of the others.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.pool import ThreadPool
from typing import TypeVar

from common.machine import machine
from common.results import Goal, save
from common.sensitive.answer import Answer, Ask
from common.sensitive.constants import PACKAGES, NamedNumber, named_numbers, row_name, saved_rows
from common.sensitive.varied import Variation, answered, sources

FACTORS = (2.0, 0.5, 64.0, 1 / 64)
"""What a constant is multiplied with, as long as no answer changes."""
PROCESSES = 2
LOADED = ("weft.", "scipy.", "numpy.", "pyarrow.")
T = TypeVar("T")
NONE = 0.0
"""Saved as the factor of what changes no answer."""
ASKED: list[Ask] = []
USUAL: list[Answer] = []
"""Of the processes that answer: they inherit them, since cases cannot be sent."""


def main() -> None:
    """Print a line for each constant, and save each package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", choices=[[], *PACKAGES])
    parser.add_argument("--only", default="", help="constants whose names contain this")
    options = parser.parse_args()
    print(machine())
    for name in options.packages or PACKAGES:
        goals = list(_goals(name, options.only.upper()))
        save("sensitivity", goals, name)


def _goals(name: str, only: str) -> Iterator[Goal]:
    """The base, the count of constants without an effect, and the factor by which each has one."""
    numbers = list(named_numbers(PACKAGES[name]))
    cases = import_module(f"common.sensitive.{name}")
    for one in numbers:
        import_module(one.module)
    ASKED[:] = cases.cases()
    with ThreadPool(PROCESSES) as pool:
        told = pool.map(_usual, range(len(ASKED)))
        USUAL[:] = [answer for answer, _ in told]
        _load({name for _, names in told for name in names})
        wrong = sum(one.wrong for one in USUAL)
        print(f"{name}: {wrong} wrong findings in {len(ASKED)} cases", flush=True)
        known = saved_rows("sensitivity", name) if only else {}
        chosen = [one for one in numbers if only in one.name or row_name(one) not in known]
        factors = known | dict(pool.imap_unordered(_row, chosen))
    rows = {row_name(one): factors[row_name(one)] for one in numbers}
    unfelt = sum(factor == NONE for factor in rows.values())
    yield Goal(f"{name}: wrong findings in {len(ASKED)} cases", wrong)
    yield Goal(f"{name}: constants that change no answer, of {len(rows)}", unfelt)
    yield from (Goal(row, factor, "times") for row, factor in rows.items())


def _row(one: NamedNumber) -> tuple[str, float]:
    """The first factor of a constant that changes an answer; NONE where none does."""
    found = ((each, _forked(Variation(one, each))) for each in FACTORS)
    factor, case = next((one for one in found if one[1] is not None), (NONE, None))
    print(f"{row_name(one):60} {factor:8.4g} times changes case {case}", flush=True)
    return row_name(one), factor


def _usual(number: int) -> tuple[Answer, set[str]]:
    return _in_a_process(partial(_loading, number))


def _loading(number: int) -> tuple[Answer, set[str]]:
    """An answer, and the modules that were loaded for it."""
    before = set(sys.modules)
    answer = answered(ASKED[number])
    return answer, {one for one in set(sys.modules) - before if one.startswith(LOADED)}


def _load(names: set[str]) -> None:
    """Here instead of in each process that answers; and read what constants are looked for in."""
    for name in sorted(names):
        with suppress(ImportError):
            import_module(name)
    sources.cache_clear()
    sources()
    gc.freeze()


def _forked(varied: Variation) -> int | None:
    return _in_a_process(partial(varied.first_other, ASKED, USUAL))


def _in_a_process(work: Callable[[], T]) -> T:
    """In one of its own: what modules have cached is of the constants that they had."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(work()))
    process.start()
    sender.close()
    try:
        found: T = receiver.recv()
    finally:
        process.join()
    return found


if __name__ == "__main__":
    main()
