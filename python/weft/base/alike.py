"""Fold long lists: similar items are shown once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

FEWEST = 3
"""Similar items are folded into one row of a table from this many on; fewer are listed one by one."""

T = TypeVar("T")


def alike(
    items: Iterable[T],
    key: Callable[[T], Hashable],
    value: Callable[[T], float] = lambda _: 0.0,
    within: float = 1.05,
) -> list[list[T]]:
    """Group items with equal keys whose values differ from the group's first by at most the factor `within`.

    Groups are in order of their first item; an item with too few similar ones is a group of its own.
    """
    groups: dict[Hashable, list[list[T]]] = {}
    found: list[list[T]] = []
    for item in items:
        same = groups.setdefault(key(item), [])
        group = next((one for one in same if _is_near(value(one[0]), value(item), within)), None)
        if group is None:
            group = []
            same.append(group)
            found.append(group)
        group.append(item)
    return [part for one in found for part in (_singles(one) if len(one) < FEWEST else [one])]


def listed(names: Sequence[str], most: int = FEWEST, separator: str = ", ") -> str:
    """The first `most` names, and the number of further ones."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return separator.join(names[:most]) + more


def _is_near(one: float, other: float, within: float) -> bool:
    return max(one, other) <= min(one, other) * within


def _singles(items: list[T]) -> list[list[T]]:
    return [[item] for item in items]
