"""Which knobs are tried, and in which order: first those that match what the kernel reports as the path's limit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from weft.knobs.knob import Goal, Knob
from weft.operate.tuning.candidates import TOGETHER, values
from weft.operate.tuning.first_look import InitialDiagnosis

SUGGESTED = {
    "reader-slow": ("tcp_rmem", "receive_buffer"),
    "receive-buffer": ("receive_buffer", "rmem_max", "tcp_rmem"),
    "send-buffer": ("tcp_wmem", "send_buffer", "wmem_max"),
    "loss-on-the-way": ("congestion", "tcp_congestion_control", "pacing", "queueing", "mtu", "mss"),
    "backlog-drops": ("netdev_max_backlog", "rps_cpus", "gro"),
    "interface-drops": ("rx_ring", "tx_ring", "rx_coalescing"),
    "processor-contention": ("cpus", "rps_cpus", "interrupt_affinity"),
    "interrupts": ("rx_coalescing", "gro", "mtu", "tso", "gso"),
}
"""By cause (docs/causes.md), the knobs that can help, the likeliest first."""
USUAL = (
    *("send_buffer", "receive_buffer", "congestion", "nodelay"),
    *("tcp_wmem", "tcp_rmem", "mtu", "queueing"),
    *("tcp_congestion_control", "busy_poll", "cpus", "rx_coalescing", "rps_cpus"),
    *("zero_copy", "pacing", "mss", "gro", "tso", "gso", "threaded_napi", "interrupt_affinity"),
)
"""The order without evidence: what helps most often first; others follow by name."""
GOALS: dict[str, tuple[Goal, ...]] = {"stream": ("stream",), "latency": ("latency",)}
BOTH: tuple[Goal, ...] = ("stream", "latency")
"""Goals that `mixed` and plans of a user may have."""


NO_TIME = "no time is left"
NO_EVIDENCE = "usual order: nothing in the evidence speaks for it"
AGAIN = "once more, on top of what was found after it"


class Have(Struct, frozen=True):
    """A knob on all nodes: its current value ("" if unknown), why it cannot be set, and the values or the largest
    number that a node offers, if known."""

    value: str = ""
    why_not: str = ""
    allowed: tuple[str, ...] = ()

    def offers(self, value: str) -> bool:
        """Whether a candidate can be set and changes something."""
        if value == self.value or not self.allowed:
            return value != self.value
        most = self.allowed[0]
        is_most = len(self.allowed) == 1 and most.isdecimal() and value.isdecimal()
        return int(value) <= int(most) if is_most else value in self.allowed


class KnobChoice(Struct, frozen=True):
    """Knobs that are tried together, with their values, and the reason for their place in the order; `is_suggested` if
    the evidence suggests one."""

    knobs: tuple[str, ...]
    values: dict[str, tuple[str, ...]]
    why: str
    is_suggested: bool = False

    @property
    def name(self) -> str:
        """The name, such as "send_buffer and receive_buffer"."""
        return " and ".join(self.knobs)


class SkippedKnob(Struct, frozen=True):
    """A knob that is not tried, and why."""

    knob: str
    why: str


class TuningGoal(Struct, frozen=True):
    """What a user asks for: a goal, the transports of the measured steps, and knobs by name (empty: all)."""

    goal: str
    transports: frozenset[str]
    knobs: tuple[str, ...] = ()


def choose(
    wanted: TuningGoal,
    known: Mapping[str, Knob],
    have: Mapping[str, Have],
    look: InitialDiagnosis | None,
    processors: int,
) -> tuple[list[KnobChoice], list[SkippedKnob]]:
    """The knobs to try, in order, and the requested ones that are skipped. A pure function."""
    skipped, tried = [], {}
    for name in wanted.knobs or known:
        knob = known[name]
        mine = have.get(name, Have())
        found = tuple(filter(mine.offers, values(knob, look, processors)))
        if why := _why_not(knob, wanted, mine, bool(found) or (bool(knob.prior) and not look)):
            skipped.append(SkippedKnob(name, why))
        else:
            tried[name] = found
    causes = _causes(look, tried)
    ordered = sorted(tried, key=lambda name: (_place(name, causes), _usual(name)))
    return [
        KnobChoice(
            group,
            {name: tried[name] for name in group},
            _why(group, causes),
            not causes.keys().isdisjoint(group),
        )
        for group in _groups(ordered, tried)
    ], skipped


def _why_not(knob: Knob, wanted: TuningGoal, have: Have, has_values: bool) -> str:
    """Why a knob is not tried; "" if it is."""
    is_mpi = "mpi" in wanted.transports
    if not set(knob.goals) & set(GOALS.get(wanted.goal, BOTH)):
        return f"is not about {wanted.goal}"
    if (knob.scope == "mpi") != is_mpi and (knob.scope == "mpi" or knob.scope == "socket"):
        return f"the steps use {', '.join(sorted(wanted.transports))}"
    if have.why_not:
        return have.why_not
    if not has_values:
        return f"{have.value} is in effect" if have.value else "there is nothing to try"
    return ""


def _groups(ordered: Sequence[str], tried: Collection[str]) -> list[tuple[str, ...]]:
    """Groups of knobs that only help together, at the place of the first of them."""
    group_of = {
        name: group for group in TOGETHER if all(name in tried for name in group) for name in group
    }
    return list(dict.fromkeys(group_of.get(name, (name,)) for name in ordered))


def _causes(look: InitialDiagnosis | None, tried: Collection[str]) -> dict[str, str]:
    """For each knob, likeliest first, the cause in the evidence that it may remedy."""
    if look is None:
        return {}
    fits = [*look.because.items()]
    fits += [
        (name, text) for cause, text in look.limits.items() for name in SUGGESTED.get(cause, ())
    ]
    causes: dict[str, str] = {}
    for name, text in fits:
        if name in tried:
            causes.setdefault(name, text)
    return causes


def _place(name: str, causes: Mapping[str, str]) -> int:
    return list(causes).index(name) if name in causes else len(causes)


def _usual(name: str) -> tuple[int, str]:
    return (USUAL.index(name) if name in USUAL else len(USUAL)), name


def _why(group: Sequence[str], causes: Mapping[str, str]) -> str:
    found = [causes[name] for name in group if name in causes]
    return found[0] if found else NO_EVIDENCE
