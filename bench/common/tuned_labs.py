"""Random pairs of hosts with a setting that is wrong, or with none: what `bench/decide/tune.py` lets `weft tune` find.

Each lab follows from its number alone. What is planted is a limit of the kernel's buffers, a program that leaves
NODELAY off, a path that loses frames, a short queue, a path that swallows large packets, or an interface with a small
MTU. `cells` are the settings of the factorial that finds the best.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Settings = dict[str, str]
FRAME_BITS = 1538 * 8
FABRIC = """
name = "{name}"
[[hosts]]
ids = "n[1-2]"
[[links]]
between = ["n1", "n2"]
rate = "{rate:g} Mb/s"
delay = "{delay:g} ms"
queue_frames = {queue}
{extra}
"""
STREAM = {"pattern": "stream", "sizes": ["64 KiB"]}
TRIP = {"pattern": "pingpong", "sizes": ["64 B"]}
SPLIT = {"pattern": "stream", "window": 2, "sizes": ["200 B"], "options": {"nodelay": False}}
"""A request in two small parts: without NODELAY the second waits until the first is acknowledged."""


@dataclass(frozen=True)
class TunedLab:
    """A pair with rate (Mb/s) and one-way delay (ms). `plants` are (host, shell command); `goal` is what is to be
    better; `step` measures that, as the application without tuning does it."""

    name: str
    kind: str
    rate: float
    delay: float
    queue: int
    goal: str = "stream"
    step: dict[str, Any] = field(default_factory=lambda: STREAM)
    trial: str = "0.5 s"
    extra: str = ""
    plants: tuple[tuple[str, str], ...] = ()
    knobs: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def fabric(self) -> str:
        return FABRIC.format(**vars(self))

    @property
    def cells(self) -> list[Settings]:
        """Every combination of the knobs' values, the first without any."""
        named = [[(name, value) for value in ("", *values)] for name, values in self.knobs]
        return [{name: value for name, value in one if value} for one in itertools.product(*named)]

    def plan(self, cells: Iterable[Settings], launches: int) -> dict[str, Any]:
        """The step once for each of the settings."""
        stop = {"rule": "time", "trial": self.trial, "trials": 3}
        steps = [
            self.step | {"name": f"cell-{at}", "stop": stop, "options": self._options(cell)}
            for at, cell in enumerate(cells)
        ]
        return {"name": "cells", "launches": launches, "steps": steps}

    def _options(self, cell: Settings) -> dict[str, object]:
        """Settings of sockets are options of their own, those of hosts go through `knobs`."""
        options: dict[str, Any] = dict(self.step.get("options", {}))
        for name, value in cell.items():
            if name in OF_HOSTS:
                options.setdefault("knobs", {})[name] = value
            else:
                options[name] = _typed(value)
        return options


OF_HOSTS = ("mtu", "tcp_rmem", "tcp_wmem", "tcp_mtu_probing")


def _typed(value: str) -> object:
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdecimal() else value


def planted(number: int) -> TunedLab:
    """One of the labs with something to gain."""
    kinds = list(KINDS)
    kind = kinds[number % len(kinds)]
    chance = random.Random(f"tuned {number}")
    return KINDS[kind](f"tuned-{number}", kind, chance)


def placebo(number: int) -> TunedLab:
    """One where the defaults are best: nothing is lost, the queue and the kernel's buffers hold more than the path."""
    chance = random.Random(f"placebo {number}")
    goal, step = chance.choice([("stream", STREAM), ("latency", TRIP)])
    rate, delay = _log(chance, 10, 200), _log(chance, 0.05, 1)
    return TunedLab(f"placebo-{number}", "placebo", rate, delay, 1000, goal, step)


def _log(chance: random.Random, low: float, high: float) -> float:
    """Between two numbers, as likely in each decade; two digits."""
    return float(f"{low * (high / low) ** chance.random():.2g}")


def _product_bytes(rate: float, delay: float) -> int:
    """What is on its way when the path is full."""
    return int(rate * 2 * delay * 1000 / 8)


def _buffers(rate: float, delay: float) -> tuple[str, ...]:
    return tuple(f"{times * max(_product_bytes(rate, delay), 65536)} B" for times in (2, 8))


def _window(sides: Iterable[tuple[str, str]]) -> Callable[[str, str, random.Random], TunedLab]:
    """The kernel's own limit of a buffer is a fraction of what the path needs."""

    def make(name: str, kind: str, chance: random.Random) -> TunedLab:
        rate, delay = _log(chance, 20, 200), _log(chance, 5, 40)
        window = max(16384, _product_bytes(rate, delay) // chance.randint(4, 12))
        command = "echo 4096 {0} {0} > /proc/sys/net/ipv4/{1}"
        plants = tuple((host, command.format(window, file)) for host, file in sides)
        names = {"tcp_wmem": "send_buffer", "tcp_rmem": "receive_buffer"}
        knobs = tuple((names[file], _buffers(rate, delay)) for _, file in sides)
        queue = 2000
        return TunedLab(
            name, kind, rate, delay, queue, plants=plants, knobs=(*knobs, ("congestion", ("bbr",)))
        )

    return make


def _lossy(name: str, kind: str, chance: random.Random) -> TunedLab:
    """Reno takes each loss for a full queue."""
    rate, delay, loss = _log(chance, 10, 100), _log(chance, 2, 20), _log(chance, 0.1, 1)
    knobs = (("congestion", ("bbr", "reno")), ("send_buffer", _buffers(rate, delay)[:1]))
    return TunedLab(name, kind, rate, delay, 2000, extra=f'loss = "{loss:g} %"', knobs=knobs)


def _short_queue(name: str, kind: str, chance: random.Random) -> TunedLab:
    """A queue far below the bandwidth-delay product, behind the sender's own cable: it does not see it."""
    rate, delay = _log(chance, 10, 60), _log(chance, 5, 20)
    narrow = f'[[paths]]\nfrom = "n1"\nto = "n2"\nrate = "{rate:g} Mb/s"\n'
    narrow += f"queue_frames = {chance.randint(8, 20)}"
    knobs = (("congestion", ("bbr", "reno")), ("send_buffer", _buffers(rate, delay)[:1]))
    return TunedLab(name, kind, 4 * rate, delay, 1000, extra=narrow, knobs=knobs)


def _nagle(name: str, kind: str, chance: random.Random) -> TunedLab:
    rate, delay = _log(chance, 10, 200), _log(chance, 0.05, 2)
    knobs = (("nodelay", ("true",)), ("congestion", ("bbr",)))
    return TunedLab(name, kind, rate, delay, 1000, "plan", SPLIT, "250 ms", knobs=knobs)


def _hole(name: str, kind: str, chance: random.Random) -> TunedLab:
    """Connections open, and their first large message hangs."""
    rate, delay = _log(chance, 10, 100), _log(chance, 0.1, 5)
    extra = f"drops_above_bytes = {chance.randint(1412, 1480)}"
    knobs = (("mss", ("1200 B", "1360 B", "1448 B")), ("congestion", ("bbr",)))
    return TunedLab(name, kind, rate, delay, 1000, extra=extra, knobs=knobs)


def _small_mtu(name: str, kind: str, chance: random.Random) -> TunedLab:
    rate, delay = _log(chance, 10, 100), _log(chance, 0.05, 2)
    plants = (("n2", f"ip link set eth0 mtu {chance.choice([576, 700])}"),)
    knobs = (("mtu", ("1280", "1500")),)
    return TunedLab(name, kind, rate, delay, 1000, plants=plants, knobs=knobs)


KINDS: dict[str, Callable[[str, str, random.Random], TunedLab]] = {
    "receive-window": _window([("n2", "tcp_rmem")]),
    "nodelay-off": _nagle,
    "loss": _lossy,
    "send-window": _window([("n1", "tcp_wmem")]),
    "mtu-hole": _hole,
    "both-windows": _window([("n1", "tcp_wmem"), ("n2", "tcp_rmem")]),
    "short-queue": _short_queue,
    "small-mtu": _small_mtu,
}
