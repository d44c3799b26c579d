"""Tuning a pair of nodes from Python: which settings are better than the current ones, with evidence."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from pathlib import Path

from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.faces.api.run import Run, opened
from weft.knobs.recommendation import Recommendation
from weft.measure.execute.host_settings import RestoredSetting, undo
from weft.measure.execute.progress import Showing, silent
from weft.operate.tuning import tune as tuning
from weft.operate.tuning.page.page import write_page
from weft.operate.tuning.request import USUAL_TIME_S, TuneRequest
from weft.operate.tuning.tables import candidates_table
from weft.operate.tuning.tuning import TuningResult as Found
from weft.runs.run_warnings import lines


class Tuning(Said):
    """The result of a tuning. Made by `weft.tune`."""

    def __init__(self, found: Found, folder: Path) -> None:
        self.found, self.folder = found, folder
        self.page = write_page(found, folder)
        """The page about it."""

    @property
    def recommendations(self) -> tuple[Recommendation, ...]:
        """The settings that are better, each confirmed; possibly none."""
        return self.found.recommendations

    @property
    def settings(self) -> dict[str, str]:
        """The recommended settings, by knob."""
        return self.found.settings

    @property
    def candidates(self) -> Table:
        """A row for each candidate of each race: `ratio` is its result over the baseline's, by the blocks of the race;
        null for the baseline. `dropped_after` is the block after which it was dropped."""
        return Table.of_results("Candidates", candidates_table(self.found.raced))

    @property
    def runs(self) -> dict[str, Run]:
        """The runs of the races, by knob."""
        return {one.choice.name: opened(one.result.folder) for one in self.found.raced}

    def lines(self) -> list[str]:
        """The verdict, then each recommendation with its evidence, and the warnings of the runs."""
        told = [line for one in self.recommendations for line in one.lines()]
        warned = (f"warning: {line}" for line in lines(self.found.warnings))
        return [f"{self.found.testbed}: {self.found.verdict}", *told, *warned]


def tune(
    on: str,
    *,
    goal: str | os.PathLike[str] = "stream",
    knobs: Sequence[str] = (),
    time_s: float = USUAL_TIME_S,
    out: str | os.PathLike[str] | None = None,
    apply: bool = False,
    apply_anyway: bool = False,
    scale: float | None = None,
    nodes: int | None = None,
    ports: str | None = None,
    showing: Showing = silent,
) -> Tuning:
    """Race settings between the first two nodes, and confirm what is better: `weft.tune("ssh:a,b").recommendations`.

    on: the testbed. goal: "stream", "latency", "mixed", or a plan. knobs: only these (`weft list knobs`). time_s: for
    the whole tuning. out: the folder of all runs; runs/tune-TIME by default. apply: leave the winning settings of hosts
    in place. apply_anyway: also tune the interface that ssh uses. scale, nodes, ports: as in `weft.run`. showing: shows
    the progress.

    Raises RequestError before anything is started, WorkError if the work fails, and KeyboardInterrupt on an interrupt:
    `weft.resume_tuning(folder)` continues it.
    """
    folder = Path(out or default_folder())
    request = TuneRequest(
        on,
        str(folder),
        os.fspath(goal),
        tuple(knobs),
        time_s,
        apply,
        apply_anyway,
        scale,
        nodes,
        ports,
    )
    return Tuning(tuning.tune(request, showing), folder)


def default_folder() -> Path:
    """The default folder of a tuning that starts now."""
    return Path(f"runs/tune-{datetime.datetime.now():%Y%m%d-%H%M%S}")


def resume_tuning(
    folder: str | os.PathLike[str], *, yes: bool = False, showing: Showing = silent
) -> Tuning:
    """Continue an interrupted tuning; measurements are kept. Raises RequestError if the folder is not a tuning.

    yes: run the commands and change the settings that the folder names, if there are any.
    """
    place = os.fspath(folder)
    approved = tuning.side_effects_of_tuning(place) if yes else []
    return Tuning(tuning.resume(place, showing, approved), Path(folder))


def undo_settings() -> list[RestoredSetting]:
    """Restore the settings of hosts that runs and tunings on this machine have changed and not restored.

    What cannot be restored says so in its `outcome`, and can be tried again.
    """
    return undo()
