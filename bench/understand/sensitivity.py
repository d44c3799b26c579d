"""Which constants matter?

What each constant of some packages does for what they find: halved and doubled, over planted faults and quiet cases.

usage: bench/run.py sensitivity [xray] [paths] [grey] [explain] [links] [--only TEXT]

Every answer is held against that with the constants as they are: what is found, and how many rounds that took. Where
half and double change none, 1/64 and 64 times show what is left without the branch. A constant that changes nothing at
all is to be deleted, or is a guard whose reason says for which cases, other than these, it stands.

The cases are those of bench/common/sensitive, a file for each package: by arithmetic, or simulated. All take about half
an hour on two processors; each package by itself a part of that, and is saved as a part. `--only TEXT` varies the
constants whose names contain it, and saves nothing.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TypeVar

from common.machine import machine
from common.results import Goal, save
from common.sensitive.answer import Answer, Ask
from common.sensitive.constants import PACKAGES, NamedNumber, named_numbers
from common.sensitive.varied import Variation, answered

FACTORS = (2.0, 64.0)
"""How much more and less a constant is: the second where the first changes nothing."""
T = TypeVar("T")
NONE = 0.0
"""Saved as the factor of what changes no answer."""
ASKED: list[Ask] = []
USUAL: list[Answer] = []
TASKS: list[Variation] = []
"""Of the processes that share the work: they inherit them, since modules cannot be sent."""


def main() -> None:
    """Print a line for each constant, and save each package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", choices=[[], *PACKAGES])
    parser.add_argument("--only", default="", help="constants whose names contain this")
    options = parser.parse_args()
    print(machine())
    for name in options.packages or PACKAGES:
        chosen = [one for one in named_numbers(PACKAGES[name]) if options.only.upper() in one.name]
        goals = list(_goals(name, chosen))
        if not options.only:
            save("sensitivity", goals, name)


def _goals(name: str, chosen: Sequence[NamedNumber]) -> Iterator[Goal]:
    """The base, the count of constants without an effect, and each constant's smallest factor that has one."""
    cases = import_module(f"common.sensitive.{name}")
    for one in chosen:
        import_module(one.module)
    ASKED[:] = cases.cases()
    USUAL[:] = _pooled(_usual, len(ASKED))
    wrong = sum(one.wrong for one in USUAL)
    print(f"{name}: {wrong} wrong findings in {len(ASKED)} cases", flush=True)
    factors = _factors(chosen)
    unfelt = sum(factor == NONE for factor in factors.values())
    yield Goal(f"{name}: wrong findings in {len(ASKED)} cases", wrong)
    yield Goal(f"{name}: constants that change no answer, of {len(chosen)}", unfelt)
    for one in chosen:
        yield Goal(row_name(one), factors[one], "times")


def row_name(one: NamedNumber) -> str:
    """How the row of a constant is called; the test of constants looks for it."""
    return f"{one.module.removeprefix('weft.')}.{one.name}"


def _factors(chosen: Sequence[NamedNumber]) -> dict[NamedNumber, float]:
    """By constant the smallest factor, or part, that changes an answer; NONE where neither does."""
    found = dict.fromkeys(chosen, NONE)
    for factor in FACTORS:
        left = [one for one in chosen if found[one] == NONE]
        TASKS[:] = [Variation(one, each) for one in left for each in (1 / factor, factor)]
        others = _pooled(_first_other, len(TASKS))
        for one in left:
            changed = [next(others) for _ in range(2)]
            if changed != [None, None]:
                found[one] = factor
            print(
                f"{row_name(one):60} {factor:4g} times: case {changed[0]}, {changed[1]}", flush=True
            )
    return found


def _pooled(work: Callable[[int], T], count: int) -> Iterator[T]:
    """Each in a process of its own: what modules have cached is of the constants that they had."""
    with multiprocessing.get_context("fork").Pool(maxtasksperchild=1) as pool:
        yield from pool.imap(work, range(count))


def _usual(number: int) -> Answer:
    return answered(ASKED[number])


def _first_other(task: int) -> int | None:
    return TASKS[task].first_other(ASKED, USUAL)


if __name__ == "__main__":
    main()
