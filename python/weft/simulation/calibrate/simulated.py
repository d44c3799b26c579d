"""Simulates a machine for a quantity that can be measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, get_args

from weft import _core
from weft.base.amount import AmountKind
from weft.measure.testbed.computed.node import SimulatedNodes
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.network.model.machine_text import configured
from weft.plan.load import load_plan
from weft.plan.plan import Step
from weft.runs.columns.tables import OCCUPATION_NAME
from weft.understand.curve.curve import column, to_mbps

Quantity = Literal["latency", "rate", "stream", "load", "interrupts"]
"""In this order: half a round trip; a message over half its round trip (as in NetPIPE); a one-way stream; for the
receiver of such a stream, the busy share of a part, and its interrupts per second."""
Library = Literal["openmpi", "mpich"]
KINDS: Mapping[str, AmountKind] = {
    "latency": "time",
    "rate": "rate",
    "stream": "rate",
    "load": "share",
    "interrupts": "number",
}
SIZES: Mapping[str, str] = {
    "latency": "1 B",
    "rate": "1 MiB",
    "stream": "64 KiB",
    "load": "64 KiB",
    "interrupts": "64 KiB",
}
"""The default sizes."""
assert get_args(Quantity) == tuple(KINDS)


@dataclass(frozen=True)
class SimulatedQuantity:
    """The quantity to simulate at a size on a placement, with some keys of the machine changed."""

    quantity: Quantity
    size: str
    placement: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    part: str | None = None
    mpi: Library | None = None


@dataclass(frozen=True)
class MachineFile:
    """The description of a machine; `origin` is its name in messages."""

    text: str
    origin: str

    def answer(self, question: SimulatedQuantity, keys: Mapping[str, str]) -> float:
        """The simulated value with `keys` changed in the file, except those that the placement sets.

        In seconds, bits per second, a share (0 to 1) or interrupts per second. Raises RequestError if the machine is
        invalid, and ArithmeticError if no message arrives."""
        own = _configured(self.text, question.placement)
        of_file = {key: value for key, value in keys.items() if key not in own}
        changed = list({**of_file, **question.keys}.items())
        machine = _core.Machine.load(self.text, self.origin, question.placement, changed)
        nodes = SimulatedNodes(machine, {})
        step = _step(question.quantity in ("latency", "rate"), question.size, question.mpi)
        outcome = nodes.simulate(step, 0, 1)
        if question.quantity in ("load", "interrupts"):
            return _of_receiver(nodes, outcome, question)
        return _of_messages(outcome, question.quantity)


_configured = cache(configured)


@cache
def _step(has_answers: bool, size: str, mpi: Library | None) -> Step:
    plan, settings = "latency" if has_answers else "stream", [("steps[0].sizes", f'["{size}"]')]
    if mpi:
        settings += [("steps[0].transport", "mpi"), ("steps[0].options.mpi", mpi)]
    return load_plan(plan, settings).steps[0]


def _of_messages(outcome: SimulatedPhases, quantity: Quantity) -> float:
    rows = outcome.samples(0, 0, 0)
    if not rows.num_rows:
        raise ArithmeticError(outcome.failures[0][1] if outcome.failures else "no message arrives")
    each_us = float((column(rows, "elapsed_ns") / column(rows, "messages"))[0]) / 1e3
    one_way_us = each_us if quantity == "stream" else each_us / 2
    if quantity == "latency":
        return one_way_us / 1e6
    return float(to_mbps(rows["size_bytes"][0].as_py(), one_way_us)) * 1e6


def _of_receiver(
    nodes: SimulatedNodes, outcome: SimulatedPhases, question: SimulatedQuantity
) -> float:
    """The load or interrupts of one part of the receiver, or of all its processors together."""
    of = "share" if question.quantity == "load" else "interrupts_per_s"
    rows = nodes.tables(outcome, 0, 0)[OCCUPATION_NAME].to_pylist()
    mine = [
        row[of]
        for row in rows
        if row["node"] == nodes.nodes[1].name
        if question.part == row["part"] or (question.part is None and row["task"])
    ]
    return float(sum(mine))
