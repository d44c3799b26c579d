"""What a tuning would do, without doing it: which knobs in which order, what each may disturb, what is skipped."""

from __future__ import annotations

from msgspec import Struct

from weft.base.result import Documented
from weft.knobs.knob import Knob
from weft.operate.tuning.apply import refuse_wrong
from weft.operate.tuning.choice import KnobChoice, SkippedKnob, choose
from weft.operate.tuning.request import TuneRequest
from weft.operate.tuning.settings import have_of, notes

MEASURED_FIRST = {
    "bandwidth-delay": "2, 8 and 32 bandwidth-delay products, once the first look has measured them",
    "path-rate": "100, 95 and 90 % of the rate that the first look measures",
}


class Foreseen(Documented, Struct, frozen=True):
    """Choices in the order without evidence, which the first look may change. `touches` are texts by knob."""

    testbed: str
    goal: str
    nodes: tuple[str, ...]
    time_s: float
    choices: tuple[KnobChoice, ...]
    skipped: tuple[SkippedKnob, ...]
    notes: tuple[str, ...]
    values: dict[str, str]
    disturbs: dict[str, str]
    undo: dict[str, str]


def foresee(request: TuneRequest) -> Foreseen:
    """Reads the settings of the nodes and changes nothing; raises RequestError."""
    refuse_wrong(request)
    with request.open(may_ask=False) as testbed:
        names = tuple(node.name for node in testbed.nodes[:2])
        have = have_of(testbed, request.known, request.apply_anyway, request.goal)
    chosen, skipped = choose(request.wanted, request.known, have, None, 2)
    tried = [request.known[name] for one in chosen for name in one.knobs]
    values = {name: texts for one in chosen for name, texts in one.values.items()}
    return Foreseen(
        request.testbed,
        request.goal,
        names,
        request.time_s,
        tuple(chosen),
        tuple(skipped),
        tuple(notes(have)),
        {one.name: _values(one, values[one.name]) for one in tried},
        {one.name: one.disturbs for one in tried},
        {one.name: _undo(one) for one in tried},
    )


def _values(knob: Knob, values: tuple[str, ...]) -> str:
    return ", ".join(values) or MEASURED_FIRST.get(knob.prior or "", "")


def _undo(knob: Knob) -> str:
    if not knob.is_of_node:
        return "ends with the connection: nothing to undo"
    return "put back after each measurement; after a kill -9: weft tune --undo"
