"""Replies of agents (`weft-probe`) and relays: a struct for each message. Samples travel in frames of their own."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from weft.measure.testbed.agent.reply.base import Message, Settings
from weft.measure.testbed.agent.reply.ensemble import (
    Activities,
    Activity,
    Alive,
    Driven,
    FailedTransfer,
    Joined,
    Lap,
    Left,
    ListeningOn,
    PhaseOver,
    PhasesDone,
)
from weft.measure.testbed.agent.reply.facts import (
    Cache,
    Clock,
    Counters,
    Facts,
    Interface,
    Overhead,
    Ready,
)
from weft.measure.testbed.agent.reply.file_cast import (
    CastAlive,
    CastBroken,
    CastDone,
    CastFailed,
    CastLooked,
    CastOpened,
    CastWhole,
    Spent,
)
from weft.measure.testbed.agent.reply.inspection import (
    CheckedInterface,
    Echoing,
    EchoStopped,
    Inspected,
    Path,
    Slot,
    System,
    Tried,
)
from weft.measure.testbed.agent.reply.knobs import (
    KnobsRestored,
    KnobsSeen,
    KnobsSet,
    RestoredKnob,
    SeenKnob,
)
from weft.measure.testbed.agent.reply.relay import Ended, Relaying
from weft.measure.testbed.agent.reply.sockets import SeenProcess, SocketEvent, SocketsSeen, Watching
from weft.measure.testbed.agent.reply.step import (
    Awaiting,
    Connected,
    Deliveries,
    Delivery,
    Done,
    Error,
    Listening,
    NotRead,
    Recording,
    Stalled,
    Timed,
)
from weft.measure.testbed.agent.reply.watch import LinkState, WatchDrained, WatchState, WatchStatus
from weft.measure.testbed.agent.reply.web import Counted, Counting, Responses, Serving

Reply: TypeAlias = (
    Ready
    | Clock
    | Counters
    | Listening
    | Connected
    | Awaiting
    | Recording
    | Stalled
    | Timed
    | Deliveries
    | Done
    | Error
    | ListeningOn
    | Joined
    | Alive
    | Activities
    | Driven
    | PhaseOver
    | PhasesDone
    | Left
    | Inspected
    | Echoing
    | Tried
    | EchoStopped
    | KnobsSeen
    | KnobsSet
    | KnobsRestored
    | Serving
    | Counting
    | Counted
    | Responses
    | CastLooked
    | CastOpened
    | CastAlive
    | CastBroken
    | CastFailed
    | CastWhole
    | CastDone
    | Watching
    | SocketsSeen
    | WatchState
    | WatchDrained
    | Relaying
    | Ended
)
Answer = TypeVar("Answer", bound=Message)
"""The type of reply that a request expects."""

__all__ = [
    "Activities",
    "Activity",
    "Alive",
    "Answer",
    "Awaiting",
    "Cache",
    "CastAlive",
    "CastBroken",
    "CastDone",
    "CastFailed",
    "CastLooked",
    "CastOpened",
    "CastWhole",
    "CheckedInterface",
    "Clock",
    "Connected",
    "Counted",
    "Counters",
    "Counting",
    "Deliveries",
    "Delivery",
    "Done",
    "Driven",
    "EchoStopped",
    "Echoing",
    "Ended",
    "Error",
    "Facts",
    "FailedTransfer",
    "Inspected",
    "Interface",
    "Joined",
    "KnobsRestored",
    "KnobsSeen",
    "KnobsSet",
    "Lap",
    "Left",
    "LinkState",
    "Listening",
    "ListeningOn",
    "NotRead",
    "Overhead",
    "Path",
    "PhaseOver",
    "PhasesDone",
    "Ready",
    "Recording",
    "Relaying",
    "Reply",
    "Responses",
    "RestoredKnob",
    "SeenKnob",
    "SeenProcess",
    "Serving",
    "Settings",
    "Slot",
    "SocketEvent",
    "SocketsSeen",
    "Spent",
    "Stalled",
    "System",
    "Timed",
    "Tried",
    "WatchDrained",
    "WatchState",
    "WatchStatus",
    "Watching",
]
