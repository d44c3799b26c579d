"""Sentences about paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from weft.base.nodeset import fold
from weft.base.quantity import significant
from weft.understand.paths.blame import BadLink
from weft.understand.paths.leaf_paths import LeafPaths
from weft.understand.paths.sorting import RARE

FEWER = 0.5
"""If the number of paths is not exact, one path less may be two that were not distinguished, but not half of them."""
MOST_SHOWN = 3
"""The most pairs of leaves listed for the same kind of sentence (the rest are counted), and the most ports listed."""

NO_LEAVES = (
    "All nodes are at one switch as far as round trips show: there are no paths to tell apart."
)
WIDE = "Links between leaves are wider than two nodes can fill, so paths are told apart only where they are slow."
NOT_TOLD = (
    "Connections between leaves do not disturb each other: links are wider than two nodes can fill, or packets are "
    "sprayed over all paths. The paths cannot be told apart."
)

TOO_FEW = "Too few connections between leaves could be sorted to tell paths apart."


def sprayed(share: float) -> str:
    """The sentence for packets that are reordered within connections."""
    return (
        f"Packets of one connection overtake each other ({100 * share:.1f} % of them): switches spray packets, or "
        "short bursts of them, over all paths. A connection has no path of its own, so there are none to tell apart."
    )


def cut_short(pairs: Sequence[LeafPaths], end: str) -> list[str]:
    """A sentence that the search was interrupted; empty if it was not."""
    left = sum(not one.is_complete for one in pairs)
    if not left:
        return []
    which = "any" if left == len(pairs) else str(left)
    text = f"{end} before the connections of {which} of {len(pairs)} pairs of leaves were sorted."
    is_none = not any(one.paths for one in pairs if not one.is_complete)
    return [f"{text} No path between these is known yet." if is_none else text]


class Words:
    """Sentences with the names of the nodes."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def count(self, told: Sequence[LeafPaths]) -> str:
        """The number of paths, and whether ports matter."""
        counted = [one for one in told if one.kind != "wide"]
        if not counted:
            return WIDE
        complete = [one for one in counted if one.is_complete]
        counts = Counter(len(one.paths) for one in complete or counted)
        usual = max(counts, key=lambda count: (counts[count], count))
        by_address = [one for one in told if one.kind == "by address"]
        many = f"{'' if complete else 'at least '}{_paths(usual)}"
        text = f"Leaves reach each other over {many}"
        if len(by_address) > len(told) / 2:
            text += (
                "; the hash ignores ports, so that all connections of two nodes take the same one"
            )
        return f"{text}."

    def uneven(self, told: Sequence[LeafPaths]) -> list[str]:
        """Sentences about pairs of leaves with a significant imbalance, corrected for their number (Bonferroni)."""
        known = [(one, one.balance) for one in told if one.balance and one.is_complete]
        uneven = [(one, b) for one, b in known if b.p_value < RARE / len(known)]
        said = [
            f"{self.ends(one)}: the hash is not even: the fullest path has {balance.max_to_mean:.1f} times the mean "
            f"of connections (by chance up to {balance.max_to_mean_by_chance.high:.1f}), Jain's index is "
            f"{balance.jain:.2f} (by chance from {balance.jain_by_chance.low:.2f})."
            for one, balance in uneven
        ]
        return _shortened(said)

    def asymmetric(self, told: Sequence[LeafPaths]) -> list[str]:
        """Sentences about leaves with more paths in one direction than in the other, each two once."""
        sure = {(one.src, one.dst): one for one in told if one.is_sure and one.kind != "wide"}
        said = [
            f"{self.ends(one)} there {_are(len(one.paths))}, and back {len(back.paths)}: routes are not symmetric."
            for ends, one in sure.items()
            if (back := sure.get(ends[::-1])) and are_fewer(back, len(one.paths))
        ]
        return _shortened(said)

    def slow(self, link: BadLink) -> str:
        """The capacity of a slow link, and the connections that take it."""
        usual = float(np.median([each.usual_mbps for each, _ in link.found]))
        return (
            f"{self._where(link)} carries {significant(capacity_mbps(link), 3)} Mb/s, the others "
            f"{significant(usual, 3)}; {self._taken(link)}."
        )

    def lossy(self, link: BadLink) -> str:
        """The loss of a lossy link, and the connections that take it."""
        return f"{self._where(link)} loses {100 * loss_share(link):.1f} % of the frames; {self._taken(link)}."

    def lines(self, pairs: Sequence[LeafPaths]) -> Iterator[str]:
        """A line for each pair of leaves."""
        for one in pairs:
            if not one.paths:
                yield f"{self.ends(one)}: {one.kind if one.is_complete else _tried(one)}"
                continue
            paths = ", ".join(
                f"{'' if path.is_full else '>= '}{significant(path.capacity_mbps.median, 3)} "
                f"({100 * path.share.median:.0f} %)"
                for path in one.paths
            )
            many = _paths(len(one.paths))
            if one.kind == "wide":
                many = f"{_slow_count(len(one.paths) - 1)} and others"
            if not one.is_complete:
                many = f"at least {many} (cut short)"
            yield f"{self.ends(one)}: {many}, Mb/s (share of connections): {paths}"

    def ends(self, one: LeafPaths) -> str:
        """For example "n[1-4] to n[5-8]"."""
        return f"{self._fold(one.src)} to {self._fold(one.dst)}"

    def _fold(self, nodes: Sequence[int]) -> str:
        return fold(self._names[node] for node in nodes)

    def _where(self, link: BadLink) -> str:
        pair = link.found[0][0]
        of = "of several" if pair.kind == "wide" else f"of {_count(pair)}"
        return {
            "out": f"Leaf {self._fold(link.leaf)}: 1 {of} uplinks",
            "in": f"Leaf {self._fold(link.leaf)}: 1 {of} links down to it",
            "between": f"From {self._fold(link.leaf)} to {self._fold(link.other)} 1 {of} paths",
        }[link.side]

    def _taken(self, link: BadLink) -> str:
        ports = [
            f"{self._names[c.src]}:{c.port} to {self._names[c.dst]}"
            for _, path in link.found
            for c in path.connections
        ]
        more = ", ..." if len(ports) > MOST_SHOWN else ""
        shown = ", ".join(ports[:MOST_SHOWN]) + more
        return f"{100 * share(link):.0f} % of connections take it ({shown})"


def capacity_mbps(link: BadLink) -> float:
    """The median capacity of the paths over a link."""
    return float(np.median([path.capacity_mbps.median for _, path in link.found]))


def loss_share(link: BadLink) -> float:
    """The median loss of the paths over a lossy link."""
    return float(np.median([path.loss_share or 0.0 for _, path in link.found]))


def share(link: BadLink) -> float:
    """The share of connections that take a link."""
    return float(np.mean([path.share.median for _, path in link.found]))


def are_fewer(one: LeafPaths, paths: int, is_exact: bool = False) -> bool:
    """Whether there are significantly fewer than `paths`: with that many equal paths, the connections would hardly miss
    one (union bound). If the number is not exact, after several hashed hops, several paths may be mistaken for one."""
    connections = sum(len(path.connections) for path in one.paths)
    most = paths - 1 if is_exact else FEWER * paths
    return len(one.paths) <= most and paths * (1 - 1 / paths) ** connections < RARE


def _count(pair: LeafPaths) -> str:
    return f"{'' if pair.is_complete else 'at least '}{len(pair.paths)}"


def _paths(count: int) -> str:
    return f"{count} path{'s' if count > 1 else ''}"


def _tried(one: LeafPaths) -> str:
    """The text for an interrupted search without a path yet."""
    return f"cut short, {one.undecided or 'no'} connections tried"


def _slow_count(count: int) -> str:
    return f"{count} slow path{'s' if count > 1 else ''}"


def _are(count: int) -> str:
    return f"are {count} paths" if count > 1 else "is 1 path"


def _shortened(said: list[str]) -> list[str]:
    left = len(said) - MOST_SHOWN
    return said if left <= 0 else [*said[:MOST_SHOWN], f"The same holds of {left} more."]
