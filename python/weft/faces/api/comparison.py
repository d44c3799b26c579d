"""Two runs side by side, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.faces.api.figures import chosen, figures_of
from weft.faces.api.public.function import public
from weft.faces.api.run import RunSource, opened
from weft.runs.folder import RunFolder as StoredRun
from weft.runs.meta import Warning
from weft.understand.comparison.comparison import compare as compare_runs
from weft.understand.comparison.tables import points_table

if TYPE_CHECKING:
    import altair

    from weft.understand.drawing.figure import Figure

SHOWN = 6
"""Differing nodes and warnings that are printed."""


class Comparison(Said):
    """Throughput of run a over that of run b. Made by `weft.compare`."""

    def __init__(
        self,
        a: StoredRun,
        b: StoredRun,
        more_a: Sequence[StoredRun] = (),
        more_b: Sequence[StoredRun] = (),
    ) -> None:
        self._runs = a, *more_a, b, *more_b
        self.compared = compare_runs(a, b, more_a, more_b)
        """All that was found, as `weft compare --json` has it."""

    @cached_property
    def points(self) -> Table:
        """What both runs measured (shape: sizes, loads and routes): throughput of each, and the ratio of a's to b's.

        `is_significant` is null if launches are too few to prove a difference. `noise_a_share` is how much run a
        differs from itself. `src` and `dst` are set for routes between many nodes, `gamma` and `users` for loads;
        otherwise null.
        """
        return Table.of_results("Points", points_table(self.compared.each()))

    @property
    def warnings(self) -> list[Warning]:
        """What could not be compared, and which conclusions are impossible."""
        return self.compared.warnings

    @cached_property
    def figures(self) -> list[str]:
        """The names that `plot` accepts."""
        return [figure.name for figure in self._figures]

    @public
    def plot(self, figure: str | None = None) -> altair.TopLevelMixin:
        """All runs in one figure of the report: one of `figures`, or the most informative one."""
        return chosen(self._figures, figure)

    def lines(self) -> list[str]:
        """How far apart the runs are, and where with certainty."""
        found = self.compared
        decided = found.judgement.significant
        errors = (
            f"middle difference {found.median_abs_error_pct:.3g} %, largest "
            f"{found.worst_abs_error_pct:.3g} %"
        )
        known = [one for one in decided if one is not None]
        sure = (
            f"{sum(known):,} of {len(known):,} differ, {found.simultaneous.assumption}"
            if known
            else f"too few {found.simultaneous.units} to say where surely: {_launches(*found.judgement.launches)}"
        )
        warned = [f"warning: {one.message} [{one.code}]" for one in found.warnings[:SHOWN]]
        said = (
            f"not comparable: {found.not_comparable}"
            if found.not_comparable
            else f"{errors}; {sure}"
        )
        return [f"{found.a} over {found.b}: {said}", *warned]

    @cached_property
    def _figures(self) -> list[Figure]:
        return figures_of(self._runs)


def _launches(a: int, b: int) -> str:
    """The numbers of launches of two runs: "3 of each", "1 and 3"."""
    return f"{a} of each" if a == b else f"{a} and {b}"


def compare(
    a: RunSource,
    b: RunSource,
    more_a: Iterable[RunSource] = (),
    more_b: Iterable[RunSource] = (),
) -> Comparison:
    """Compare two runs, or their folders: `weft.compare("runs/before", "runs/after").points.to_pandas()`.

    Sizes are matched exactly, never interpolated; raises RequestError if the runs share none. With `more_a` and
    `more_b`, further runs of either network, whole runs are the repetitions, so that differences between runs of one
    network count as chance. Four runs on each side are enough, or three on one side and four on the other.
    """
    more = [[opened(one).stored for one in side] for side in (more_a, more_b)]
    return Comparison(opened(a).stored, opened(b).stored, *more)
