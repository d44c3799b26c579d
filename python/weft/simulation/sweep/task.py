"""A task of a sweep: a workload on a network at some points of its parameters, self-contained without files."""

from __future__ import annotations

import hashlib
from functools import cached_property, lru_cache

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from weft import __version__
from weft.base.errors import WeftError
from weft.base.files.text_file import parse_toml
from weft.measure.testbed.computed.network import SimulatedNetwork, open_document, open_simulated
from weft.network.fabrics.document import FabricDocument
from weft.network.fabrics.spec import Value
from weft.plan.load import load_plan
from weft.plan.plan import SizeList, Step
from weft.simulation.prediction.estimate import (
    EstimatedPhases,
    Stratum,
    check_plan,
    simulate_strata,
    strata_of,
)
from weft.simulation.prediction.programs import (
    fastest,
    half_as_large_s,
    phase_s,
    settled_program,
)
from weft.simulation.sweep.row import SweepRow

FORMAT = 4
"""The format version of tasks and rows; results with another version are recomputed."""

_TRANSFERS = 1 << 16
"""If a step has fewer transfers, every phase is simulated, such as in an all-to-all of 256 nodes."""

_AT_A_POINT = 4
"""The number of phases of a step that are simulated at points other than the first; their change is applied to all."""


class Network(Struct, frozen=True):
    """A network by value: a generator with its parameters in brackets, or the text of a fabric file with its name and
    model parameters."""

    generator: str = ""
    text: str = ""
    origin: str = ""
    parameters: tuple[tuple[str, Value], ...] = ()


class SweptWorkload(Struct, frozen=True):
    """A workload by value: a plan's text, overrides of single keys, and the most phases of a long step to simulate."""

    plan: str
    overrides: tuple[tuple[str, str], ...] = ()
    most_phases: int = 64
    digests: tuple[str, ...] = ()
    """The digests of the traces that it replays, whose paths are absolute."""


class HostPoint(Struct, frozen=True):
    """The parameters of the hosts (keywords of `weft._core.Network.simulate`), and a factor for all rates."""

    parameters: tuple[tuple[str, Value], ...] = ()
    scale: float = 1.0


class Task(Struct, frozen=True, dict=True):
    """A workload on a network at some points; times at later points are estimated relative to the first."""

    network: Network
    load: SweptWorkload
    points: tuple[HostPoint, ...] = (HostPoint(),)

    @cached_property
    def key(self) -> str:
        """A hash of the task's content and of the software version."""
        content = msgspec.json.encode([FORMAT, __version__, self], order="deterministic")
        return hashlib.blake2b(content, digest_size=16).hexdigest()


def run_task(task: Task) -> list[SweepRow]:
    """The rows of the steps at each point, or one row with the reason why they cannot be simulated. Bit-identical on
    any machine: one thread, and phases chosen by a fixed seed."""
    try:
        return _computed(task)
    except WeftError as error:
        return [SweepRow.refused(task.key, error)]


def _computed(task: Task) -> list[SweepRow]:
    plan = load_plan(parse_toml(task.load.plan, "the plan of a task"), task.load.overrides)
    testbeds = [open_network(task.network, point) for point in task.points]
    for testbed in testbeds:
        check_plan(testbed, plan)
    return [
        row
        for step in plan.steps
        for row in (_program_rows if step.is_program else _rows)(task, testbeds, step)
    ]


def _program_rows(task: Task, testbeds: list[SimulatedNetwork], step: Step) -> list[SweepRow]:
    """The rows of a program: at later points by the algorithm that is fastest at the first."""
    settled = settled_program(testbeds[0], step)
    rows = []
    for one in fastest(testbeds[0], settled):
        half_s = half_as_large_s(testbeds[0], settled, one)
        latency_s = 0.0 if half_s is None else min(max(2 * half_s - one.time_s, 0.0), one.time_s)
        rows.append(SweepRow.of_program(task.key, 0, one, one.time_s, latency_s))
        for place, testbed in enumerate(testbeds[1:], 1):
            time_s = phase_s(testbed, settled_program(testbed, step), one.phase)
            rows.append(SweepRow.of_program(task.key, place, one, time_s))
    return rows


def _rows(task: Task, testbeds: list[SimulatedNetwork], step: Step) -> list[SweepRow]:
    rows = []
    each = testbeds[0].transfers(step) // testbeds[0].phase_count(step)
    most = max(task.load.most_phases, _TRANSFERS // max(1, each))
    for strata in strata_of(testbeds[0], step, most):
        first = simulate_strata(testbeds[0], step, strata)
        latency_s = _latency_s(testbeds[0], step, strata, first)
        rows.append(SweepRow.of(task.key, 0, first, 1.0, latency_s))
        stride = -(-len(strata) // _AT_A_POINT)
        for place, testbed in enumerate(testbeds[1:], 1):
            there = simulate_strata(testbed, step, strata[::stride])
            is_scaled = task.points[place].scale != task.points[0].scale
            rows.append(
                SweepRow.of(task.key, place, first, _ratio(there, first, stride, is_scaled))
            )
    return rows


def _latency_s(
    testbed: SimulatedNetwork, step: Step, strata: list[Stratum], first: EstimatedPhases
) -> float:
    """The part of the time that does not depend on the size, from a few phases with messages of half the size. Messages
    of one byte would be worse, because their overhead of frames and acknowledgements is no latency."""
    stride = -(-len(strata) // _AT_A_POINT)
    half = replace(step, sizes=SizeList((max(1, first.size_bytes // 2),)))
    count = testbed.phase_count(half)
    some = [Stratum(one.phase % count, one.weight) for one in strata[::stride]]
    ratio = simulate_strata(testbed, half, some).time_s / first.every(stride).time_s
    return float(first.time_s * np.clip(2 * ratio - 1, 0, 1))


def _ratio(there: EstimatedPhases, first: EstimatedPhases, stride: int, is_scaled: bool) -> float:
    """The ratio of the times of all phases, from every n-th. Scaled rates change a phase by a factor; parameters of
    hosts add about the same time to each."""
    here = first.every(stride)
    ratio = there.time_s / here.time_s
    added = (there.time_s - here.time_s) / here.weights.sum() * first.weights.sum()
    return float(ratio if is_scaled or ratio < 0.5 else 1 + added / first.time_s)


def open_network(network: Network, point: HostPoint | None = None) -> SimulatedNetwork:
    """The network, ready for simulation; its own parameters override those of the point. Raises RequestError if it is
    invalid."""
    there = point or HostPoint()
    return _open(network, there.parameters, there.scale)


@lru_cache(maxsize=8)
def _open(
    network: Network, parameters: tuple[tuple[str, Value], ...], scale: float
) -> SimulatedNetwork:
    """The simulator of a network; cached, because the workloads of a network are consecutive."""
    own = dict(parameters) | dict(network.parameters) | {"threads": 1}
    if network.generator:
        return open_simulated(network.generator, scale, own)
    document = FabricDocument.of_text(network.text, network.origin)
    return open_document(document, own, scale)
