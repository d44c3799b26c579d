"""Phases of a step: which transfers run at the same time."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from weft import _core
from weft.base.errors import RequestError
from weft.plan.pattern import Policy
from weft.plan.plan import Step, StopRule, to_json

_KEPT_STEPS = 8
Work = Literal["stream", "pingpong", "cast"]
"""What transfers do: send one way; there and back, the source first; forward what they receive."""


class Transfer(Struct, frozen=True, gc=False):
    """Messages of a size from one node to another (indices in the run) over parallel streams; `port` is the source port
    of the first of these, 0 for any."""

    src: int
    dst: int
    bytes: int
    streams: int = 1
    network: int = 0
    port: int = 0

    @property
    def ends(self) -> tuple[int, int]:
        return self.src, self.dst


class PairsAtOnce(Struct, frozen=True):
    """A number of pairs under a policy; `first` is the interface of the first pair."""

    policy: Policy
    pairs: int
    first: int


class Phase(Struct, frozen=True, omit_defaults=True):
    """Transfers that run at the same time. A phase chosen during the run has a `stop` rule of its own, one of several
    pairs has its `arrangement`."""

    index: int
    size_bytes: int
    work: Work
    transfers: tuple[Transfer, ...]
    arrangement: PairsAtOnce | None = None
    stop: StopRule | None = None


_DECODER = msgspec.json.Decoder(tuple[Phase, ...])


def expand(step: Step, nodes: int) -> tuple[Phase, ...]:
    """The phases of a step, in order of index; raises RequestError if there are too few nodes."""
    return _expanded(_as_carried(step), nodes)


def _as_carried(step: Step) -> Step:
    """The step without what does not affect its phases, so that the cache finds it: the transport (except null, which
    uses one node), the step it was derived from, and node settings. Imported runs have transports that no plan can
    name."""
    transport = "null" if step.transport == "null" else "tcp"
    options = replace(step.options, knobs=UNSET)
    return replace(step, transport=transport, options=options, over=UNSET)


def check_phases(step: Step, nodes: int, key: str) -> None:
    """Raise RequestError about `key` if a step that did not come from a plan's text has no phases."""
    try:
        _core.check_step(to_json(_as_carried(step)), nodes)
    except _core.RefusedError as error:
        raise RequestError(f"{key}: {error.message}") from None


@lru_cache(maxsize=_KEPT_STEPS)
def _expanded(step: Step, nodes: int) -> tuple[Phase, ...]:
    """Cached, since a run expands the same steps at every launch, and a report in each part."""
    return _DECODER.decode(_core.expand_step(to_json(step), nodes))
