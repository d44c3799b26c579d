"""What to do about a cluster, from Python; and whether it helped."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from pathlib import Path

from weft.decisions.recommendations.folder import summary
from weft.decisions.recommendations.judging import JudgingRequest
from weft.decisions.recommendations.recommend import recommend as work_out
from weft.decisions.recommendations.recommendations import RecommendationList as Found
from weft.decisions.recommendations.tables import actions_table
from weft.decisions.recommendations.verify import Verification as Verification
from weft.decisions.recommendations.verify import VerifyRequest, side_effects_of_verification
from weft.decisions.recommendations.verify import verify as carry_out
from weft.decisions.recommendations.words import action_text
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.measure.execute.progress import Showing, silent
from weft.plan.load import setting_text
from weft.runs.run_warnings import lines


class Recommendations(Said):
    """What to do about a cluster, in order of value. Made by `weft.recommend`."""

    def __init__(self, found: Found) -> None:
        self.found = found
        """All of it, as recommendations.json has it."""

    @property
    def verdict(self) -> str:
        """The verdict in a sentence, which may be that nothing needs doing."""
        return self.found.verdict

    @property
    def actions(self) -> Table:
        """The most valuable first, then what not to do (kind "do-nothing"). `ratio` is the factor by which the workload
        improves; null if unknown."""
        return Table.of_results("actions", actions_table("", self.found.all))

    @property
    def summary(self) -> str:
        """All recommendations in Markdown."""
        return "\n".join(summary(self.found))

    def lines(self) -> list[str]:
        """The verdict, then each recommendation, then what not to do, and the warnings of the runs."""
        warned = (f"warning: {line}" for line in lines(self.found.warnings))
        return [self.verdict, *map(action_text, self.found.all), *warned]


def recommend(
    *folders: str | os.PathLike[str],
    twin: str | os.PathLike[str] | None = None,
    plan: str | os.PathLike[str] | None = None,
    settings: Mapping[str, object] | None = None,
    prices: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Recommendations:
    """Say what to do about a cluster, by value: `weft.recommend("runs/xray", "runs/tune", twin="twins/mine")`.

    folders: runs (xray, signature), folders of tune, accept, watch and twin, and output of `weft check --json`, all of
    one cluster. twin: a twin's folder, or a fabric, which predicts effects; by default one is made of the runs, if one
    of them is an xray. plan, settings: the workload on which effects are stated; by default an all-to-all (aapc) with
    blocks that suit the hosts. prices: a list of the catalogue or a file, for the cost of upgrades. out: a folder to
    write, which `weft.verify` takes. Raises RequestError if any of them is invalid.
    """
    asked = JudgingRequest(
        None if twin is None else os.fspath(twin),
        None if plan is None else os.fspath(plan),
        tuple((key, setting_text(value)) for key, value in (settings or {}).items()),
        None if prices is None else os.fspath(prices),
    )
    place = None if out is None else Path(out)
    return Recommendations(work_out([os.fspath(one) for one in folders], asked, place))


def verify(
    folder: str | os.PathLike[str],
    id: str,
    *,
    on: str | None = None,
    scale: float | None = None,
    nodes: int | None = None,
    ports: str | None = None,
    out: str | os.PathLike[str] | None = None,
    yes: bool = False,
    showing: Showing = silent,
) -> Verification:
    """Measure whether a recommendation helped, after it was carried out: `weft.verify("advice", "link-n7").held`.

    folder: what `weft.recommend` wrote. id: which recommendation. on, scale: where to measure; by default where it was
    measured before. nodes, ports: as in `weft.run`. yes: run the commands and change the settings that the folder
    names. out: a new folder for the measurements; FOLDER/verify/ID-TIME by default. showing: shows the progress. Raises
    RequestError if measuring cannot show it, WorkError if that fails.
    """
    time = f"{datetime.datetime.now():%Y%m%d-%H%M%S}"
    place = out or Path(folder) / "verify" / f"{id}-{time}"
    request = VerifyRequest(os.fspath(folder), id, os.fspath(place), on, scale, nodes, ports)
    approved = side_effects_of_verification(request) if yes else []
    return carry_out(request, showing, approved)
