"""What a run of the pattern paths says, in sentences and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.diagnosis.paths.blame import Slowness, slow_links
from weft.diagnosis.paths.connection import leaf_pairs
from weft.diagnosis.paths.document import PathsDocument, SlowEntry
from weft.diagnosis.paths.leaf_paths import LeafPaths, leaf_paths
from weft.diagnosis.paths.leaves import leaves_of
from weft.diagnosis.paths.trials import PathLog
from weft.diagnosis.xray.survey import take_survey
from weft.nodeset import fold
from weft.quantity import significant
from weft.runs.folder import Run

UNEVEN = 0.01
"""Where chance alone gives such an imbalance more rarely, the hash is not even."""
MOST_PORTS_SHOWN = 6


@dataclass(frozen=True)
class PathReport:
    """Paths by pair of leaves, and the slow links among them."""

    names: tuple[str, ...]
    pairs: tuple[LeafPaths, ...]
    slow: tuple[Slowness, ...]

    @property
    def verdict(self) -> str:
        """All that matters in a few sentences."""
        told = [one for one in self.pairs if one.paths]
        if not self.pairs:
            return "All nodes are at one switch as far as round trips show: there are no paths to tell apart."
        if not told:
            return (
                "Connections between leaves do not disturb each other: links are wider than two nodes can fill, or "
                "packets are sprayed over all paths. The paths cannot be told apart."
            )
        bad = [self._slow_text(one) for one in self.slow]
        return " ".join(
            [self._count_text(told), *self._uneven(told), *(bad or ["No path is slow."])]
        )

    def lines(self) -> Iterator[str]:
        """A line for each pair of leaves."""
        for one in self.pairs:
            ends = f"{self._fold(one.src)} to {self._fold(one.dst)}"
            if not one.paths:
                yield f"{ends}: {one.kind}"
                continue
            paths = ", ".join(
                f"{'' if path.is_full else '>= '}{significant(path.capacity_mbps.median, 3)} "
                f"({100 * path.share.median:.0f} %)"
                for path in one.paths
            )
            yield f"{ends}: {len(one.paths)} paths, Mb/s (share of connections): {paths}"

    def to_json(self) -> PathsDocument:
        """As `weft diagnose --json` has it."""
        names = list(self.names)
        slow: list[SlowEntry] = [
            {
                "side": one.side,
                "leaf": [names[node] for node in one.leaf],
                "to": [names[node] for node in one.other] if one.side == "between" else None,
                "capacity_mbps": _capacity(one),
                "share": _share(one),
            }
            for one in self.slow
        ]
        return {"pairs": [one.to_json(names) for one in self.pairs], "slow": slow}

    def _fold(self, nodes: Sequence[int]) -> str:
        return fold(self.names[node] for node in nodes)

    def _count_text(self, told: Sequence[LeafPaths]) -> str:
        counts = Counter(len(one.paths) for one in told)
        usual = max(counts, key=lambda count: (counts[count], count))
        by_address = [one for one in told if one.kind == "by address"]
        text = f"Leaves reach each other over {usual} path{'s' if usual > 1 else ''}"
        if len(by_address) > len(told) / 2:
            text += (
                "; the hash ignores ports, so that all connections of two nodes take the same one"
            )
        return f"{text}."

    def _uneven(self, told: Sequence[LeafPaths]) -> list[str]:
        """Said where even the worst of so many pairs of leaves is not by chance (Bonferroni)."""
        known = [(one, one.balance) for one in told if one.balance]
        uneven = [(one, b) for one, b in known if b.p_value < UNEVEN / len(known)]
        return [
            f"{self._fold(one.src)} to {self._fold(one.dst)}: the fullest path has {balance.max_to_mean:.1f} times the "
            f"mean of connections (by chance up to {balance.max_to_mean_by_chance.high:.1f})."
            for one, balance in uneven
        ]

    def _slow_text(self, one: Slowness) -> str:
        pair = one.found[0][0]
        usual = float(np.median([each.usual_mbps for each, _ in one.found]))
        ends = {
            "out": f"Leaf {self._fold(one.leaf)}: 1 of {len(pair.paths)} uplinks carries",
            "in": f"Leaf {self._fold(one.leaf)}: 1 of {len(pair.paths)} links down to it carries",
            "between": f"From {self._fold(one.leaf)} to {self._fold(one.other)} 1 of {len(pair.paths)} paths carries",
        }[one.side]
        rate = _capacity(one)
        ports = [
            f"{self.names[c.src]}:{c.port} to {self.names[c.dst]}"
            for _, path in one.found
            for c in path.connections
        ]
        shown = ", ".join(ports[:MOST_PORTS_SHOWN]) + (
            ", ..." if len(ports) > MOST_PORTS_SHOWN else ""
        )
        return (
            f"{ends} {significant(rate, 3)} Mb/s, the others {significant(usual, 3)}; "
            f"{100 * _share(one):.0f} % of connections take it ({shown})."
        )


def _capacity(one: Slowness) -> float:
    return float(np.median([path.capacity_mbps.median for _, path in one.found]))


def _share(one: Slowness) -> float:
    return float(np.mean([path.share.median for _, path in one.found]))


def path_report(run: Run, step: int) -> PathReport:
    """Everything that a step of the pattern paths shows, whole or cut short."""
    meta = run.meta
    names = [str(node["name"]) for node in meta.nodes]
    lost = frozenset(names.index(entry["node"]) for entry in meta.lost if entry["node"] in names)
    survey = take_survey(run.samples, meta.plan, len(names), lost)
    pairs = leaf_pairs(leaves_of(survey.round_trip_us, survey.nodes))
    found = PathLog(step, pairs).read(run.samples, meta.phases)
    told = tuple(leaf_paths(pair, one.sorted()) for pair, one in zip(pairs, found, strict=True))
    return PathReport(tuple(names), told, tuple(slow_links(told)))
