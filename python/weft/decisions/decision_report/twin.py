"""A twin on the page: its errors on patterns that it had not seen, and the accuracy of its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.base.interval import Interval
from weft.decisions.decision_report.part import ReportPart
from weft.decisions.twin.tables import left_out_table, parameters_table, sources_table
from weft.decisions.twin.twin import HeldOut, TwinDocument, TwinParameter, read_twin
from weft.simulation.prediction.intervals import widened
from weft.understand.report.figures.drawing.figure import Figure
from weft.understand.report.figures.forest import FAINT, SECOND, STRONG, Forest, Twig

NOTES = (
    "Each pattern was predicted by a twin that was fitted to all others. The rate of a phase is what all of its routes "
    "carried together, its time that of the slowest route.",
    "The shaded band is where nine of ten further patterns are expected, where these are off as those so far.",
)


def twin_part(folder: Path, number: int) -> ReportPart:
    """The part about a twin's folder; raises RequestError if it is not one."""
    twin, _ = read_twin(folder)
    return ReportPart(
        title=f"Twin: {twin.name}",
        verdict=[
            f"{len(twin.nodes)} nodes of {twin.testbed}: {twin.verdict}.",
            *_unknown(twin),
        ],
        figures=[*_left_out_figures(twin, number), *_known_figure(twin, number)],
        tables=[parameters_table(twin), left_out_table(twin), sources_table(twin)],
        warnings=twin.warnings,
        notes=NOTES,
    )


def _unknown(twin: TwinDocument) -> list[str]:
    names = [one.name for one in twin.parameters if not one.is_identified]
    return [f"The measurements do not fix {', '.join(names)}."] if names else []


def _left_out_figures(twin: TwinDocument, number: int) -> Iterator[Figure]:
    kinds = (
        ("rate", "Rates", twin.rate_discrepancy),
        ("time", "Times of the slowest route", twin.discrepancy),
    )
    for what, title, discrepancy in kinds if twin.held_out and twin.is_error_known else ():
        band = widened(1.0, [], discrepancy)
        twigs = [_left_out_twig(one, what) for one in _by_error(twin, what)]
        yield Forest(
            f"twin_{number}_{what}",
            f"{title}: measured over predicted, patterns that the fit never saw",
            "At 1 the prediction is right. Shaded: where nine of ten further patterns are expected. Grey: the interval "
            "that the other patterns give did not hold it.",
            "measured / predicted",
            twigs,
            (band.low, band.high),
        ).figure()


def _by_error(twin: TwinDocument, what: str) -> list[HeldOut]:
    return sorted(twin.held_out, key=lambda one: -_error(one, what))


def _error(one: HeldOut, what: str) -> float:
    return one.rate_error if what == "rate" else one.time_error


def _left_out_twig(one: HeldOut, what: str) -> Twig:
    ratio = 1 + _error(one, what)
    held = one.rate_held if what == "rate" else one.time_held
    text = f"{ratio:.3f}, {one.phases} phases"
    return Twig(
        one.pattern, Interval(ratio, ratio, ratio), FAINT if held is False else STRONG, text
    )


def _known_figure(twin: TwinDocument, number: int) -> Iterator[Figure]:
    twigs = [_known_twig(one) for one in _by_width(twin.parameters) if one.median > 0]
    if twigs:
        yield Forest(
            f"twin_{number}_known",
            "How well each number is known",
            "The 90 % interval of each, as a multiple of its middle. Orange: the measurements do not fix it.",
            "times the middle",
            twigs,
        ).figure()


def _by_width(parameters: list[TwinParameter]) -> list[TwinParameter]:
    return sorted(parameters, key=lambda one: (one.low - one.high) / (one.median or 1))


def _known_twig(one: TwinParameter) -> Twig:
    relative = Interval(1.0, one.low / one.median, one.high / one.median)
    colour = STRONG if one.is_identified else SECOND
    return Twig(one.name, relative, colour, _value_text(one))


def _value_text(one: TwinParameter) -> str:
    return f"{one.median:.4g} {one.unit} ({one.low:.4g} to {one.high:.4g})"
