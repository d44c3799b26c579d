"""The scale of a lab, settled before a run: the requested one, or one that this machine carries."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from msgspec import structs

from weft.base.errors import RequestError
from weft.measure.execute.lab_scale.choice import choose, smaller
from weft.measure.execute.lab_scale.load import OfferedLoad, loads_of
from weft.measure.execute.lab_scale.self_test import SelfTest
from weft.measure.execute.lab_scale.words import overloaded, scaled, unlimited
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import RunRequest
from weft.measure.testbed.lab.demand import CARRIED_MBPS, is_forwarded, sending_mbps
from weft.measure.testbed.lab.testbed import kept_up
from weft.network.fabrics.load import load_fabric
from weft.runs.folder import refuse_existing
from weft.runs.meta import Warning

CABLE_MBPS = 300.0
"""Any machine carries this rate on one cable, since only its two ends and the forwarder run."""


@dataclass(frozen=True)
class LabScale:
    """A scale, and the warnings about it."""

    scale: float
    notes: tuple[Warning, ...] = ()


def at_carried_scale(request: RunRequest, reporter: Reporter | None = None) -> RunRequest:
    """A run's request with the scale of its lab settled, and announced by the `reporter`. Raises RequestError."""
    if fabric_to_build(request.testbed) is None:
        return request
    options = request.options
    if options.out:
        refuse_existing(Path(options.out))
    loads = partial(loads_of, request.load())
    found = settle_lab(request.testbed, options.scale, loads, reporter)
    announce(found.notes, reporter)
    settled = structs.replace(options, scale=found.scale)
    return replace(request, options=settled, notes=(*request.notes, *found.notes))


def settle_lab(
    testbed: str,
    given: float | None,
    loads: Callable[[int], Sequence[OfferedLoad]],
    reporter: Reporter | None = None,
) -> LabScale:
    """The scale for a testbed; it is chosen only for a lab that is built for the run, from the `loads` of a number of
    hosts. Raises RequestError for an invalid fabric."""
    name = fabric_to_build(testbed)
    as_asked = LabScale(1.0 if given is None else given)
    if name is None:
        return as_asked
    hosts = len(load_fabric(name)["hosts"])
    try:
        found = loads(hosts)
    except RequestError:
        # The caller refuses such a fabric with a better message.
        return as_asked
    return settle_scale(name, given, found, reporter)


def announce(notes: Sequence[Warning], reporter: Reporter | None) -> None:
    """Announce warnings about a lab before a run."""
    for note in notes:
        if reporter:
            reporter.announce(note.message)


def fabric_to_build(testbed: str) -> str | None:
    """The fabric of a testbed that is a lab which has not been built yet; else None."""
    kind, _, name = testbed.partition(":")
    return name if kind == "lab" and name and kept_up(name) is None else None


def settle_scale(
    fabric: str, given: float | None, loads: Sequence[OfferedLoad], reporter: Reporter | None = None
) -> LabScale:
    """The scale for a lab of a fabric with these loads, which occur one at a time; chosen if none is `given`. Raises
    RequestError for an invalid fabric."""
    found = load_fabric(fabric)
    sending = sending_mbps(found)
    rates = list(sending.values())
    scale = 1.0 if given is None else given
    load = _heaviest(loads, rates)
    if load is None or not is_forwarded(found):
        return LabScale(scale)
    loaded = {host for one in loads for host in one.hosts}
    names = [name for host, name in enumerate(sending) if host in loaded]
    notes = unlimited([name for name in names if sending[name] == math.inf])
    demand_mbps = load.mbps(rates)
    if demand_mbps * scale <= surely_carried_mbps(load):
        return LabScale(scale, notes)
    if reporter:
        reporter.describe("self-test of the lab")
    rates_mbps = [rate for host in load.hosts if (rate := rates[host]) < math.inf]
    test = SelfTest(fabric, load)
    if given is None:
        chosen = choose(demand_mbps, _processors(), test.at) or 1.0
        return LabScale(chosen, (*notes, *scaled(rates_mbps, chosen)))
    trial = test.at(given)
    if trial is None or trial.has_room:
        return LabScale(given, notes)
    return LabScale(given, (*notes, overloaded(rates_mbps, given, trial, smaller(given, trial))))


def _heaviest(loads: Sequence[OfferedLoad], sending_mbps: Sequence[float]) -> OfferedLoad | None:
    return max(loads, key=lambda load: load.mbps(sending_mbps), default=None)


def surely_carried_mbps(load: OfferedLoad) -> float:
    """A rate that this machine carries without a self-test."""
    return CABLE_MBPS if load.is_pair else CARRIED_MBPS * _processors()


def _processors() -> int:
    return len(os.sched_getaffinity(0))
