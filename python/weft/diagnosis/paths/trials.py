"""What a run measured of connections with ports: its phases, read as rounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from weft.diagnosis.paths.connection import Connection, LeafPair
from weft.diagnosis.paths.sorting import Round, Sorting, sort_paths
from weft.diagnosis.xray.trial import Trial, trials
from weft.runs.records import Chosen


@dataclass
class Measured:
    """Of one pair of leaves: what connections had by themselves, and rounds of several."""

    alone: dict[Connection, list[float]] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    _sorted: Sorting | None = None

    def add(self, mbps: dict[Connection, float]) -> None:
        """A phase's rates, those of the connection that was asked about first."""
        asked = next(iter(mbps))
        if len(mbps) == 1:
            self.alone.setdefault(asked, []).append(mbps[asked])
        else:
            self.rounds.append(Round(asked, mbps))
        self._sorted = None

    def sorted(self) -> Sorting:
        """What follows from all of it."""
        if self._sorted is None:
            self._sorted = sort_paths(self.alone, self.rounds)
        return self._sorted


@dataclass
class PathLog:
    """All pairs of leaves as far as the samples of a step have been read, which only become more."""

    step: int
    pairs: Sequence[LeafPair]
    found: list[Measured] = field(init=False)
    _rows: int = 0

    def __post_init__(self) -> None:
        self.found = [Measured() for _ in self.pairs]
        self._number_of = {
            (src, dst): pair.number
            for pair in self.pairs
            for src in pair.src.members
            for dst in pair.dst.members
        }

    def read(self, samples: pa.Table, records: Iterable[Chosen]) -> list[Measured]:
        """Go on; the ports of phases are those that run.json says."""
        new = samples.slice(self._rows)
        self._rows = samples.num_rows
        sent = {one["phase"]: one["transfers"] for one in records if one["step"] == self.step}
        for trial in trials(new, self.step):
            order = [Connection(t["src"], t["dst"], t.get("port", 0)) for t in sent[trial.phase]]
            for number, mbps in self._by_pair(trial, order).items():
                self.found[number].add(mbps)
        return self.found

    def _by_pair(
        self, trial: Trial, order: Sequence[Connection]
    ) -> dict[int, dict[Connection, float]]:
        """Rates by pair of leaves, the connections in the order in which they were asked for."""
        mbps = dict(zip(trial.flows, trial.mbps.tolist(), strict=True))
        found: dict[int, dict[Connection, float]] = defaultdict(dict)
        for one in order:
            ends = (one.src, one.dst)
            if ends in mbps and ends in self._number_of:
                found[self._number_of[ends]][one] = mbps[ends]
        return found
