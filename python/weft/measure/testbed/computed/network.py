"""A simulated network as a testbed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import ceil, log2
from pathlib import Path

import numpy as np
import pyarrow as pa

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError, WorkError
from weft.base.statistics import Floats
from weft.measure.testbed.computed.base import ComputedTestbed
from weft.measure.testbed.computed.outcome import SimulatedPhases
from weft.network.fabrics.describe import Description
from weft.network.fabrics.document import FabricDocument
from weft.network.fabrics.load import find_fabric, load_fabric, refuse_parameters
from weft.network.fabrics.losses import (
    Loss,
    losses,
    refuse_losses,
    refuse_spraying,
    refuse_weather,
)
from weft.network.fabrics.not_simulated import not_simulated
from weft.network.fabrics.simgrid.importer import read_simgrid
from weft.network.fabrics.spec import ROWS, SimSpec, Value, parse_spec
from weft.plan.pattern import Program
from weft.plan.phases import Phase
from weft.plan.plan import Step, to_json
from weft.plan.trace_file import read_program, rendezvous_bytes
from weft.runs.columns.tables import (
    ACTIVITIES_NAME,
    BOTTLENECKS_NAME,
    LAPS_NAME,
    LOADS_NAME,
    TRAFFIC_NAME,
)
from weft.runs.meta import Warning
from weft.runs.records import records

PORTS_LOOKED_AT = 33
OVERHEADS = 4
_CHUNK_TRANSFERS = 400_000
_CONDENSED_TRANSFERS = 8_000_000


class SimulatedNetwork(ComputedTestbed[_core.Network]):
    """A prepared network."""

    kind = "sim"

    def __init__(self, network: _core.Network, spec: SimSpec, about: records.TestbedRecord) -> None:
        super().__init__(network)
        self._parameters = {"threads": len(os.sched_getaffinity(0))} | spec.parameters
        self._rows = int(self._parameters.pop("rows", ROWS))
        self._about = about
        self._kept: tuple[Program, _core.Program] | None = None

    @cached_property
    def losses(self) -> list[Loss]:
        """The frame losses in the fabric's description."""
        return losses(self._about.get("fabric"))

    def describe(self) -> records.TestbedRecord:
        """The testbed's entry in run.json: the fabric, and the assumptions of the model."""
        model = _core.Network.default_parameters() | self._parameters
        del model["threads"]
        if not self.model.has_frames():
            model["segments_per_ack"] = 0
        return {"kind": self.kind, "name": self.name, "model": model} | self._about

    def check(self, step: Step) -> None:
        """Refuse a step that cannot be simulated here; raises RequestError."""
        super().check(step)
        refuse_losses(self.name, self.losses, "is not simulated")
        refuse_weather(self.name, self._about.get("fabric"))
        refuse_spraying(self.name, self._about.get("fabric"))
        refusal = self.model.refusal(to_json(step), **self._of(step))
        if refusal is not None:
            raise RequestError(f"{self.name}: {refusal}", "or leave sharing=reno out")

    def chunk(self, step: Step) -> int:
        """How many phases of a step to simulate at a time."""
        if step.is_program:
            return int(self._parameters["threads"])
        if step.pattern.kind == "alltoall":
            condensed = self.rows_of_phase(step) is not None
            transfers = _CONDENSED_TRANSFERS if condensed else _CHUNK_TRANSFERS
            return max(1, transfers // len(self.nodes))
        return super().chunk(step)

    def simulate(
        self, step: Step, first: int, last: int, with_loads: bool = False
    ) -> SimulatedPhases:
        """Simulate the phases of a resolved step of transfers from `first` up to, but not including, `last`."""
        most_rows = self.rows_of_phase(step)
        if most_rows is not None:
            return self._condense(step, first, last, most_rows)
        return self._in_full(step, first, last, with_loads)

    def simulate_phases(self, step: Step, phases: Iterable[int]) -> Iterator[SimulatedPhases]:
        """Phases of a resolved step, one by one with all of their transfers; condensed if there are too many."""
        is_large = self.transfers(step) // self.phase_count(step) > _CHUNK_TRANSFERS
        for phase in phases:
            if is_large:
                yield self._condense(step, phase, phase + 1, most_rows=1)
            else:
                yield self._in_full(step, phase, phase + 1)

    def _of(self, step: Step) -> dict[str, Value]:
        """The parameters for a step: its smaller buffer is the window."""
        buffers = (step.options.send_buffer_bytes, step.options.receive_buffer_bytes)
        windows = [*filter(None, buffers), self._parameters.get("window_bytes")]
        known = [int(one) for one in windows if one is not None]
        return self._parameters | ({"window_bytes": min(known)} if known else {})

    def _in_full(
        self, step: Step, first: int, last: int, with_loads: bool = False
    ) -> SimulatedPhases:
        answer = self.model.simulate(
            to_json(step), first, last, self.dead, with_loads, **self._of(step)
        )
        return SimulatedPhases.of(answer)

    def keep_program(self, pattern: Program, program: _core.Program) -> None:
        """Keep a loaded trace for the next `replay` of the pattern, because reading it takes about as long as replaying
        it."""
        self._kept = (pattern, program)

    def replay(self, step: Step, pattern: Program) -> SimulatedPhases:
        """Replay a step's trace; raises RequestError if its files have changed."""
        program = self._take_program(pattern)
        hosts = pattern.nodes or range(program.ranks)
        answer = self.model.play(
            program, rendezvous_bytes(pattern), list(hosts), self._rows, **self._of(step)
        )
        return SimulatedPhases.of(answer)

    def _take_program(self, pattern: Program) -> _core.Program:
        kept, self._kept = self._kept, None
        return kept[1] if kept and kept[0] == pattern else read_program(pattern)

    def play(self, step: Step, first: int, last: int) -> SimulatedPhases:
        """Simulate the phases of a step of programs from `first` up to, but not including, `last`; raises WorkError."""
        most_rows = max(1, self._rows // self.phase_count(step))
        try:
            answer = self.model.play_made(to_json(step), first, last, most_rows, **self._of(step))
        except _core.RefusedError as error:
            raise WorkError(f"{step.name}: {error.message}") from None
        return SimulatedPhases.of(answer)

    def drive(self, step: Step, first: int, last: int) -> SimulatedPhases:
        """Simulate the phases of traffic from `first` up to, but not including, `last`."""
        most_rows = max(1, self._rows // self.phase_count(step))
        answer = self.model.play_traffic(to_json(step), first, last, most_rows, **self._of(step))
        return SimulatedPhases.of(answer)

    def rows_of_phase(self, step: Step) -> int | None:
        """About how many samples of each phase `simulate` keeps, beside a digest; None if it keeps all."""
        if not step.is_ensemble or step.is_adaptive:
            return None
        samples = self.transfers(step) * step.stop.trials
        return None if samples <= self._rows else max(1, self._rows // self.phase_count(step))

    def _condense(self, step: Step, first: int, last: int, most_rows: int) -> SimulatedPhases:
        try:
            answer = self.model.condense(
                to_json(step), first, last, self.dead, most_rows, **self._of(step)
            )
        except _core.RefusedError as error:
            hint = "at once, so many can be solved only where most of them are alike"
            raise WorkError(error.message, hint) from None
        return SimulatedPhases.of(answer)

    def simulate_chosen(
        self, step: Step, phases: list[Phase], with_loads: bool = False
    ) -> SimulatedPhases:
        """Simulate phases that were chosen for a step, each with its `stop`."""
        answer = self.model.simulate_chosen(
            to_json(step), to_json(phases), self.dead, with_loads, **self._of(step)
        )
        return SimulatedPhases.of(answer)

    @cached_property
    def port_mbps(self) -> float:
        """The capacity of the first constraint on the route between some neighbours, in Mb/s."""
        hosts = range(min(len(self.nodes), PORTS_LOOKED_AT) - 1)
        ways = [self.model.way(host, host + 1, 0) for host in hosts]
        ports = [self.capacities_mbps[way[0][0]] for way in ways if way is not None and way[0]]
        known = [mbps for mbps in ports if np.isfinite(mbps)]
        return float(np.median(known)) if known else 0.0

    @cached_property
    def enough_bytes(self) -> int:
        """Message size at which the cost at the ends is at most a quarter of the time on the wire."""
        overhead_us = float(self.describe()["model"]["overhead_s"]) * 1e6
        least = OVERHEADS * overhead_us * self.port_mbps / 8
        return 1 << ceil(log2(least)) if least > 1 else 0

    @cached_property
    def capacities_mbps(self) -> Floats:
        """Capacities of the constraints in Mb/s on the wire; infinite if unlimited."""
        return Description(self.model).capacities_mbps

    def tables(self, outcome: SimulatedPhases, step: int, clock_ns: int) -> dict[str, pa.Table]:
        """The tables that a run keeps beside its samples, by file name."""
        return {
            BOTTLENECKS_NAME: outcome.bottlenecks(step, self.constraint_names),
            ACTIVITIES_NAME: outcome.nodes(step),
            LAPS_NAME: outcome.timed(step),
            TRAFFIC_NAME: outcome.driven(step),
            LOADS_NAME: outcome.loads(step, clock_ns, self.constraint_names, self.capacities_mbps),
        }


def open_simulated(
    text: str, scale: float = 1.0, parameters: Mapping[str, Value] | None = None
) -> SimulatedNetwork:
    """The testbed for NAME or NAME(KEY=VALUE, ...); `parameters` are defaults for keys that it does not set. Raises
    RequestError."""
    said = parse_spec(text)
    spec = replace(said, parameters={**(parameters or {}), **said.parameters})
    testbed = _opened(text, spec, scale)
    if spec.parameters.get("segments_per_ack") and not testbed.model.has_frames():
        raise RequestError(
            f"sim:{text}: segments_per_ack counts frames, and this network has none: its rates are what messages get",
            "leave it out, or take framing=ethernet where a generator has it",
        )
    return testbed


def open_document(
    document: FabricDocument, parameters: Mapping[str, Value], scale: float = 1.0
) -> SimulatedNetwork:
    """The testbed for a fabric description that is not in a file; `parameters` as in `SimSpec`."""
    network = _core.Network.declared(document.text, document.origin, scale)
    spec = SimSpec(document.name, dict(parameters))
    return SimulatedNetwork(network, spec, {"scale": scale, "fabric": document.resolved(scale)})


def _opened(text: str, spec: SimSpec, scale: float) -> SimulatedNetwork:
    if spec.name.endswith(".xml"):
        return _open_platform(text, spec, scale)
    try:
        network = _core.Network.generated(spec.name, spec.others, scale)
    except _core.RefusedError as error:
        raise RequestError(f"sim:{text}: {error.message}") from None
    if network is not None:
        return SimulatedNetwork(network, spec, {"scale": scale})
    return _open_declared(text, spec, scale)


def _open_platform(text: str, spec: SimSpec, scale: float) -> SimulatedNetwork:
    """A SimGrid platform file."""
    if spec.others or scale != 1.0:
        without = "--scale and other parameters than those of the model"
        raise RequestError(f"sim:{text}: a platform is simulated as it is, without {without}")
    return SimulatedNetwork(read_simgrid(Path(spec.name)), spec, {"scale": 1.0})


def _open_declared(text: str, spec: SimSpec, scale: float) -> SimulatedNetwork:
    path = find_fabric(spec.name)
    refuse_parameters(f"sim:{text}", spec)
    fabric = load_fabric(str(path), scale)
    description = catalog.read(path)
    network = _core.Network.declared(description, catalog.shown(path), scale)
    testbed = SimulatedNetwork(network, spec, {"scale": scale, "fabric": fabric})
    sharing = str(testbed.describe()["model"]["sharing"])
    for key, why in not_simulated(description, sharing).items():
        said = f"{key} of the fabric {fabric['name']} changes nothing here: {why}"
        testbed.warnings.append(Warning("key-not-simulated", said))
    return testbed
