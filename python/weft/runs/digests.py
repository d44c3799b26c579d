"""Steps of which a run keeps some transfers only: what it records of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.runs.columns.table_stream import GrowingTable, read_growing
from weft.runs.columns.tables import (
    BOTTLENECK_COUNTS_NAME,
    BOTTLENECKS_NAME,
    PHASES_NAME,
    RATE_COUNTS_NAME,
    SCHEMAS,
    phase_code,
)
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta, Warning

PHASES_SCHEMA = SCHEMAS[PHASES_NAME]
"""A row for each phase, about all of its transfers; quantiles are by nearest rank."""

RATES_SCHEMA = SCHEMAS[RATE_COUNTS_NAME]
BOTTLENECKS_SCHEMA = SCHEMAS[BOTTLENECK_COUNTS_NAME]


def sampled_steps(meta: RunMeta) -> set[int]:
    """The steps of which samples hold some transfers only."""
    return {int(entry["step"]) for entry in meta.sampled}


def lacks_tables(run: RunFolder) -> bool:
    """Whether phases with samples have no bottlenecks: a simulation was killed before it wrote its step's tables."""
    sampled = pa.array(sampled_steps(run.meta), pa.int32())
    known = pc.unique(phase_code(run.side_table(BOTTLENECKS_NAME)))
    measured = phase_code(run.samples.filter(~pc.is_in(pc.field("step"), sampled)))
    return not pc.all(pc.is_in(measured, value_set=known), min_count=0).as_py()


def sampled_warning(name: str, meta: RunMeta) -> list[Warning]:
    """Warnings for a comparison of single routes of two runs."""
    entries = meta.sampled
    return [
        Warning(
            "sampled-routes",
            f"{name} keeps {entry['rows']:,} samples of {entry['transfers']:,} transfers of step "
            f"{meta.plan.steps[entry['step']].name!r}: only these are compared",
            "they were chosen by a hash of phase and ends, whatever their rates; `weft show` counts all",
        )
        for entry in entries
    ]


@dataclass(frozen=True)
class Digests:
    """`phases` (PHASES_SCHEMA), and all transfers counted by rate and by what held them back."""

    phases: pa.Table
    rates: pa.Table
    bottlenecks: pa.Table

    @classmethod
    def of(cls, run: RunFolder) -> Digests:
        """Empty tables where a run kept every transfer; raises RequestError where those of a step are lost."""
        found = cls(*map(run.stored_table, _NAMES))
        have = sampled_steps(run.meta) & set(run.samples["step"].unique().to_pylist())
        if lost := have - set(found.phases["step"].unique().to_pylist()):
            raise RequestError(
                f"{run.directory / PHASES_NAME}: has no rows of step {min(lost)}",
                f"`weft run --resume {run.directory}` computes again what is damaged",
            )
        return found

    def of_step(self, step: int) -> Digests:
        """Those of one step."""
        mine = pc.field("step") == step
        return Digests(*(getattr(self, each.name).filter(mine) for each in fields(self)))

    @property
    def transfers(self) -> int:
        """How many there were in all."""
        return int(pc.sum(self.phases["transfers"]).as_py() or 0)

    def quantiles_mbps(self, parts: Sequence[float]) -> list[float]:
        """Rates of transfers by nearest rank, 0.1 % too low at most; the slowest and the fastest are exact."""
        order = np.argsort(self.rates["least_mbps"].to_numpy(), kind="stable")
        least: Floats = self.rates["least_mbps"].to_numpy()[order]
        upto = np.cumsum(self.rates["transfers"].to_numpy()[order])
        slowest = float(pc.min(self.phases["slowest_mbps"]).as_py())
        fastest = float(pc.max(self.phases["fastest_mbps"]).as_py())
        at = np.searchsorted(upto, np.asarray(parts) * upto[-1])
        found = np.where(np.asarray(parts) == 1.0, fastest, least[at])
        return [float(rate) for rate in np.maximum(found, slowest)]

    def bottleneck_counts(self) -> list[tuple[str, int]]:
        """The constraints that held transfers back, those first that did most often."""
        counted = self.bottlenecks.group_by("bottleneck").aggregate([("transfers", "sum")])
        rows = [(row["bottleneck"], row["transfers_sum"]) for row in counted.to_pylist()]
        return sorted(rows, key=lambda row: (-row[1], row[0]))


class DigestWriter:
    """Appends the digests of some phases at a time. What an earlier process left is kept where `samples` have it too:
    a kill may have come between the two."""

    def __init__(self, directory: Path, samples: pa.Table) -> None:
        known = pc.unique(phase_code(samples))
        self._streams = [
            GrowingTable(path, before.filter(pc.is_in(phase_code(before), value_set=known)))
            for path, before in _tables(directory)
        ]

    def append(self, digests: Digests) -> None:
        """To be called before the samples of these phases are appended."""
        for stream, each in zip(self._streams, fields(digests), strict=True):
            stream.append(getattr(digests, each.name))

    def finish(self) -> None:
        """No more is to come."""
        for stream in self._streams:
            stream.finish()


def _tables(directory: Path) -> list[tuple[Path, pa.Table]]:
    return [(directory / name, read_growing(directory / name)) for name in _NAMES]


_NAMES = (PHASES_NAME, RATE_COUNTS_NAME, BOTTLENECK_COUNTS_NAME)
