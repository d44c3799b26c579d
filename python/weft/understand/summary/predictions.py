"""The prediction of a run compared with its measurement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from weft.base.interval import Interval
from weft.base.quantity import format_bytes, format_us, significant
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.runs.predicted import PredictedKernel, RunPrediction, read_prediction
from weft.understand.kinds.kernel_time import KernelTime
from weft.understand.summary.kernels import kernels

Verdict = Literal["within", "without", "no interval", "not measured"]
Off = Literal["compute", "network", "unknown"]
_WHAT: dict[Off, str] = {
    "compute": "its nodes compute for another time than was predicted",
    "network": "computing is as predicted, what is beside it is not",
    "unknown": "whether computing or the network is off is not known, as nothing tells the two apart",
}
_DO: dict[Off, str] = {
    "compute": "give the compute time of these nodes; other work on them counts, too (docs/predict-an-application.md)",
    "network": "look for what changed with `weft diagnose`, or measure what the prediction is made from again; where "
    "`lab-late` is said, this machine was the limit",
    "unknown": "run its skeleton, or a signature of the same nodes, beside it",
}


LEAST_MISS = 1.02
"""A kernel that misses its interval by a smaller factor is not worth a warning."""


@dataclass(frozen=True)
class JudgedKernel:
    """A kernel as predicted and as measured (None if it was not). `ratio` is measured over predicted, with an interval
    that combines both intervals; `off` says which part is wrong if the kernel is outside its interval."""

    predicted: PredictedKernel
    measured: KernelTime | None
    ratio: Interval | None
    verdict: Verdict
    off: Off | None

    @property
    def miss(self) -> float:
        """The factor by which the measured time misses the nearer end of its predicted interval; 1 if it is within."""
        if self.verdict != "without" or self.measured is None:
            return 1.0
        took_s, said = self.measured.time_s.median, self.predicted.time_s
        return max(took_s / said.high, said.low / took_s)

    @property
    def name(self) -> str:
        """The name of the kernel within its step; empty if the step has only one."""
        return kernel_name(self.predicted)

    def to_json(self) -> dict[str, object]:
        """The kernel as `weft show --json` prints it."""
        one = self.predicted
        return {
            "step": one.step,
            "variant": one.variant,
            "size_bytes": one.size_bytes,
            "predicted_s": one.time_s,
            "measured_s": self.measured and self.measured.time_s,
            "ratio": self.ratio,
            "verdict": self.verdict,
            "off": self.off,
        }


@dataclass(frozen=True)
class PredictionCheck:
    """A run's prediction, and its kernels in the order of the prediction."""

    prediction: RunPrediction
    kernels: list[JudgedKernel]

    @property
    def warnings(self) -> list[Warning]:
        """The notes of the prediction, and a warning for each step that missed it."""
        return [*self.prediction.notes, *_missed(self.kernels)]

    def to_json(self) -> dict[str, object]:
        """The prediction as `weft show --json` prints it."""
        one = self.prediction
        return {
            "kind": one.kind,
            "sources": one.sources,
            "network": one.network,
            "draws": one.draws,
            "level": one.level,
            "no_interval": one.no_interval,
            "compute": one.compute,
            "not_predicted": one.not_predicted,
            "kernels": [each.to_json() for each in self.kernels],
        }


def held(run: RunFolder) -> PredictionCheck | None:
    """The prediction of a run with its measurements; None if nothing was predicted. Raises RequestError if
    prediction.json cannot be read."""
    prediction = None if run.in_memory is not None else read_prediction(run.directory)
    if prediction is None:
        return None
    measured = {one.key: one for one in kernels(run)}
    is_known = not prediction.no_interval
    found = [
        _beside(one, measured.get((one.step, one.variant, one.size_bytes)), is_known)
        for one in prediction.kernels
    ]
    return PredictionCheck(prediction, found)


def kernel_name(one: PredictedKernel | KernelTime) -> str:
    """Variant and size, as far as the kernel has them."""
    size = format_bytes(one.size_bytes) if one.size_bytes else ""
    return " ".join(filter(None, (one.variant, size)))


def _beside(
    predicted: PredictedKernel, measured: KernelTime | None, is_known: bool
) -> JudgedKernel:
    if measured is None or predicted.time_s.low <= 0:
        return JudgedKernel(predicted, measured, None, "not measured", None)
    ratio = _ratio(measured.time_s, predicted.time_s)
    if not is_known:
        return JudgedKernel(predicted, measured, ratio, "no interval", None)
    if predicted.time_s.low <= measured.time_s.median <= predicted.time_s.high:
        return JudgedKernel(predicted, measured, ratio, "within", None)
    return JudgedKernel(predicted, measured, ratio, "without", _off(predicted, measured))


def _ratio(measured: Interval, predicted: Interval) -> Interval:
    return Interval(
        measured.median / predicted.median,
        measured.low / predicted.high,
        measured.high / predicted.low,
    )


def _off(predicted: PredictedKernel, measured: KernelTime) -> Off:
    """The part with most of the difference."""
    if predicted.compute_s is None or measured.compute_s is None:
        return "unknown"
    if predicted.compute_s >= predicted.time_s.median:
        return "compute"  # there is nothing else
    missed_s = measured.time_s.median - predicted.time_s.median
    computing_s = measured.compute_s - predicted.compute_s
    return "compute" if computing_s / missed_s > 0.5 else "network"


def _missed(found: Sequence[JudgedKernel]) -> Iterator[Warning]:
    """A warning for each step with kernels that missed their prediction, which names the worst."""
    for step, group in groupby(found, lambda one: one.predicted.step):
        kernels_of_step = list(group)
        missed = [one for one in kernels_of_step if one.miss > LEAST_MISS]
        if missed:
            worst = max(missed, key=lambda one: one.miss)
            yield _warning(step, worst, len(missed), len(kernels_of_step))


def _warning(step: str, worst: JudgedKernel, missed: int, kernels: int) -> Warning:
    assert worst.measured is not None and worst.ratio is not None and worst.off is not None
    predicted = worst.predicted.time_s
    count = "" if kernels == 1 else f"{missed} of {kernels} kernels missed their prediction, most "
    name = " ".join(filter(None, (step, worst.name)))
    took, low, high = (
        format_us(1e6 * one)
        for one in (worst.measured.time_s.median, predicted.low, predicted.high)
    )
    return Warning(
        "prediction-missed",
        f"{step}: {count}{name} took {took}, {significant(worst.ratio.median, 3)} times what was predicted "
        f"({low} to {high}): {_WHAT[worst.off]}",
        _DO[worst.off],
    )
