"""Summaries of all transfers, for steps of which a run keeps only some."""

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
"""One row a phase, about all of its transfers; quantiles are by nearest rank."""

RATES_SCHEMA = SCHEMAS[RATE_COUNTS_NAME]
BOTTLENECKS_SCHEMA = SCHEMAS[BOTTLENECK_COUNTS_NAME]


def sampled_steps(meta: RunMeta) -> set[int]:
    """The steps whose samples have only some of the transfers."""
    return {int(entry["step"]) for entry in meta.sampled}


def lacks_tables(run: RunFolder) -> bool:
    """Whether phases with samples have no bottlenecks: a simulation was killed before it wrote the tables of its
    step."""
    sampled = pa.array(sampled_steps(run.meta), pa.int32())
    known = pc.unique(phase_code(run.side_table(BOTTLENECKS_NAME)))
    measured = phase_code(run.samples.filter(~pc.is_in(pc.field("step"), sampled)))
    return not pc.all(pc.is_in(measured, value_set=known), min_count=0).as_py()


def sampled_warning(name: str, meta: RunMeta) -> list[Warning]:
    """Warnings for a comparison of two runs by single routes."""
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
    """`phases` (PHASES_SCHEMA), and the number of transfers by rate and by bottleneck."""

    phases: pa.Table
    rates: pa.Table
    bottlenecks: pa.Table

    @classmethod
    def of(cls, run: RunFolder) -> Digests:
        """The digests of a run; empty if it kept every transfer. Raises RequestError if those of a step are lost."""
        found = cls(*map(run.stored_table, _NAMES))
        have = sampled_steps(run.meta) & set(run.samples["step"].unique().to_pylist())
        if lost := have - set(found.phases["step"].unique().to_pylist()):
            raise RequestError(
                f"{run.directory / PHASES_NAME}: has no rows of step {min(lost)}",
                f"`weft run --resume {run.directory}` computes again what is damaged",
            )
        return found

    def of_step(self, step: int) -> Digests:
        """The digests of one step."""
        mine = pc.field("step") == step
        return Digests(*(getattr(self, each.name).filter(mine) for each in fields(self)))

    @property
    def transfers(self) -> int:
        """Total number of transfers."""
        return int(pc.sum(self.phases["transfers"]).as_py() or 0)

    def quantiles_mbps(self, parts: Sequence[float]) -> list[float]:
        """Rates of transfers by nearest rank, at most 0.1 % too low; the minimum and the maximum are exact."""
        order = np.argsort(self.rates["least_mbps"].to_numpy(), kind="stable")
        least: Floats = self.rates["least_mbps"].to_numpy()[order]
        upto = np.cumsum(self.rates["transfers"].to_numpy()[order])
        slowest = float(pc.min(self.phases["slowest_mbps"]).as_py())
        fastest = float(pc.max(self.phases["fastest_mbps"]).as_py())
        at = np.searchsorted(upto, np.asarray(parts) * upto[-1])
        found = np.where(np.asarray(parts) == 1.0, fastest, least[at])
        return [float(rate) for rate in np.maximum(found, slowest)]

    def bottleneck_counts(self) -> list[tuple[str, int]]:
        """Constraints that limited transfers, the most frequent first."""
        counted = self.bottlenecks.group_by("bottleneck").aggregate([("transfers", "sum")])
        rows = [(row["bottleneck"], row["transfers_sum"]) for row in counted.to_pylist()]
        return sorted(rows, key=lambda row: (-row[1], row[0]))


class DigestWriter:
    """Appends digests of a few phases at a time. Rows of an earlier process are kept if `samples` have their phases
    too: it may have been killed between writing the two."""

    def __init__(self, directory: Path, samples: pa.Table) -> None:
        known = pc.unique(phase_code(samples))
        self._streams = [
            GrowingTable(path, before.filter(pc.is_in(phase_code(before), value_set=known)))
            for path, before in _tables(directory)
        ]

    def append(self, digests: Digests) -> None:
        """Append digests; call it before the samples of these phases are appended."""
        for stream, each in zip(self._streams, fields(digests), strict=True):
            stream.append(getattr(digests, each.name))

    def finish(self) -> None:
        """Write the tables at the end of the run."""
        for stream in self._streams:
            stream.finish()


def _tables(directory: Path) -> list[tuple[Path, pa.Table]]:
    return [(directory / name, read_growing(directory / name)) for name in _NAMES]


_NAMES = (PHASES_NAME, RATE_COUNTS_NAME, BOTTLENECK_COUNTS_NAME)
