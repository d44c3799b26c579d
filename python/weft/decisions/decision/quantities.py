"""The uncertain quantities of a decision, each a number with draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from weft.base.amount import Part
from weft.base.statistics import Floats
from weft.decisions.decision.designs import Design
from weft.decisions.decision.request import DecisionRequest, spread
from weft.decisions.decision.workloads import WeightedWorkload
from weft.network.fabrics.spec import Value
from weft.simulation.prediction.draws import Draws
from weft.simulation.prediction.intervals import next_of
from weft.simulation.sweep.task import HostPoint

Kind: TypeAlias = Literal["host", "rates", "simulator", "price"]
SEED = 20031
_Z90 = 1.6448536269514722
"""90 % of the draws of a normal variable are within this many standard deviations."""

_HOST = {"overhead_s": "overhead", "window_bytes": "window", "segments_per_ack": "segments_per_ack"}
"""A twin's host parameters, which apply to any network, and their names for users."""


@dataclass(frozen=True, eq=False)
class UncertainQuantity:
    """Draws of a number: a host's parameter in its own unit, else the logarithm of a factor. `of` is what it is about:
    an entry of designs, an entry and a workload, or prices of a kind; `learn` says how to determine it."""

    name: str
    kind: Kind
    of: tuple[str, ...]
    draws: Floats
    median: float
    low: float
    high: float
    learn: str

    @property
    def shown(self) -> tuple[float, float, float]:
        """Low, median and high as shown to users: factors instead of logarithms."""
        ends = (self.low, self.median, self.high)
        low, median, high = ends if self.kind == "host" else map(float, np.exp(ends))
        return low, median, high


@dataclass(frozen=True, eq=False)
class HostQuantities:
    """Assumptions about hosts: certain values, and uncertain ones."""

    certain: tuple[tuple[str, Value], ...]
    uncertain: tuple[UncertainQuantity, ...]


def host_of(request: DecisionRequest, twin: Draws | None) -> HostQuantities:
    """The host parameters of a twin, or those in the request."""
    if request.uncertain.overhead:
        return _declared_host(request)
    if twin is None:
        return HostQuantities((), ())
    known = {key: value for key, value in twin.median.parameters.items() if key in _HOST}
    chosen = _chance(request, "twin").integers(len(twin.drawn) or 1, size=request.draws)
    uncertain = tuple(_twin_quantities(twin, known, chosen))
    varied = {one.of[0] for one in uncertain}
    return HostQuantities(tuple((key, known[key]) for key in known if key not in varied), uncertain)


def quantities_of(
    request: DecisionRequest,
    designs: Sequence[Design],
    workloads: Sequence[WeightedWorkload],
    host: HostQuantities,
    twin: Draws | None,
) -> list[UncertainQuantity]:
    """All uncertain quantities. Designs of one entry share the errors of rates and of the simulator, because they are
    alike; different entries do not."""
    entries = list(dict.fromkeys(one.entry for one in designs))
    return [
        *host.uncertain,
        *_rates(request, entries),
        *_simulator(request, entries, workloads, twin),
        *_prices(request, designs),
    ]


def points_of(host: HostQuantities, quantities: Sequence[UncertainQuantity]) -> list[HostPoint]:
    """The points at which every workload is simulated: the medians, then the low and the high end of each quantity that
    affects simulations."""
    medians = dict(host.certain) | {one.of[0]: one.median for one in host.uncertain}
    found = [_point(medians, 1.0)]
    for one in host.uncertain:
        found += [_point(medians | {one.of[0]: end}, 1.0) for end in (one.low, one.high)]
    if scale := scaled(quantities):
        found += [_point(medians, float(np.exp(end))) for end in (scale.low, scale.high)]
    return found


def scaled(quantities: Sequence[UncertainQuantity]) -> UncertainQuantity | None:
    """A quantity about rates; all of them have the same ends. None if there is none."""
    return next((one for one in quantities if one.kind == "rates"), None)


def _point(parameters: dict[str, Value], scale: float) -> HostPoint:
    return HostPoint(
        tuple(sorted((key, _whole(key, value)) for key, value in parameters.items())), scale
    )


def _whole(key: str, value: Value) -> Value:
    """The value, rounded for parameters that are integers."""
    return value if key == "overhead_s" or isinstance(value, str) else round(value)


def _declared_host(request: DecisionRequest) -> HostQuantities:
    ends = request.uncertain.overhead
    assert ends
    low, high = ends
    middle, deviation = np.log(low * high) / 2, np.log(high / low) / 2 / _Z90
    draws = np.exp(middle + deviation * _chance(request, "overhead").standard_normal(request.draws))
    learn = "measure a pair: weft run signature, then weft fit RUN --model hockney"
    found = UncertainQuantity(
        "overhead", "host", ("overhead_s",), draws, float(np.exp(middle)), low, high, learn
    )
    return HostQuantities((), (found,))


def _twin_quantities(
    twin: Draws, known: dict[str, Value], chosen: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> Iterator[UncertainQuantity]:
    for key, median in known.items():
        if isinstance(median, str):
            continue
        values = np.array([float(one.parameters.get(key, median)) for one in twin.drawn])
        if len(values) == 0 or np.ptp(values) <= 1e-9 * abs(median):
            continue
        low, high = np.quantile(values, [0.05, 0.95])
        learn = f"measure the twin's hosts for longer: more launches of weft run signature ({_HOST[key]})"
        yield UncertainQuantity(
            _HOST[key],
            "host",
            (key,),
            values[chosen],
            float(median),
            float(low),
            float(high),
            learn,
        )


def _rates(request: DecisionRequest, entries: Sequence[str]) -> Iterator[UncertainQuantity]:
    for entry in entries if request.uncertain.rates else ():
        learn = f"measure a switch of {entry!r}: weft run xray on a borrowed one"
        yield _factor(
            request, f"rates of {entry}", "rates", (entry,), request.uncertain.rates, learn
        )


def _simulator(
    request: DecisionRequest,
    entries: Sequence[str],
    workloads: Sequence[WeightedWorkload],
    twin: Draws | None,
) -> Iterator[UncertainQuantity]:
    logs = twin.discrepancy if twin else ()
    for entry in entries if logs or request.uncertain.simulator else ():
        for workload in workloads:
            name = f"{workload.name} on {entry}: measured over simulated"
            learn = f"measure {workload.name!r} on {entry!r}, or build it as a lab: weft run PLAN --on lab:FABRIC"
            of = (entry, workload.name)
            if request.uncertain.simulator or not logs:
                part = request.uncertain.simulator
                yield _factor(request, name, "simulator", of, part, learn)
            else:
                yield _resampled(request, name, of, logs, learn)


def _prices(request: DecisionRequest, designs: Sequence[Design]) -> Iterator[UncertainQuantity]:
    if not request.uncertain.prices:
        return
    kinds = {
        (one.bill.prices, item.kind): None for one in designs if one.bill for item in one.bill.items
    }
    several = len({prices for prices, _ in kinds}) > 1
    for prices, kind in kinds:
        name = f"price of {_PLURALS[kind]}" + (f" ({prices})" if several else "")
        learn = f"ask for an offer: {_PLURALS[kind]}" + (f" of {prices!r}" if several else "")
        part = request.uncertain.prices
        yield _factor(request, name, "price", (prices, kind), part, learn)


_PLURALS = {
    "switch": "switches",
    "cable": "cables",
    "interface": "interfaces",
    "node": "nodes",
    "power": "power",
    "fixed": "fixed items",
}


def _factor(
    request: DecisionRequest,
    name: str,
    kind: Kind,
    of: tuple[str, ...],
    part: Part | None,
    learn: str,
) -> UncertainQuantity:
    """A factor, 90 % of whose draws are within this share."""
    width = spread(part)
    draws = width / _Z90 * _chance(request, name).standard_normal(request.draws)
    return UncertainQuantity(name, kind, of, draws, 0.0, -width, width, learn)


def _resampled(
    request: DecisionRequest, name: str, of: tuple[str, ...], logs: Sequence[float], learn: str
) -> UncertainQuantity:
    """A factor drawn from a twin's errors on patterns that it had not seen."""
    likely = next_of(logs)
    draws = _chance(request, name).choice(likely, size=request.draws)
    low, median, high = np.quantile(likely, [0.05, 0.5, 0.95])
    return UncertainQuantity(
        name, "simulator", of, draws, float(median), float(low), float(high), learn
    )


def _chance(request: DecisionRequest, name: str) -> np.random.Generator:
    """A generator of its own for each quantity, so that its draws do not change when another is added."""
    return np.random.default_rng([SEED, *name.encode()])
