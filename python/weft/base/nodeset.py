"""Node sets in ClusterShell's syntax: n[1-24,30]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby


def fold(names: Iterable[str]) -> str:
    """Fold names that differ in their last number, in ClusterShell's syntax: n1, n2, n4 -> n[1-2,4].

    Prefixes keep the order in which they appear. Numbers of different widths are separate if padded with zeros, so that
    unfolding gives the same names.
    """
    numbers: dict[tuple[str, int], list[int]] = {}
    for name in dict.fromkeys(names):
        prefix, digits = _split(name)
        padded = _padding(digits)
        width = _width_of(numbers, prefix, digits, padded)
        numbers.setdefault((prefix, width), []).append(int(digits) if digits else -1)
    return ",".join(_folded(*key, values) for key, values in numbers.items())


def fold_in_order(names: Sequence[str]) -> str:
    """Fold names so that unfolding keeps their order: n2, n1, m3, m4 -> n2,n1,m[3-4]."""
    stretches = groupby(names, key=lambda name: name.rstrip("0123456789"))
    return ",".join(_folded_in_order(list(stretch)) for _, stretch in stretches)


def _folded_in_order(names: list[str]) -> str:
    if names != sorted(set(names), key=natural):
        return ",".join(names)
    is_even = len(set(map(len, names))) == 1
    widths = groupby(names, key=lambda name: 0 if is_even else _padding(_split(name)[1]))
    return ",".join(fold(run) for _, run in widths)


def _padding(digits: str) -> int:
    """Width of zero padding; 0 without padding."""
    return len(digits) if digits.startswith("0") and len(digits) > 1 else 0


def fold_names(names: Iterable[str]) -> list[str]:
    """Fold the nodes in names of their parts, or in lines about nodes: n1 out, n2 out -> n[1-2] out."""
    together: dict[tuple[str, str], list[str]] = {}
    for name in sorted(names, key=natural):
        # Fold a number at the end, else that of the node name in front.
        node, space, rest = name.partition(" ")
        head, tail = (name, "") if name[-1:].isdigit() else (node, space + rest)
        together.setdefault((head.rstrip("0123456789"), tail), []).append(head)
    return [fold(heads) + tail for (_, tail), heads in together.items()]


def fold_groups(groups: Iterable[Sequence[str]]) -> str:
    """Fold sets of names of equal size: n[1-16], or "16 groups of 16 (n[1-16] ... n[241-256])"."""
    ordered = sorted(dict.fromkeys(map(tuple, groups)), key=lambda group: natural(group[0]))
    if len(ordered) == 1:
        return fold(ordered[0])
    size, ends = len(ordered[0]), " ... ".join((fold(ordered[0]), fold(ordered[-1])))
    return f"{len(ordered)} groups of {size} ({ends})"


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """A sort key that puts n2 before n10."""
    return tuple((text, int(digits or -1)) for text, digits in re.findall(r"(\D*)(\d*)", name)[:-1])


def _width_of(
    numbers: dict[tuple[str, int], list[int]], prefix: str, digits: str, padded: int
) -> int:
    """The width to which numbers are padded; 12 belongs to 08, 09 and 10 if these came before."""
    if not digits:
        return -1
    return len(digits) if padded or (prefix, len(digits)) in numbers else 0


def _split(name: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.*?)(\d{0,18})", name, re.DOTALL)
    assert match is not None
    return match[1], match[2]


def _folded(prefix: str, width: int, values: Sequence[int]) -> str:
    if width < 0:
        return prefix
    ranges = [_range(run, max(0, width)) for run in _runs(sorted(values))]
    single = len(values) == 1
    return f"{prefix}{ranges[0]}" if single else f"{prefix}[{','.join(ranges)}]"


def _runs(values: Sequence[int]) -> list[list[int]]:
    """Runs of consecutive numbers."""
    stretches = groupby(enumerate(values), key=lambda pair: pair[1] - pair[0])
    return [[value for _, value in stretch] for _, stretch in stretches]


def _range(run: Sequence[int], width: int) -> str:
    first, last = f"{run[0]:0{width}d}", f"{run[-1]:0{width}d}"
    return first if len(run) == 1 else f"{first}-{last}"
