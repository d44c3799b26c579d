"""What was predicted of a run beside what it measured, as a table and as sentences."""

from __future__ import annotations

from weft.diagnosis.predictions import Beside, Held
from weft.interval import Interval
from weft.quantity import format_us, significant
from weft.report.table import PageTable
from weft.runs.predicted import RunPrediction

HEADERS = ["Step", "Kernel", "Predicted", "Measured", "Measured over predicted", "Interval"]


def prediction_table(held: Held) -> PageTable:
    """A row for each kernel."""
    has_intervals = not held.prediction.no_interval
    return PageTable(HEADERS, [_row(one, has_intervals) for one in held.kernels])


def remarks(prediction: RunPrediction) -> list[str]:
    """What the prediction is made from, and what it has not."""
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


def time_text(interval: Interval, has_interval: bool) -> str:
    """A time in seconds with its unit, and the ends of its interval."""
    middle = format_us(1e6 * interval.median)
    if not has_interval:
        return middle
    return f"{middle} ({format_us(1e6 * interval.low)} to {format_us(1e6 * interval.high)})"


def ratio_text(one: Beside, has_interval: bool) -> str:
    """Measured over predicted, with its interval where either has one."""
    if one.ratio is None:
        return ""
    middle, low, high = (
        significant(end, 3) for end in (one.ratio.median, one.ratio.low, one.ratio.high)
    )
    is_known = has_interval or (one.measured is not None and one.measured.has_interval)
    return f"{middle} ({low} to {high})" if is_known else middle


def verdict_text(one: Beside) -> str:
    """Within its interval or without, and then what is off."""
    off = {"compute": ": computing", "network": ": network", "unknown": "", None: ""}[one.off]
    return f"{one.verdict}{off}"


def _row(one: Beside, has_intervals: bool) -> list[str]:
    measured = one.measured
    return [
        one.predicted.step,
        one.name,
        time_text(one.predicted.time_s, has_intervals),
        time_text(measured.time_s, measured.has_interval) if measured else "",
        ratio_text(one, has_intervals),
        verdict_text(one),
    ]
