"""Merges the findings of several networks between the same nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.base.nodeset import fold
from weft.understand.limits.findings import LimitFindings


def on_network(found: LimitFindings, number: int) -> LimitFindings:
    """The findings labelled with the number of their network, from 1."""
    return replace(
        found,
        network=number,
        limits=[replace(one, network=number) for one in found.limits],
        slow=[replace(one, network=number) for one in found.slow],
    )


def over_networks(found: Sequence[LimitFindings]) -> LimitFindings:
    """The merged findings of all networks, which also hold those of each; groups are those of the first network."""
    return replace(
        found[0],
        verdict=" ".join(_verdicts(found)),
        network=None,
        networks=list(found),
        limits=[limit for one in found for limit in one.limits],
        slow=[slow for one in found for slow in one.slow],
        undecided=_numbered(found, "undecided"),
        differences=_numbered(found, "differences"),
        unobservable=_numbered(found, "unobservable"),
        has_several_paths=any(one.has_several_paths for one in found),
        paths=None,
        grey=None,
    )


def _verdicts(found: Sequence[LimitFindings]) -> list[str]:
    """The distinct verdicts, each with its networks."""
    numbers: dict[str, list[str]] = {}
    for one in found:
        numbers.setdefault(one.verdict, []).append(str(one.network))
    return [f"{named(of)}: {verdict}" for verdict, of in numbers.items()]


def named(numbers: Sequence[str]) -> str:
    """For example "Network 3" or "Networks 1-2,4"."""
    if len(numbers) == 1:
        return f"Network {numbers[0]}"
    return f"Networks {fold(numbers).strip('[]')}"


def _numbered(found: Sequence[LimitFindings], name: str) -> list[str]:
    return [f"network {one.network}: {text}" for one in found for text in getattr(one, name)]
