"""What limits a whole step, by what the kernel itself states: no slow part is needed beside a fast one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.diagnose.curve import Curve
from weft.diagnose.explain.finding import Explanation, Reading
from weft.diagnose.explain.signals import Signal
from weft.diagnose.explain.stretches import Stretches
from weft.quantity import significant
from weft.run.folder import Run
from weft.statistics import Floats

LEAST_SHARES = {
    "stolen-time": 0.1,
    "processor-contention": 0.2,
    "reader-slow": 0.15,
    "receive-buffer": 0.15,
    "send-buffer": 0.3,
}
"""Of the whole time: with less, a cause does not limit the step."""
LEAST_FOREIGN = 0.1
"""Of the bytes that the interface received."""
LEAST_LOST = 1e-3
"""Of the segments that were sent: with more, TCP gets less than its path has."""
DROPS = ("backlog-drops", "interface-drops")
LEAST_DROPPED = 1e-4
"""Of the frames that the interface received. Fewer are enough than are lost on the way: a sender on the same host is
told at once and slows down without sending anything again."""
USUAL_MSS_BYTES = 1448

Stated = tuple[float, Signal, str]
"""How much a signal limits the step, the signal, and that in words."""


def limits(
    run: Run, curve: Curve, stretches: Stretches, signals: list[Signal]
) -> list[Explanation]:
    """What limits a step, causes before those that they can bring about; each cause where it is strongest."""
    strongest: dict[str, Stated] = {}
    for one in _stated(run, stretches, signals):
        code = one[1].cause.code
        strongest[code] = max(strongest.get(code, one), one, key=lambda each: each[0])
    ordered = sorted(strongest.values(), key=lambda one: one[1].rank)
    return [_explanation(run, curve, *one, stretches) for one in ordered]


def _stated(run: Run, stretches: Stretches, signals: list[Signal]) -> Iterator[Stated]:
    names = [one["name"] for one in run.meta.nodes]
    frames = max(stretches.total(node, "interface_rx_packets") for node in range(len(names)))
    for signal in signals:
        node = names.index(signal.nodes[0])
        code, says = signal.cause.code, signal.cause.says
        share, count = _mean(signal, stretches), float(_counts(signal, stretches).sum())
        if signal.cause.kind == "share":
            if share >= LEAST_SHARES.get(code, np.inf):
                yield share, signal, f"{says} {100 * share:.0f} % of the time"
        elif code == "competing-traffic":
            part = count / stretches.total(node, "interface_rx_bytes")
            if part >= LEAST_FOREIGN:
                yield (
                    part,
                    signal,
                    f"{100 * part:.0f} % of what the interface received is of others",
                )
        elif code in DROPS:
            part = count / max(frames, count)
            if part >= LEAST_DROPPED:
                yield (
                    part,
                    signal,
                    f"{count:.0f} {says}, {significant(100 * part, 2)} % of those received",
                )
        elif signal.counter == "tcp_retransmits":
            lost = lost_share(run, stretches)
            if lost >= LEAST_LOST:
                yield (
                    lost,
                    signal,
                    f"{significant(100 * lost, 2)} % of the segments were sent again",
                )


def _explanation(
    run: Run, curve: Curve, strength: float, signal: Signal, says: str, stretches: Stretches
) -> Explanation:
    unit = "share" if signal.cause.kind == "share" else "per s"
    step = run.meta.plan.steps[stretches.step].name
    return Explanation(
        "limit",
        step,
        tuple(curve.sizes.tolist()),
        f"{step}: {signal.where}: {says}",
        signal.cause.code,
        signal.nodes,
        strength,
        evidence=[Reading(signal.counter, signal.where, _mean(signal, stretches), None, unit)],
    )


def lost_share(run: Run, stretches: Stretches) -> float:
    """Segments sent again, of all that were sent, at the node where that is most."""
    settings = [one["settings"] for one in run.meta.effective if one["step"] == stretches.step]
    mss = next((one.get("mss_bytes") for one in settings), None) or USUAL_MSS_BYTES
    shares = [0.0]
    for node in range(len(run.meta.nodes)):
        sent = stretches.total(node, "tcp_bytes_sent") / float(mss)
        again = stretches.total(node, "tcp_retransmits")
        shares.append(again / max(sent, again, 1.0))
    return max(shares)


def _mean(signal: Signal, stretches: Stretches) -> float:
    return float(np.average(signal.values, weights=_lasted_ns(stretches)))


def _counts(signal: Signal, stretches: Stretches) -> Floats:
    counts: Floats = signal.values * _lasted_ns(stretches) / 1e9
    return counts


def _lasted_ns(stretches: Stretches) -> Floats:
    """How long each stretch was, at the node that measured it the longest."""
    nodes = {node for node, counter, _ in stretches.values if counter == "elapsed_ns"}
    lasted: Floats = np.max([stretches.elapsed_ns(node) for node in nodes], axis=0)
    return lasted
