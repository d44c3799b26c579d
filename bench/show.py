"""Prints what benches saved: goals, what was measured, where and when.

usage: bench/show.py [NAME...]     (all when none is named)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from common.benches import bench_named, benches
from common.saved import Document, Goal, documents, of_bench, stale, verdict


def main(names: list[str]) -> None:
    saved = documents()
    for name in names or benches():
        bench = bench_named(name)
        print(f"{name}: {bench.question}")
        mine = of_bench(name, saved)
        for one in mine:
            print("\n".join(lines(one)))
        if not mine:
            print(f"  nothing saved; `make bench BENCHES={name}` measures it")


def lines(one: Document) -> Iterator[str]:
    """Of a document: where it is from, then its goals."""
    versions = ", ".join(f"{tool} {version}" for tool, version in one["versions"].items())
    place = (one["date"], one["machine"], versions, one["commit"], stale(one))
    yield "\n  " + "; ".join(filter(None, place))
    for goal in one["goals"]:
        yield row(goal)
        if goal.get("expected"):
            yield f"  {'':10}{goal['expected']}"


def row(goal: Goal) -> str:
    bound = f" ({goal['goal']})" if goal["goal"] else ""
    return f"  {verdict(goal):10}{goal['what']}: {value(goal)}{bound}"


def value(goal: Goal) -> str:
    if goal["measured"] is None:
        return "not measured"
    return f"{goal['measured']:.4g} {goal['unit']}".strip()


if __name__ == "__main__":
    main(sys.argv[1:])
