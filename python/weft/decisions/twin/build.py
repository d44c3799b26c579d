"""Makes a twin from runs: structure from the search, numbers by least squares, errors by leaving patterns out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from weft.base.errors import RequestError
from weft.base.statistics import Floats
from weft.decisions.twin.calibration import CLEARLY, Calibration, calibrate, host_delay_us
from weft.decisions.twin.draft import MODEL, OpenParameter
from weft.decisions.twin.facts import may_merge_segments
from weft.decisions.twin.left_out import discrepancy, few_patterns, held_out, leave_out
from weft.decisions.twin.observed import series_of
from weft.decisions.twin.sources import TwinSources, open_sources, source_of
from weft.decisions.twin.start import carried_mbps
from weft.decisions.twin.start_up import StartUp, trips_of
from weft.decisions.twin.structure import structure_of
from weft.decisions.twin.twin import (
    SCHEMA,
    HostAssumption,
    TwinDocument,
    TwinParameter,
    refuse_other,
    step_digest,
    text_digest,
    write_twin,
)
from weft.runs.run_warnings import lines, of_runs

DRAWS, LEAST_DRAWS, MOST_DRAWS = 50, 10, 1000
_ENDS = (0.05, 0.95)
"""The quantiles that bound a parameter's interval."""


def make_twin(
    folders: Sequence[str],
    out: Path,
    draws: int = DRAWS,
    say: Callable[[str], None] = lambda text: None,
) -> TwinDocument:
    """Make a twin from runs and write it to a folder; raises RequestError if they are not suitable."""
    if not LEAST_DRAWS <= draws <= MOST_DRAWS:
        raise RequestError(
            f"--draws {draws}: not from {LEAST_DRAWS} to {MOST_DRAWS}", f"{DRAWS} are enough"
        )
    refuse_other(out)
    twin, text = fit_twin(folders, out.resolve().name, draws, say)
    write_twin(out, twin, text)
    return twin


def fit_twin(
    folders: Sequence[str],
    name: str,
    draws: int = DRAWS,
    say: Callable[[str], None] = lambda text: None,
) -> tuple[TwinDocument, str]:
    """A twin of runs, and the text of its fabric file; raises RequestError if they are not suitable."""
    say("reading")
    sources = open_sources(folders)
    placed = list(zip(sources.runs, sources.places, strict=True))
    structure = structure_of(sources.main, sources.fabric_names, name)
    series = [one for run, places in placed for one in series_of(run, places)]
    say("fitting")
    found, alternatives = calibrate(
        structure, series, trips_of(placed), draws, may_merge_segments(sources.runs)
    )
    say("leaving patterns out")
    errors = leave_out(found)
    text = found.draft.text(np.exp(found.fit.values))
    main = sources.main.meta
    run_warnings = [*of_runs(sources.runs), *few_patterns(errors)]
    twin = TwinDocument(
        schema=SCHEMA,
        name=name,
        testbed=str(main.testbed.get("spec", main.testbed.get("name", "imported"))),
        scale=float(main.testbed.get("scale", 1.0)),
        nodes=sources.fabric_names,
        fabric_digest=text_digest(text),
        model=dict(found.model),
        parameters=list(_parameters(found, draws)),
        held_out=held_out(errors),
        discrepancy=discrepancy(errors, of_times=True),
        rate_discrepancy=discrepancy(errors, of_times=False),
        sources=[source_of(run) for run in sources.runs],
        fitted=_fitted(sources),
        alternatives=list(alternatives),
        warnings=[
            *lines(run_warnings),
            *sources.warnings,
            *structure.warnings,
            *_doubts(alternatives),
        ],
        run_warnings=run_warnings,
    )
    return twin, text


def _fitted(sources: TwinSources) -> list[str]:
    return sorted({step_digest(step) for run in sources.runs for step in run.meta.plan.steps})


def _doubts(alternatives: Sequence[HostAssumption]) -> Iterator[str]:
    usual, *others = alternatives
    for one in others:
        if abs(one.cost - usual.cost) < CLEARLY:
            yield f"{usual.key} may be {usual.value} or {one.value}: the data do not tell"


def _parameters(found: Calibration, draws: int) -> Iterator[TwinParameter]:
    drawn = found.drawn(draws)
    for at, (rate, filling) in enumerate(zip(found.draft.rates, found.trials_filling, strict=True)):
        value = float(np.exp(found.fit.values[at]))
        yield _parameter(rate, value, drawn[:, at], *_of_rate(filling))
    for one in found.draft.unlimited:
        least = carried_mbps(one, found.material)
        why = "nothing filled it: so much was carried, and the file has no limit there"
        yield _parameter(replace(one, places=()), least, np.full(draws, least), False, why)
    if found.start_up is not None:
        yield from _start_ups(found, found.start_up)


def _of_rate(filling: int) -> tuple[bool, str]:
    if filling:
        return True, f"filled in {filling} trials"
    return False, "no trial filled it: it may be wider"


def _start_ups(found: Calibration, start_up: StartUp) -> Iterator[TwinParameter]:
    """The overhead, the rest of a start-up as delays of the hosts' links, and the delays of other links."""
    overheads = start_up.overhead_us(found.material.least_message_us)
    overhead = OpenParameter("model.overhead_s", "us", ((MODEL, "overhead_s"),))
    why = "the simulator's own: round trips do not tell it from the delay of the hosts' links"
    yield _parameter(overhead, overheads[0], overheads[1:], False, why)
    hosts, *links = found.draft.delays
    delays = host_delay_us(found, start_up)
    why = "round trips of small messages, less the overhead"
    yield _parameter(hosts, delays[0], delays[1:], bool(delays[0] > 0), why)
    columns = zip(links, start_up.link_us.T, start_up.are_known, strict=True)
    for link, values, is_known in columns:
        if is_known:
            yield _parameter(link, values[0], values[1:], True, "round trips across it are longer")
        else:
            why = f"below the noise of round trips, {start_up.noise_us:.1f} us"
            yield _parameter(link, 0.0, np.zeros(len(values) - 1), False, why)


def _parameter(
    one: OpenParameter, best: float, drawn: Floats, is_known: bool, why: str
) -> TwinParameter:
    low, high = np.quantile(drawn, _ENDS)
    return TwinParameter(
        name=one.name,
        unit=one.unit,
        median=float(best),
        low=float(min(low, best)),
        high=float(max(high, best)),
        is_identified=bool(is_known),
        why=why,
        places=[list(place) for place in one.places],
        draws=drawn.tolist(),
    )
