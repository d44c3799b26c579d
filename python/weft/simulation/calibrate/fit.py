"""Fits free keys of a machine to measured values by simulating each value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from weft.base.amount import Amount, read_amount
from weft.base.errors import RequestError, WeftError, WorkError
from weft.base.quantity import format_mbps, format_us
from weft.base.statistics import LEVEL, Floats
from weft.network.model.estimate import Estimate
from weft.network.model.machine_text import Keys, numbers_of, value_of, with_values
from weft.network.model.profile import LOGARITHMIC, FreeParameter, fit_profiled, slopes
from weft.simulation.calibrate.simulated import MachineFile, SimulatedQuantity
from weft.simulation.calibrate.values import MeasuredValue, ValuesFile

_RANGE = 20.0
"""A free key without a range is searched from its value divided by this to its value times this."""
_TRADE_OFF = 0.95
"""From this correlation on, the values determine only a combination of two keys."""


@dataclass(frozen=True)
class Free:
    """A key to fit: its range and start in base units, and the unit in which it is written."""

    key: str
    least: float
    most: float
    start: float
    written: Amount

    def text(self, worth: float) -> str:
        """The value as written in machine files; cycles of costs are whole numbers."""
        return f"{round(worth)}" if self._is_whole else self.written.text(worth)

    @property
    def parameter(self) -> FreeParameter:
        """The parameter of the search, on a logarithmic scale."""
        middle = float(np.sqrt(self.least * self.most))
        starts = sorted({self.start, middle})
        grain = 1.0 if self._is_whole else self.start * 1e-3
        return FreeParameter(self.key, self.least, self.most, starts, LOGARITHMIC, grain=grain)

    @property
    def _is_whole(self) -> bool:
        return (
            self.written.kind == "number"
            and self.key.startswith("costs.")
            and "accesses" not in self.key
        )


@dataclass(frozen=True)
class FittedValue:
    """A measured value with that of the fitted machine."""

    name: str
    quantity: str
    measured: float
    predicted: float

    @property
    def error_pct(self) -> float:
        """The relative error of the fitted machine in percent."""
        return 100 * (self.predicted / self.measured - 1)

    def shown(self, worth: float) -> str:
        """The measured or predicted value, with its unit."""
        if self.quantity == "latency":
            return format_us(worth * 1e6)
        if self.quantity == "load":
            return f"{100 * worth:.1f} %"
        return f"{worth:.0f} /s" if self.quantity == "interrupts" else format_mbps(worth / 1e6)


@dataclass(frozen=True)
class MachineFit:
    """A fitted machine: its free keys with estimates, the values, and pairs of keys determined only together."""

    file: MachineFile
    free: Sequence[Free]
    estimates: Sequence[Estimate]
    values: Sequence[FittedValue]
    trade_offs: Sequence[tuple[str, str, float]]

    @property
    def keys(self) -> Keys:
        """The fitted values, as written in machine files."""
        pairs = zip(self.free, self.estimates, strict=True)
        return {each.key: each.text(found.value) for each, found in pairs}

    @property
    def unidentified(self) -> list[str]:
        """Keys whose interval lacks one or both ends."""
        return [one.name for one in self.estimates if one.low is None or one.high is None]

    @property
    def text(self) -> str:
        """The machine's file with the fitted values, each with its interval as a comment."""
        notes = {
            each.key: f"fitted: {interval_text(each, found)}"
            for each, found in zip(self.free, self.estimates, strict=True)
        }
        return with_values(self.file.text, self.keys, notes)

    def to_json(self) -> dict[str, object]:
        """The document of `weft machine fit --json`."""
        pairs = zip(self.free, self.estimates, strict=True)
        return {
            "machine": self.file.origin,
            "parameters": [
                {
                    "name": each.key,
                    "value": each.text(found.value),
                    "low": end_text(each, found.low),
                    "high": end_text(each, found.high),
                    "identified": found.name not in self.unidentified,
                }
                for each, found in pairs
            ],
            "coverage": LEVEL,
            "values": [{**vars(one), "error_pct": one.error_pct} for one in self.values],
            "unidentified": self.unidentified,
            "trade_offs": [
                {"names": [one, other], "correlation": r} for one, other, r in self.trade_offs
            ],
        }


def end_text(free: Free, end: float | None) -> str | None:
    """An end of an interval, as written in machine files; None if there is none."""
    return None if end is None else free.written.text(float(f"{end:.3g}"))


def interval_text(free: Free, found: Estimate) -> str:
    """The interval in words."""
    low, high = end_text(free, found.low), end_text(free, found.high)
    if low is None and high is None:
        return "the values do not determine it"
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"{low} to {high}"


def read_free(file: MachineFile, given: ValuesFile) -> list[Free]:
    """The free keys with their ranges; raises RequestError if there are none or too many, or if one is no number."""
    if not given.free:
        known = ", ".join(numbers_of(file.text))
        raise RequestError(
            "no key is free", f'say which, such as free = ["costs.protocol"]; costs: {known}'
        )
    if len(given.free) > len(given.values):
        raise RequestError(
            f"{len(given.values)} values do not determine {len(given.free)} keys: {', '.join(given.free)}",
            "measure more, or free fewer",
        )
    return [_free(file, key, ends) for key, ends in given.free.items()]


def _free(file: MachineFile, key: str, ends: tuple[str, str] | None) -> Free:
    value = value_of(file.text, key)
    if isinstance(value, dict | list | bool) or (value is None and ends is None):
        said = "is not in the machine's file" if value is None else "is no number there"
        known = ", ".join(numbers_of(file.text))
        raise RequestError(
            f"{file.origin}: {key} {said}",
            f'give a key with a number, or one with a range, such as "{key}" = ["100", "5000"]; costs: {known}',
        )
    here = None if value is None else read_amount(value, f"{file.origin}: {key}")
    if ends is None:
        assert here
        if not here.worth > 0:
            raise RequestError(
                f"{key} = {value} has no range around it", f'"{key}" = ["1", "1000"]'
            )
        return Free(key, here.worth / _RANGE, here.worth * _RANGE, here.worth, here)
    least, most = (read_amount(end, f"free.{key}", here.kind if here else None) for end in ends)
    if not 0 < least.worth < most.worth:
        raise RequestError(f"free.{key} = {list(ends)}: not a range above 0", "give least and most")
    middle = float(np.sqrt(least.worth * most.worth))
    start = min(max(here.worth if here else middle, least.worth), most.worth)
    return Free(key, least.worth, most.worth, start, here or most)


def fit_machine(
    file: MachineFile,
    free: Sequence[Free],
    values: Sequence[MeasuredValue],
    with_intervals: bool = True,
) -> MachineFit:
    """Fits the free keys to the values, each weighted by its error, with profile-likelihood intervals.

    Raises RequestError if the machine's file is invalid, or if a value's placement, part or keys are wrong.
    """
    simulation = _Simulation(file, free, values)
    simulation.check()
    estimates = fit_profiled(
        simulation.errors, [one.parameter for one in free], len(values), are_standard=True,
        with_intervals=with_intervals,
    )  # fmt: skip
    best = np.array([one.value for one in estimates])
    predicted = simulation.predicted(best)
    beside = [
        FittedValue(one.name, one.question.quantity, one.measured, float(found))
        for one, found in zip(values, predicted, strict=True)
    ]
    return MachineFit(file, free, estimates, beside, _trade_offs(simulation, best))


class _Simulation:
    """The errors of all values, in units of their standard deviations, as a function of the free keys."""

    def __init__(
        self, file: MachineFile, free: Sequence[Free], values: Sequence[MeasuredValue]
    ) -> None:
        self._file = file
        self.free = free
        self._values = values
        self._questions = [one.question for one in values]
        # Values that need the same simulation are simulated once.
        self._asked = [self._questions.index(one) for one in self._questions]
        self._nothing = _NOTHING * np.array([one.measured for one in values])
        self._known: dict[tuple[str, ...], Floats] = {}

    def check(self) -> None:
        """Simulates each value once, to find mistakes before the search begins. Raises RequestError or WorkError."""
        for value in self._values:
            try:
                found = self._file.answer(
                    value.question, self._keys([one.start for one in self.free])
                )
            except WeftError as error:
                raise RequestError(f"{value.name}: {error.message}", error.hint) from None
            except ArithmeticError as error:
                raise WorkError(f"{value.name}: nothing to compare with: {error}") from None
            if not found > 0:
                raise RequestError(
                    f"{value.name}: the machine has {found:g} of it",
                    "check the placement and the part",
                )

    def errors(self, worths: Floats) -> Floats:
        scaled = np.log(self.predicted(worths) / [one.measured for one in self._values])
        return np.asarray(scaled / [one.error for one in self._values])

    def predicted(self, worths: Floats) -> Floats:
        keys = self._keys(worths.tolist())
        place = tuple(keys.values())
        if place not in self._known:
            once = {at: self._answer(self._questions[at], keys) for at in set(self._asked)}
            self._known[place] = np.maximum([once[at] for at in self._asked], self._nothing)
        return self._known[place]

    def _answer(self, question: SimulatedQuantity, keys: Keys) -> float:
        """The simulated value; 0 if no message arrives."""
        try:
            return self._file.answer(question, keys)
        except ArithmeticError:
            return 0.0

    def _keys(self, worths: Sequence[float]) -> Keys:
        return {one.key: one.text(worth) for one, worth in zip(self.free, worths, strict=True)}


_NOTHING = 1e-3
"""The share of the measured value that replaces zero, whose logarithm is undefined."""


def _trade_offs(simulation: _Simulation, best: Floats) -> list[tuple[str, str, float]]:
    """Pairs of keys of which the values determine only a combination, with their correlation at the optimum."""
    parameters = [one.parameter for one in simulation.free]
    at_best = slopes(lambda logs: simulation.errors(np.exp(logs)), parameters)(np.log(best))
    seen = [index for index in range(len(best)) if np.any(at_best[:, index])]
    information = at_best[:, seen].T @ at_best[:, seen]
    # Regularised, in case the values hardly depend on some combination.
    covariance = np.linalg.inv(information + 1e-9 * np.trace(information) * np.eye(len(seen)))
    deviations = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviations, deviations)
    return [
        (parameters[seen[one]].name, parameters[seen[other]].name, float(correlation[one, other]))
        for one, other in combinations(range(len(seen)), 2)
        if abs(correlation[one, other]) >= _TRADE_OFF
    ]
