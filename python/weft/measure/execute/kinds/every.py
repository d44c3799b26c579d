"""All kinds of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from weft.measure.execute.kinds.cast import CastKind, FileCastKind
from weft.measure.execute.kinds.collective import CollectiveKind
from weft.measure.execute.kinds.halo import HaloKind
from weft.measure.execute.kinds.interference import InterferenceKind
from weft.measure.execute.kinds.kind import StepKind
from weft.measure.execute.kinds.linpack import LinpackKind, RealLinpackKind
from weft.measure.execute.kinds.multi_pair import MultiPairKind
from weft.measure.execute.kinds.pair import ExchangeKind, PingpongKind
from weft.measure.execute.kinds.phases import PhasesKind
from weft.measure.execute.kinds.search import HealthKind, PathsKind, XrayKind
from weft.measure.execute.kinds.stream import LoadedStreamKind, StreamKind
from weft.measure.execute.kinds.trace import TraceKind
from weft.measure.execute.kinds.traffic import TrafficKind
from weft.measure.execute.kinds.webserver import WebserverKind
from weft.plan.pattern import (
    AllToAll,
    Cast,
    Collective,
    Exchange,
    Halo,
    Health,
    Hpl,
    Interference,
    Matrix,
    MultiPair,
    Pairs,
    Paths,
    PatternBase,
    Pingpong,
    Program,
    Random,
    Ring,
    Stream,
    Streams,
    Traffic,
    Webserver,
    Xray,
)
from weft.plan.plan import Step

STEP_KINDS: Mapping[type, Callable[..., StepKind[PatternBase]]] = {
    Pingpong: PingpongKind,
    Stream: lambda step, stream: (LoadedStreamKind if stream.gamma else StreamKind)(step, stream),
    Exchange: ExchangeKind,
    MultiPair: MultiPairKind,
    Webserver: WebserverKind,
    Pairs: PhasesKind,
    AllToAll: PhasesKind,
    Matrix: PhasesKind,
    Streams: PhasesKind,
    Ring: PhasesKind,
    Random: PhasesKind,
    Cast: lambda step, cast: (FileCastKind if cast.file else CastKind)(step, cast),
    Xray: XrayKind,
    Paths: PathsKind,
    Health: HealthKind,
    Program: TraceKind,
    Halo: HaloKind,
    Collective: CollectiveKind,
    Interference: InterferenceKind,
    Traffic: TrafficKind,
    Hpl: lambda step, hpl: (RealLinpackKind if step.transport == "mpi" else LinpackKind)(step, hpl),
}


def kind_of(step: Step) -> StepKind[PatternBase]:
    """The kind of a step, chosen by its pattern."""
    return STEP_KINDS[type(step.pattern)](step, step.pattern)
