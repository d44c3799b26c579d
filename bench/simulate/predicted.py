"""How far off are values that nothing was fitted to?

What simulated nodes predict of two published studies: no value that anything was fitted to, and all orders.

usage: bench/run.py predicted
tier: quick

One table over inside.py, inside_caches.py, applications.py and server.py, which print all values: median and
worst error of each kind, then published orders that do not hold, each with what in the study contradicts it, or why.

Takes about 10 seconds of processor time. Missed are loads and interrupts (a value or two each, which exclude others of
the same study) and two kinds of hit rates, of which half contradict the other half (docs/node-accuracy.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from common.beside import Beside, print_kinds
from common.machine import machine
from common.results import Goal, KnownMiss, save
from simulate import applications, inside, inside_caches, server

FEW = "a value or two, which exclude others of the same study"
HALVES = "half of these hit rates contradict the other half (docs/node-accuracy.md)"
EXPECTED = {
    "load, median of 2": KnownMiss(FEW, 56.59),
    "interrupts, median of 1": KnownMiss(FEW, 123.3),
    "L1D write, median of 12": KnownMiss(HALVES, 22.9),
    "L2 read, median of 9": KnownMiss(HALVES, 13.31),
    "published orders that hold, of 27": KnownMiss(
        "the bench prints what in the study contradicts each of the others, or why", 74.07
    ),
}
LEAST_SHARE = 0.9
"""Of published orders."""
REASONS = {
    "cpu_order": "Table 4.16's gains need a cpu0 that offload leaves 88 to 91 % busy at Table 4.9's 340 Mb/s; the "
    "figure has 50 %. Onload leaves cpu0 the same copies (Table 5.1)",
    "hyb_bw_order": "Table 5.1 gives cpu1 the copies that cpu0 makes with offload, and the interface the same "
    "protocol processing: whichever is the limit of offload is hybrid's too",
    "irq_vs_size": "rates stay the same once frames are full: 5 frames an interrupt (base), the ring (offload)",
    "irq_offload_equals_base": "for each byte they are the same: offload carries half as much again in a second",
    "bw_same_below_kb": "the fixed cost of a message is paid off at 16 KiB, and rates part from there on, not from 32",
    "sat_offload_larger": "weft's saturation point is five latencies, and offload's latency is lower; its half-power "
    "size is larger, since its peak is higher",
    "laws_cache_shift": "a stream lets offload's processors overlap; only its ping-pong is slower than base's, as in "
    "cache_bw_order",
}
"""Of orders that do not hold."""


def values() -> Iterator[Beside]:
    yield from inside.values()
    yield from inside_caches.latencies()
    yield from inside_caches.hits()
    yield from server.values()


def orders() -> dict[str, tuple[bool, str]]:
    """By id; of those with and without caches the later, with caches, as the study has them."""
    found = [
        *inside.orders(),
        *inside_caches.orders(),
        *applications.orders(applications.predict_all()),
        applications.web_order(),
    ]
    return {key: (holds, text) for key, holds, text in found}


def print_orders() -> list[Goal]:
    found = orders()
    held = sum(holds for holds, _ in found.values())
    print(f"\npublished orders that hold: {held} of {len(found)}")
    for key, (holds, text) in found.items():
        if not holds:
            reason = REASONS.get(key.partition(",")[0], "unexplained")
            print(f"  {key}: {text}\n    {reason}")
    share = 100 * held / len(found)
    what = f"published orders that hold, of {len(found)}"
    return [Goal(what, share, "%", at_least=100 * LEAST_SHARE)]


def main() -> None:
    print(machine(), flush=True)
    save("predicted", print_kinds(values()) + print_orders(), expected=EXPECTED)


if __name__ == "__main__":
    main()
