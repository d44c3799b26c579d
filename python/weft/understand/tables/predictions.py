"""The prediction of a run as a table: before it begins, and compared with its measurement."""

from __future__ import annotations

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.runs.predicted import RunPrediction
from weft.understand.summary.predictions import JudgedKernel, PredictionCheck, kernel_name


def _measured_ms(one: JudgedKernel) -> Interval | float | None:
    if one.measured is None:
        return None
    found = one.measured.time_s.scaled(1e3)
    return found if one.measured.has_interval else found.median


def _ratio(one: JudgedKernel) -> Interval | float | None:
    """The ratio, with its interval if the prediction or the measurement has one."""
    if one.ratio is None or one.measured is None:
        return None
    is_known = one.verdict != "no interval" or one.measured.has_interval
    return one.ratio if is_known else one.ratio.median


def _verdict(one: JudgedKernel) -> str:
    """Whether the kernel is within its interval, and which part is wrong if not."""
    off = {"compute": ": computing", "network": ": network", "unknown": "", None: ""}[one.off]
    return f"{one.verdict}{off}"


_PREDICTED = (
    ResultColumn("step", "step", str, shown="page"),
    ResultColumn("kernel", "kernel", str, kernel_name),
    ResultColumn("predicted_ms", "time", Interval, lambda one: one.time_s.scaled(1e3)),
    ResultColumn(
        "compute_ms", "of it computing", read=lambda one: one.compute_s and 1e3 * one.compute_s
    ),
)
_HELD = (
    ResultColumn("step", "step", str, lambda one: one.predicted.step, shown="page"),
    ResultColumn("kernel", "kernel", str, lambda one: one.name),
    ResultColumn(
        "predicted_ms",
        "predicted",
        Interval,
        lambda one: one.predicted.time_s.scaled(1e3),
        shown="median",
    ),
    ResultColumn("measured_ms", "measured", Interval, _measured_ms, shown="median"),
    ResultColumn("ratio", "over predicted", Interval, _ratio, spec=".3f"),
    ResultColumn("verdict", "interval", str, _verdict),
)


def predicted_table(found: RunPrediction) -> ResultTable:
    """A row for each kernel, before it is measured."""
    return ResultTable.of("predicted", _PREDICTED, found.kernels, _remarks(found))


def held_table(found: PredictionCheck) -> ResultTable:
    """A row for each kernel, predicted and measured."""
    title = "predicted and measured"
    return ResultTable.of(title, _HELD, found.kernels, _remarks(found.prediction))


def _remarks(prediction: RunPrediction) -> list[str]:
    """Remarks on the sources of a prediction, its intervals, and the steps that it lacks."""
    sources = ", ".join(prediction.sources)
    what = {"runs": "runs", "twin": "a twin", "fabric": "a fabric file"}[prediction.kind]
    found = [f"predicted from {what}: {sources}"]
    found.append(
        f"no intervals: {prediction.no_interval}"
        if prediction.no_interval
        else f"intervals of {prediction.level:.0%}, from {prediction.draws} networks that fit what was measured as well"
    )
    found += [f"{one.step}: compute time: {one.source}" for one in prediction.compute]
    found += [f"{one.step}: not predicted: {one.why}" for one in prediction.not_predicted]
    return found
