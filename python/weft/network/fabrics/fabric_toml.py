"""Write a network whose routes are those of a tree of switches as a fabric file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from weft import _core
from weft.base.errors import RequestError
from weft.base.frames import FULL
from weft.base.nodeset import fold_in_order
from weft.network.fabrics.amounts import RATES, TIMES, written
from weft.network.fabrics.crossings import UNLIMITED_BPS, Crossings
from weft.network.fabrics.reconstruct import Joint, Lane, Reconstruction, SwitchTree

_ROUNDED_BPS, _ROUNDED_S = 2.0, 1e-8
"""The precision of a file: whole bits per second, and whole nanoseconds for each hop."""


def to_toml(network: _core.Network, title: str) -> str:
    """The text of the file; raises RequestError if no file can express the network.

    Rates become those on the wire if those of the network are net of frame overhead, as SimGrid's are. The result is
    read back and compared with the network, limit by limit and route by route.
    """
    seen = Crossings(network)
    written = _Written(seen, Reconstruction(seen).tree())
    text = "\n".join(written.lines(title)) + "\n"
    _compare(seen, text, written.wire)
    return text


class _Written:
    """A tree as entries of a file."""

    def __init__(self, seen: Crossings, tree: SwitchTree) -> None:
        self._seen = seen
        self._tree = tree
        self.wire = FULL.wire_bytes / FULL.payload_bytes / seen.network.expansion(0, 1)

    def lines(self, title: str) -> Iterator[str]:
        yield f"name = {_quoted(self._seen.network.name)}"
        yield f"title = {_quoted(title)}"
        yield from ("", "[[hosts]]", f"ids = {_quoted(fold_in_order(self._seen.hosts))}")
        yield from self._switches()
        yield from self._links()
        yield from self._paths()

    def _switches(self) -> Iterator[str]:
        """Entries of switches; those with equal capacity share one."""
        by_capacity: dict[int | None, list[str]] = {}
        for name, inside in self._tree.switches.items():
            by_capacity.setdefault(self._capacity(inside), []).append(name)
        for capacity, names in by_capacity.items():
            yield from ("", "[[switches]]", f"ids = {_quoted(fold_in_order(names))}")
            if capacity:
                yield f"capacity = {_quoted(written(capacity, RATES))}"

    def _links(self) -> Iterator[str]:
        """Entries of links; equal links to the same node share one."""
        alike: dict[tuple[str, ...], list[str]] = {}
        for joint in self._tree.joints:
            alike.setdefault((joint.upper, *self._link_keys(joint)), []).append(joint.lower)
        for (upper, *keys), lower in alike.items():
            yield from ("", "[[links]]")
            yield f"between = [{_quoted(fold_in_order(lower))}, {_quoted(upper)}]"
            yield from keys

    def _paths(self) -> Iterator[str]:
        for ends, at in self._tree.paths.items():
            src, dst = (self._seen.hosts[end] for end in ends)
            yield from ("", "[[paths]]", f"from = {_quoted(src)}", f"to = {_quoted(dst)}")
            yield from _both_ways("rate", self._rate(at), self._rate(at), RATES)
            yield from _both_ways("delay", self._delay_ns(at), self._delay_ns(at), TIMES)

    def _link_keys(self, joint: Joint) -> Iterator[str]:
        yield from _both_ways("rate", self._rate(joint.up), self._rate(joint.down), RATES)
        up_ns, down_ns = self._delay_ns(joint.up), self._delay_ns(joint.down)
        if joint.lower in self._seen.hosts:
            up_ns += self._backbone_ns
        yield from _both_ways("delay", up_ns, down_ns, TIMES)

    def _rate(self, lane: Lane) -> int:
        """The rate on the wire in whole bit/s; 0 if unlimited."""
        if lane is None or self._seen.capacities_bps[lane] >= UNLIMITED_BPS:
            return 0
        return round(float(self._seen.capacities_bps[lane]) * self.wire)

    def _delay_ns(self, lane: Lane) -> int:
        return 0 if lane is None else round(float(self._seen.delays_s[lane]) * 1e9)

    def _capacity(self, inside: Sequence[int]) -> int | None:
        """The capacity of a switch for incoming and outgoing traffic; inside, frames have neither preamble nor gap."""
        share = FULL.inside_bytes / FULL.wire_bytes
        rates = [self._rate(at) * share for at in inside if self._rate(at)]
        return round(min(rates)) if rates else None

    @property
    def _backbone_ns(self) -> int:
        """The delay of the backbone that all pairs cross. Switches have no delay, so it is added to each host's
        uplink."""
        hosts = len(self._seen.hosts)
        everywhere = [
            at
            for at, crossing in self._seen.by_constraint.items()
            if crossing.pairs == hosts * (hosts - 1) and hosts > 2
        ]
        return sum(self._delay_ns(at) for at in everywhere)


def _both_ways(key: str, there: int, back: int, units: Mapping[str, float]) -> Iterator[str]:
    """A key for both directions of a link, or one for each; 0 means the default."""
    if there or (back and key == "delay"):
        yield f"{key} = {_quoted(written(there, units))}"
    if there != back:
        # If only one rate were written, it would hold for both.
        shown = back or (int(UNLIMITED_BPS) if key == "rate" else 0)
        yield f"{key}_back = {_quoted(written(shown, units))}"


def _compare(seen: Crossings, text: str, wire: float) -> None:
    """Raise RequestError, with the difference, if the file describes another network."""
    found = Crossings(_core.Network.declared(text, "as a fabric file", 1.0))
    asked, got = seen.limits_bps(), found.limits_bps()
    for at, crossing in seen.by_constraint.items():
        if crossing in asked and not _is_near(asked[crossing] * wire, got.get(crossing, 0.0)):
            raise RequestError(f"{seen.names[at]}: {crossing.objection}")
    if found.hosts != seen.hosts or len(asked) != len(got):
        raise RequestError("the tree of switches would have other limits")
    if not np.allclose(seen.way_delays_s, found.way_delays_s, rtol=0, atol=_ROUNDED_S):
        raise RequestError("the delays are not those of links in a tree")


def _is_near(one_bps: float, other_bps: float) -> bool:
    return abs(one_bps - other_bps) <= _ROUNDED_BPS


def _quoted(text: str) -> str:
    """TOML strings have the escapes of JSON."""
    return json.dumps(text, ensure_ascii=False)
