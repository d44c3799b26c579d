"""A race of candidate settings on a testbed: paired blocks, losers dropped, the winner confirmed in fresh blocks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, structs

from weft.base.errors import RequestError, WorkError
from weft.measure.execute.gate import side_effects_of_run
from weft.measure.execute.options.run_options import USUAL_OPTIONS, RunOptions
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import RunRequest, resume_run, start_run
from weft.operate.tuning.race_plan import RefusedCandidate, SettingsCandidate, race_plan
from weft.plan.load import PlanSource
from weft.runs.folder import RunFolder
from weft.runs.meta import FILE_NAME, Warning
from weft.understand.host.disturbed import not_usable
from weft.understand.kinds.race.contest import ProcessEnd
from weft.understand.kinds.race.outcome import Confirmation, RaceOutcome, RacePlace, stand

__all__ = ["Confirmation", "RacePlace", "RaceResult", "Rules", "SettingsCandidate", "carry_out"]


class Rules(Struct, frozen=True):
    """When a race ends. `margin` is the smallest relevant ratio, minus one; `time_s` covers race and confirmation;
    `trial_s` is the duration of a batch, of which a block has three per candidate (six for goal "mixed"). A batch of a
    stream has `at_least` this many messages, because a shorter one would measure the delay of a long path. If `seed` is
    given, it determines the order of candidates in each block. With `confirm` = "none" the winner follows from the race
    alone; with "all" there is no race, and each candidate is compared with the baseline."""

    margin: float = 0.01
    time_s: float = 60.0
    trial_s: float = 0.25
    at_least: int = 1
    confirm: Literal["winner", "all", "none"] = "winner"
    seed: int | None = None


USUAL = Rules()


class RaceResult(RaceOutcome, frozen=True, kw_only=True):
    """The result of a race; `places` includes candidates that no plan can have; `folder` is the run. If the machine was
    the limit in most blocks, `disturbed` says so, and nothing is recommended."""

    seconds: float
    folder: str
    disturbed: str | None = None


def carry_out(
    testbed: str,
    candidates: Sequence[SettingsCandidate],
    goal: PlanSource,
    folder: Path,
    rules: Rules = USUAL,
    reporter: Reporter | None = None,
    *,
    options: RunOptions = USUAL_OPTIONS,
    apply_anyway: bool = False,
    notes: Sequence[Warning] = (),
) -> RaceResult:
    """Race candidates, the first of which is the baseline, for a `goal`: "stream", "latency", "mixed", or a plan.

    The run is in `folder`; an existing one is continued. A candidate that fails (a rejected setting, an agent that
    ends) is dropped and the race continues. Raises RequestError, and WorkError if the baseline fails. The run records
    the `notes`.
    """
    plan, refused = race_plan(candidates, goal, rules.trial_s, rules.at_least)
    if not plan:
        return _without_race(candidates[0].name, refused, folder)
    plan["race"] |= _of_rules(rules)
    if (folder / FILE_NAME).exists():
        run = resume_run(str(folder), reporter, options.patience_s, side_effects_of_run(folder))
    else:
        request = RunRequest(
            plan,
            testbed,
            structs.replace(options, out=folder),
            apply_anyway=apply_anyway,
            notes=notes,
        )
        run = start_run(request, reporter)
    return _result(run, refused)


def _of_rules(rules: Rules) -> dict[str, object]:
    seed = {} if rules.seed is None else {"seed": rules.seed}
    margin, time = f"{100 * rules.margin:g} %", f"{rules.time_s:g} s"
    return {"margin": margin, "time": time, "confirm": rules.confirm, **seed}


def _result(run: RunFolder, refused: Sequence[RefusedCandidate]) -> RaceResult:
    found = stand(run.meta, run.samples)
    if found is None or run.meta.race is None:
        raise RequestError(f"{run.directory}: is no race", "give another folder")
    now, outcome = found
    is_open = bool(now.open) and run.meta.status != "complete"
    if is_open and not run.meta.is_interrupted:
        reasons = [one.message for one in run.meta.warnings if one.code != "gave-up"]
        said = reasons[-1] if reasons else "the race did not end"
        hint = f"mend it, then `weft run --resume {run.directory}`"
        raise WorkError(f"{outcome.baseline}: {said}", hint)
    ended: ProcessEnd = "interrupted" if run.meta.is_interrupted else outcome.ended
    result = _of_outcome(outcome, ended, refused, run.meta.race["seconds"], run.directory)
    return _without_verdict(result, reason) if (reason := not_usable(run.meta)) else result


def _without_verdict(result: RaceResult, reason: str) -> RaceResult:
    """The result if the machine decided the race: the baseline stays."""
    return structs.replace(
        result, winner=result.baseline, recommended=False, effect=None, disturbed=reason
    )


def _of_outcome(
    outcome: RaceOutcome,
    ended: ProcessEnd,
    refused: Sequence[RefusedCandidate],
    seconds: float,
    folder: Path,
) -> RaceResult:
    places = (*outcome.places, *map(_unplaced, refused))
    found = structs.asdict(outcome) | {"places": places, "ended": ended}
    return RaceResult(**found, seconds=round(seconds, 1), folder=str(folder))


def _unplaced(one: RefusedCandidate) -> RacePlace:
    return RacePlace(one.name, None, 0, 0, f"failed: {one.reason}", failed=True)


def _without_race(baseline: str, refused: Sequence[RefusedCandidate], folder: Path) -> RaceResult:
    """The result if no candidate can be measured: the baseline stays."""
    alone = RaceOutcome(
        baseline,
        baseline,
        baseline,
        False,
        None,
        (RacePlace(baseline, None, 0),),
        (),
        "none-ahead",
        0,
    )
    return _of_outcome(alone, "none-ahead", refused, 0.0, folder)
