"""The measurements of connections with ports: phases of a run, read as rounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import pyarrow as pa

from weft.runs.experiment import experiments_of
from weft.runs.records.records import ChosenPhase, Kind
from weft.understand.paths.apart import apart, beside
from weft.understand.paths.connection import LeafPair, PathConnection
from weft.understand.paths.placing import sort_paths
from weft.understand.paths.sorting import PathAssignment, PathRound, best_alone
from weft.understand.paths.wide import WidePathAssignment, sort_wide
from weft.understand.xray.flows import Flow
from weft.understand.xray.trial import trials


@dataclass
class LeafPairTrials:
    """The measurements of one pair of leaves: rates of connections alone, and rounds of several."""

    pair: LeafPair | None = None
    alone: dict[PathConnection, list[float]] = field(default_factory=dict)
    rounds: list[PathRound] = field(default_factory=list)
    looks: list[PathRound] = field(default_factory=list)
    """Rounds of random connections, in which only slow paths cause losses, once paths are known to be wide."""
    beside: list[PathRound] = field(default_factory=list)
    """Rounds with a new connection beside some that do not disturb each other."""
    heads: tuple[PathConnection, ...] = ()
    """The largest set of such a round that got full rates, including the new connection."""
    _sorted: PathAssignment | None = None

    def add(self, mbps: dict[PathConnection, float], kind: Kind) -> None:
        """Adds the rates of a phase; the first connection is the one in question."""
        asked = next(iter(mbps))
        if kind == "look":
            self.looks.append(PathRound(asked, mbps))
            return
        if kind == "apart":
            self._add_beside(PathRound(asked, mbps))
        elif len(mbps) == 1:
            self.alone.setdefault(asked, []).append(mbps[asked])
        else:
            self.rounds.append(PathRound(asked, mbps))
        self._sorted = None

    def _add_beside(self, one: PathRound) -> None:
        self.beside.append(one)
        found = self._apart([one])
        if len(found) == len(one.mbps) > len(self.heads):
            self.heads = found

    def sorted(self) -> PathAssignment:
        """The connections sorted by path, from all measurements."""
        if self._sorted is None:
            self._sorted = self._sort(self.heads if self.alone.keys() >= set(self.heads) else ())
            if self._is_another_number(self._sorted):
                self._sorted = self._sort(self.apart())
        return self._sorted

    def _sort(self, heads: Sequence[PathConnection]) -> PathAssignment:
        return sort_paths(self.alone, self.rounds, heads, self._has_choices)

    def _is_another_number(self, found: PathAssignment) -> bool:
        """Whether, once all is tried, the number of paths differs from the number of connections on different paths."""
        together = self.apart() if self._has_choices and found.joined and not found.wanted else ()
        if not together or len(together) == len(found.paths) or self.next_beside():
            return False
        return self.alone.keys() >= set(together)

    @property
    def _has_choices(self) -> bool:
        return self.pair is not None and self.pair.has_choices

    def next_beside(self) -> list[tuple[PathConnection, ...]]:
        """The next rounds with a new connection beside some on different paths; only after several hashed hops."""
        if self.pair is None or not self.pair.has_choices:
            return []
        return beside(self.pair, self.apart(), self.beside)

    def apart(self) -> tuple[PathConnection, ...]:
        """The largest set of connections found not to disturb each other; a single one if there is none."""
        found = self._apart([*self.beside, *self.rounds])
        return found or tuple(self.alone)[:1]

    def _apart(self, rounds: Sequence[PathRound]) -> tuple[PathConnection, ...]:
        alone = best_alone(self.alone)
        return apart(alone, float(np.median(list(alone.values()))), rounds)

    def slow_paths(self) -> WidePathAssignment:
        """The connections sorted by slow path, from all measurements, if paths are wide."""
        return sort_wide(best_alone(self.alone, self.rounds), self.rounds, self.looks)


@dataclass
class PathLog:
    """The measurements of all pairs of leaves, read incrementally from the growing samples of a step."""

    step: int
    pairs: Sequence[LeafPair]
    found: list[LeafPairTrials] = field(init=False)
    _rows: int = 0

    def __post_init__(self) -> None:
        self.found = [LeafPairTrials(pair) for pair in self.pairs]
        self._number_of = {
            (src, dst): pair.number
            for pair in self.pairs
            for src in pair.src.members
            for dst in pair.dst.members
        }

    def read(self, samples: pa.Table, records: Iterable[ChosenPhase]) -> list[LeafPairTrials]:
        """Reads the new samples; `records` are the phases in run.json, which give the ports."""
        new = samples.slice(self._rows)
        self._rows = samples.num_rows
        sent = {one["phase"]: _rounds(one) for one in records if one["step"] == self.step}
        for trial in trials(new, self.step):
            mbps = dict(zip(trial.flows, trial.mbps.tolist(), strict=True))
            for connections, kind in sent[trial.phase]:
                self._add(connections, kind, mbps)
        return self.found

    def _add(
        self, connections: Sequence[PathConnection], kind: Kind, mbps: Mapping[Flow, float]
    ) -> None:
        """Adds a round; a round that lacks a connection, because a node was lost, is ignored."""
        ends = [(one.src, one.dst) for one in connections]
        if all(one in mbps and one in self._number_of for one in ends):
            rates = {one: mbps[flow] for one, flow in zip(connections, ends, strict=True)}
            self.found[self._number_of[ends[0]]].add(rates, kind)


def _rounds(record: ChosenPhase) -> list[tuple[list[PathConnection], Kind]]:
    """The connections of each experiment of a phase, in the order of the request, with its kind. Within an experiment,
    each node either sends or receives, and only once."""
    sent = iter([PathConnection(t["src"], t["dst"], t.get("port", 0)) for t in record["transfers"]])
    return [(list(islice(sent, len(one.within) // 2)), one.kind) for one in experiments_of(record)]
