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
    JoinReply,
    Lap,
    LeaveReply,
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
    CastFailure,
    CastLookReply,
    CastOpenReply,
    CastProgress,
    CastWhole,
)
from weft.measure.testbed.agent.reply.inspection import (
    CheckedInterface,
    EchoReply,
    EchoStopReply,
    InspectReply,
    Path,
    Slot,
    System,
    TryReply,
)
from weft.measure.testbed.agent.reply.knobs import (
    KnobReading,
    KnobsReply,
    KnobsSet,
    RestoredKnob,
    RestoreReply,
)
from weft.measure.testbed.agent.reply.relay import ProcessEnd, RelayReply
from weft.measure.testbed.agent.reply.sockets import (
    ProcessTimes,
    SocketEvent,
    SocketsReply,
    SocketWatchReply,
)
from weft.measure.testbed.agent.reply.step import (
    BatchesDone,
    BatchTime,
    ConnectReply,
    Deliveries,
    Delivery,
    Done,
    Error,
    ListenReply,
    NotRead,
    RecordReply,
    StallReport,
)
from weft.measure.testbed.agent.reply.watch import DrainReply, LinkState, WatchState, WatchStatus
from weft.measure.testbed.agent.reply.web import (
    CountEndReply,
    CountStartReply,
    Responses,
    ServerReply,
)

Reply: TypeAlias = (
    Ready
    | Clock
    | Counters
    | ListenReply
    | ConnectReply
    | BatchesDone
    | RecordReply
    | StallReport
    | BatchTime
    | Deliveries
    | Done
    | Error
    | ListeningOn
    | JoinReply
    | Alive
    | Activities
    | Driven
    | PhaseOver
    | PhasesDone
    | LeaveReply
    | InspectReply
    | EchoReply
    | TryReply
    | EchoStopReply
    | KnobsReply
    | KnobsSet
    | RestoreReply
    | ServerReply
    | CountStartReply
    | CountEndReply
    | Responses
    | CastLookReply
    | CastOpenReply
    | CastAlive
    | CastBroken
    | CastFailure
    | CastWhole
    | CastDone
    | SocketWatchReply
    | SocketsReply
    | WatchState
    | DrainReply
    | RelayReply
    | ProcessEnd
)
Answer = TypeVar("Answer", bound=Message)
"""The type of reply that a request expects."""

__all__ = [
    "Activities",
    "Activity",
    "Alive",
    "Answer",
    "BatchTime",
    "BatchesDone",
    "Cache",
    "CastAlive",
    "CastBroken",
    "CastDone",
    "CastFailure",
    "CastLookReply",
    "CastOpenReply",
    "CastProgress",
    "CastWhole",
    "CheckedInterface",
    "Clock",
    "ConnectReply",
    "CountEndReply",
    "CountStartReply",
    "Counters",
    "Deliveries",
    "Delivery",
    "Done",
    "DrainReply",
    "Driven",
    "EchoReply",
    "EchoStopReply",
    "Error",
    "Facts",
    "FailedTransfer",
    "InspectReply",
    "Interface",
    "JoinReply",
    "KnobReading",
    "KnobsReply",
    "KnobsSet",
    "Lap",
    "LeaveReply",
    "LinkState",
    "ListenReply",
    "ListeningOn",
    "NotRead",
    "Overhead",
    "Path",
    "PhaseOver",
    "PhasesDone",
    "ProcessEnd",
    "ProcessTimes",
    "Ready",
    "RecordReply",
    "RelayReply",
    "Reply",
    "Responses",
    "RestoreReply",
    "RestoredKnob",
    "ServerReply",
    "Settings",
    "Slot",
    "SocketEvent",
    "SocketWatchReply",
    "SocketsReply",
    "StallReport",
    "System",
    "TryReply",
    "WatchState",
    "WatchStatus",
]
