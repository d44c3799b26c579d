"""Limits of a whole step that the kernel itself states, so that no contrast of slow and fast parts is needed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.base.quantity import significant
from weft.base.statistics import Floats
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import Curve, Ints
from weft.understand.explain.contrast import Mask
from weft.understand.explain.finding import HARMLESS, Explanation, Reading
from weft.understand.explain.losses import Losses
from weft.understand.explain.signals import Signal
from weft.understand.explain.stretches import HOST_WIDE, Stretches
from weft.understand.host.disturbed import LEAST_SHARES as DISTURBING

LEAST_SHARES = {
    **{code: DISTURBING[code] for code in ("stolen-time", "processor-quota", "thermal-throttling")},
    "processor-contention": DISTURBING["processor-contention"],
    "reader-slow": 0.15,
    "receive-buffer": 0.15,
    "send-buffer": 0.3,
}
"""The least share of the time for which a cause limits a step."""
LEAST_FOREIGN = 0.1
"""The least share of other traffic in the bytes that the interface received."""
EFFECTS = ("reader-slow", "receive-buffer", "send-buffer")
"""Causes whose times also pass while the peer waits for its processor, so that this wait is subtracted."""
COUNTED_BEFORE = {
    "interface-drops": ("softnet_dropped",),
    "loss-on-the-way": ("softnet_dropped", "interface_rx_dropped", "interface_tx_dropped"),
}
"""Counters of earlier causes to subtract: the backlog, the interface and the sender may all count the same drop."""

Stated = tuple[float, Signal, str]
"""How strongly a signal limits the step, the signal, and a description."""


def limits(
    run: RunFolder, curve: Curve, stretches: Stretches, signals: list[Signal]
) -> list[Explanation]:
    """The limits of a step, causes before their possible effects; each cause at the node where it is strongest."""
    strongest: dict[str, Stated] = {}
    for one in _stated(run, stretches, signals):
        code = one[1].cause.code
        strongest[code] = max(strongest.get(code, one), one, key=lambda each: each[0])
    return [_explanation(run, curve, *one, stretches) for one in _ordered([*strongest.values()])]


def _ordered(found: list[Stated]) -> list[Stated]:
    """Sorted by rank; the positions of time shares are then filled by falling share."""
    ranked = sorted(found, key=lambda one: one[1].rank)
    times = [one for one in ranked if one[1].cause.kind == "share"]
    longest = iter(sorted(times, key=lambda one: -one[0]))
    return [next(longest) if one in times else one for one in ranked]


def _stated(run: RunFolder, stretches: Stretches, signals: list[Signal]) -> Iterator[Stated]:
    names = [one["name"] for one in run.meta.nodes]
    losses = Losses.of(run, stretches)
    for signal in signals:
        node = names.index(signal.nodes[0])
        code, says = signal.cause.code, signal.cause.says
        share, count = _mean(signal, stretches), float(_counts(signal, stretches).sum())
        if signal.cause.kind == "share":
            own = share - _peer_waits(signal, signals, stretches)
            if own >= LEAST_SHARES.get(code, np.inf):
                yield own, signal, f"{says} {100 * share:.0f} % of the time"
        elif code == "competing-traffic":
            part = count / stretches.total(node, "interface_rx_bytes")
            if part >= LEAST_FOREIGN:
                says = f"{100 * part:.0f} % of what the interface received is of others"
                yield part, signal, says
        elif code in ("backlog-drops", "interface-drops") or signal.counter == "tcp_retransmits":
            own = count - _counted_before(code, stretches, range(len(names)))
            if losses.limit(own):
                yield losses.part(own, signal), signal, _lost(own, signal, losses)


def _counted_before(code: str, stretches: Stretches, nodes: range) -> float:
    """Losses that an earlier cause already accounts for: the highest of its counters at one node."""
    counters = COUNTED_BEFORE.get(code, ())
    found = (stretches.total(node, counter) for node in nodes for counter in counters)
    return max(found, default=0.0)


def _lost(count: float, signal: Signal, losses: Losses) -> str:
    part = f"{significant(100 * losses.part(count, signal), 2)} % of"
    if signal.cause.code == "loss-on-the-way":
        return f"{part} the segments were sent again"
    return f"{count:.0f} {signal.cause.says}, {part} those received"


def _peer_waits(signal: Signal, signals: list[Signal], stretches: Stretches) -> float:
    """The share of the time in which a peer waited for its processor, if that can cause the signal; else 0.

    A signal of both nodes of a ping-pong takes the waits of either.
    """
    if signal.cause.code not in EFFECTS:
        return 0.0
    waits = (one for one in signals if one.cause.code == "processor-contention")
    if len(signal.nodes) == 1:
        waits = (one for one in waits if signal.nodes[0] not in one.nodes)
    return max((_mean(one, stretches) for one in waits), default=0.0)


def _explanation(
    run: RunFolder, curve: Curve, strength: float, signal: Signal, says: str, stretches: Stretches
) -> Explanation:
    unit = "share" if signal.cause.kind == "share" else "per s"
    step = run.meta.plan.steps[stretches.step].name
    is_harmless = _is_harmless(signal, curve, stretches)
    return Explanation(
        "limit",
        step,
        tuple(curve.sizes.tolist()),
        f"{step}: {signal.where}: {says}" + HARMLESS * is_harmless,
        signal.cause.code,
        signal.nodes,
        strength,
        evidence=[Reading(signal.counter, signal.where, _mean(signal, stretches), None, unit)],
        is_harmless=is_harmless,
    )


def _is_harmless(signal: Signal, curve: Curve, stretches: Stretches) -> bool:
    """Whether the time passed in bursts, so that the median stretches of all sizes had too little of it to be limited.
    Launches that are left out of the curve do not count."""
    least = LEAST_SHARES.get(signal.cause.code, 0.0)
    is_counted = np.isin(stretches.launch, curve.launches)
    sizes = (
        is_counted & (stretches.phase == phase) for phase in np.unique(stretches.phase[is_counted])
    )
    middles = (_middle(signal, stretches.launch[of_size], of_size) for of_size in sizes)
    return signal.cause.kind == "share" and all(middle < least for middle in middles)


def _middle(signal: Signal, launch: Ints, of_size: Mask) -> float:
    """The median over launches of the median stretch of each, or of its mean if the kernel counts in steps of 10 ms."""
    of_launch = np.mean if signal.counter.startswith(HOST_WIDE) else np.median
    values = signal.values[of_size]
    return float(np.median([of_launch(values[launch == one]) for one in np.unique(launch)]))


def _mean(signal: Signal, stretches: Stretches) -> float:
    return float(np.average(signal.values, weights=_lasted_ns(stretches)))


def _counts(signal: Signal, stretches: Stretches) -> Floats:
    counts: Floats = signal.values * _lasted_ns(stretches) / 1e9
    return counts


def _lasted_ns(stretches: Stretches) -> Floats:
    """The duration of each stretch, the longest over nodes."""
    nodes = {node for node, counter, _ in stretches.values if counter == "elapsed_ns"}
    lasted: Floats = np.max([stretches.elapsed_ns(node) for node in nodes], axis=0)
    return lasted
