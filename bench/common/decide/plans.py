"""Thirty patterns that no twin has seen: as steps of one plan, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

StepTable = dict[str, Any]
SECOND = {"rule": "time", "trial": "1 s", "trials": 1}
ONCE = {"rule": "count", "repeats": 1, "trials": 1}


def unseen_plan(hosts: int, seed: int) -> dict[str, Any]:
    """The plan: a permutation, an incast, a cut, ... of one second each, or of a few blocks."""
    steps = list(_Patterns(hosts, random.Random(seed)).steps())
    names = [step["pattern"] for step in steps]
    for at, step in enumerate(steps):
        step["name"] = f"{at + 1:02}-{step.pop('name', step['pattern'])}"
    assert len(names) == 30
    return {
        "name": "unseen",
        "title": "Patterns that no twin has seen",
        "launches": 1,
        "steps": steps,
    }


class _Patterns:
    def __init__(self, hosts: int, rng: random.Random) -> None:
        self._hosts, self._rng = hosts, rng

    def steps(self) -> Iterator[StepTable]:
        yield from (self._random("permutation") for _ in range(3))
        yield from (self._random("bisection") for _ in range(2))
        yield from (self._stride(duplex) for duplex in ("full", "full", "half", "half"))
        yield from (self._pairs(duplex) for duplex in ("full", "half"))
        yield from (self._incast(share) for share in (1.0, 0.5, 0.3))
        yield from (self._cut() for _ in range(3))
        yield self._outcast()
        yield self._several_connections()
        yield from (self._all_to_all("phased", size) for size in ("20 kB", "200 kB"))
        yield from (self._all_to_all("unphased", size) for size in ("20 kB", "100 kB"))
        yield from (self._ring(share) for share in (1.0, 0.6, 0.4))
        yield from (self._cast(size) for size in ("300 kB", "1 MB"))
        yield self._matrix()
        yield self._small_messages()

    def _random(self, shape: str) -> StepTable:
        seed = self._rng.randint(1000, 9999)
        return _timed("random", shape, shape=shape, permutations=1, seed=seed)

    def _stride(self, duplex: str) -> StepTable:
        stride = self._rng.randint(1, self._hosts // 2)
        return _timed("pairs", f"stride-{stride}-{duplex}", stride=stride, duplex=duplex)

    def _pairs(self, duplex: str) -> StepTable:
        some = self._some(0.7)
        half = len(some) // 2
        ends = {"from": _set(some[:half]), "to": _set(some[half : 2 * half])}
        return _timed("pairs", f"pairs-{duplex}", duplex=duplex, **ends)

    def _incast(self, share: float) -> StepTable:
        receiver, *senders = self._some(share)
        return _timed("streams", "incast", senders=_set(senders), receivers=str(receiver))

    def _outcast(self) -> StepTable:
        sender, *receivers = self._some(0.5)
        return _timed("streams", "outcast", senders=str(sender), receivers=_set(receivers))

    def _cut(self) -> StepTable:
        some = self._some(1.0)
        half = self._rng.randint(self._hosts // 3, self._hosts // 2)
        ends = {"senders": _set(some[:half]), "receivers": _set(some[half : 2 * half])}
        return _timed("streams", "cut", **ends)

    def _several_connections(self) -> StepTable:
        some = self._some(0.6)
        half = len(some) // 2
        ends = {"senders": _set(some[:half]), "receivers": _set(some[half : 2 * half])}
        return _timed("streams", "connections", streams_per_sender=2, **ends)

    def _all_to_all(self, mode: str, size: str) -> StepTable:
        nodes = _set(self._some(0.5))
        return _counted("alltoall", f"alltoall-{mode}", size, mode=mode, nodes=nodes)

    def _ring(self, share: float) -> StepTable:
        return _timed("ring", "ring", nodes=_set(self._some(share)))

    def _cast(self, size: str) -> StepTable:
        return _counted("cast", "cast", size, nodes=_set(self._some(0.4)), chunk="16 KiB")

    def _matrix(self) -> StepTable:
        stop = {"rule": "time", "trial": "300 ms", "trials": 1}
        nodes = _set(self._rng.sample(range(1, self._hosts + 1), 4))
        return _timed("matrix", "matrix", nodes=nodes, duplex="half") | {"stop": stop}

    def _small_messages(self) -> StepTable:
        found = _counted("ring", "small", "1 KiB", nodes=_set(self._some(0.5)))
        return found | {"stop": {"rule": "count", "repeats": 50, "trials": 1}}

    def _some(self, share: float) -> list[int]:
        """A random part of the nodes in random order, three at least."""
        count = max(3, round(share * self._hosts))
        return self._rng.sample(range(1, self._hosts + 1), count)


def _timed(pattern: str, name: str, **keys: Any) -> StepTable:
    return {"pattern": pattern, "name": name, "sizes": ["4 KiB"], "stop": SECOND, **keys}


def _counted(pattern: str, name: str, size: str, **keys: Any) -> StepTable:
    return {"pattern": pattern, "name": name, "sizes": [size], "stop": ONCE, **keys}


def _set(nodes: Sequence[int]) -> str:
    return ",".join(map(str, nodes))
