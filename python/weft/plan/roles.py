"""A phase seen by its nodes: which take part, what each has to do, and what remains without some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any

Phase = dict[str, Any]
"""A phase as `weft._core.expand_step` gives it; one chosen during the run also has its own `stop`."""


def participants(phase: Phase) -> set[int]:
    """The nodes that send or receive in a phase."""
    return {node for one in phase["transfers"] for node in (one["src"], one["dst"])}


def without(phase: Phase, lost: Collection[int]) -> Phase:
    """The phase without some nodes: their transfers are left out, and a chain closes up behind them."""
    if not participants(phase) & set(lost):
        return phase
    if phase["work"] == "cast":
        return phase | {"transfers": _closed_chains(phase["transfers"], lost)}
    kept = [one for one in phase["transfers"] if one["src"] not in lost and one["dst"] not in lost]
    return phase | {"transfers": kept}


def parts(phase: Phase, nodes: Iterable[int], step: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """What each of the nodes is told of a phase; takes time in proportion to nodes and transfers."""
    common = {
        "phase": phase["index"],
        "work": phase["work"],
        "size_bytes": phase["size_bytes"],
        "stop": phase.get("stop", step["stop"]),
        "chunk_bytes": step["pattern"].get("chunk_bytes"),
    }
    found: dict[int, dict[str, Any]] = {
        node: common | {"send": [], "receive": []} for node in nodes
    }
    for one in phase["transfers"]:
        found[one["src"]]["send"].append(_end(one, "dst"))
        found[one["dst"]]["receive"].append(_end(one, "src"))
    return found


def _end(transfer: dict[str, Any], peer: str) -> dict[str, Any]:
    return {
        peer: transfer[peer],
        "streams": transfer.get("streams", 1),
        "network": transfer.get("network", 0),
    }


def _closed_chains(links: list[dict[str, Any]], lost: Collection[int]) -> list[dict[str, Any]]:
    networks = dict.fromkeys(one.get("network", 0) for one in links)
    return [link for network in networks for link in _closed_chain(links, network, lost)]


def _closed_chain(
    links: list[dict[str, Any]], network: int, lost: Collection[int]
) -> list[dict[str, Any]]:
    """The links of one network's chain, in order, over the nodes that are left."""
    own = [one for one in links if one.get("network", 0) == network]
    chain = [own[0]["src"], *(one["dst"] for one in own)]
    left = [node for node in chain if node not in lost]
    return [own[0] | {"src": src, "dst": dst} for src, dst in pairwise(left)]
