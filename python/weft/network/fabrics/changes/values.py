"""A value of cables, of hosts' cables or of switches is another, or a multiple."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from msgspec.structs import replace

from weft.base.catalog import known_names
from weft.base.errors import RequestError
from weft.network.fabrics.amounts import UNLIMITED, amount
from weft.network.fabrics.changes.change import Claim, refuse_unchanged
from weft.network.fabrics.changes.targets import hosts_named, switches_named, trunks_named
from weft.network.fabrics.changes.wiring import Cable, CableDirection, FabricWiring, WiredSwitch
from weft.network.fabrics.changes.writing import rewired
from weft.network.fabrics.document import FabricDocument

Kind = Literal["links", "hosts", "switches"]
Reader: TypeAlias = Callable[[str], int | bool | None]


def _quantity(
    kind: Literal["rate", "time", "share"], example: str, may_be_none: bool = False
) -> Reader:
    def read(text: str) -> int | None:
        if may_be_none and text == UNLIMITED:
            return None
        return amount(text, kind, example)

    return read


def _count(least: int, most: int, may_be_none: bool = False) -> Reader:
    def read(text: str) -> int | None:
        if may_be_none and text == UNLIMITED:
            return None
        if not text.isdecimal() or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(text)

    return read


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("must be true or false")
    return text == "true"


_QUEUE = _count(1, 1_000_000)
_WAY: dict[str, tuple[str, Reader]] = {
    "rate": ("rate_bits_per_s", _quantity("rate", "100 Mb/s", True)),
    "delay": ("delay_ns", _quantity("time", "5 us")),
    "loss": ("loss_ppm", _quantity("share", "0.1 %")),
    "drops_above_bytes": ("drops_above_bytes", _count(576, 65_535, True)),
}
_CABLE: dict[str, tuple[str, Reader]] = {
    "mtu_bytes": ("mtu_bytes", _count(576, 65_535)),
    "queue_frames": ("queue_frames", _QUEUE),
}
_HOST: dict[str, tuple[str, Reader]] = {"dead": ("dead", _truth)}
_SWITCH: dict[str, tuple[str, Reader]] = {
    "capacity": ("capacity_bits_per_s", _quantity("rate", "1600 Mb/s", True)),
    "ports": ("ports", _count(1, 1_000_000, True)),
    "queue_frames": ("queue_frames", _QUEUE),
}
_BACK = "_back"


def _keys(kind: Kind) -> list[str]:
    if kind == "switches":
        return list(_SWITCH)
    both = [*_WAY, "rate_back", "delay_back", *_CABLE]
    return both + (list(_HOST) if kind == "hosts" else [])


def _reader(kind: Kind, key: str) -> tuple[str, Reader]:
    plain = key.removesuffix(_BACK)
    return _SWITCH[key] if kind == "switches" else (_WAY | _CABLE | _HOST)[plain]


@dataclass(frozen=True)
class SetValue:
    """`value` is what it becomes, or with `factor` what it is multiplied by. `network` counts from 0, of hosts."""

    text: str
    kind: Kind
    target: str
    key: str
    value: int | bool | None = None
    factor: float | None = None
    network: int = 0

    def apply(self, document: FabricDocument) -> FabricDocument:
        before = FabricWiring.of(document)
        after = self._changed(before)
        refuse_unchanged(self.text, before, after, f"{self.target} is")
        return rewired(document, after)

    def claims(self, document: FabricDocument) -> list[Claim]:
        if self.factor is not None:
            return []
        wiring = FabricWiring.of(document)
        if self.kind == "switches":
            return [(self.key, name) for name in switches_named(wiring, self.target)]
        return list({(self.key, *sorted(one.ends)): None for one in self._cables(wiring)})

    def _changed(self, wiring: FabricWiring) -> FabricWiring:
        if self.kind == "switches":
            names = set(switches_named(wiring, self.target))
            switches = (self._switch(one) if one.name in names else one for one in wiring.switches)
            return replace(wiring, switches=tuple(switches))
        return with_cables(wiring, self._cables(wiring), self._cable)

    def _cables(self, wiring: FabricWiring) -> list[Cable]:
        if self.kind == "links":
            return trunks_named(wiring, self.target)
        names = set(hosts_named(wiring, self.target))
        if wiring.is_cable:
            return [one if one.ends[0] in names else one.turned() for one in wiring.cables]
        found = [one for one in wiring.ports_of_hosts(self.network) if one.ends[0] in names]
        if not found:
            raise RequestError(f"{self.text}: {self.target} has no network {self.network + 1}")
        return found

    def _switch(self, switch: WiredSwitch) -> WiredSwitch:
        field = _SWITCH[self.key][0]
        changed = replace(switch, **{field: self._new(getattr(switch, field), switch.name)})
        if self.key != "capacity" or switch.capacity_by_ports is None:
            return changed
        scaled = [(ports, self._new(rate, "")) for ports, rate in switch.capacity_by_ports]
        return replace(changed, capacity_by_ports=None if self.factor is None else tuple(scaled))

    def _cable(self, cable: Cable) -> Cable:
        plain = self.key.removesuffix(_BACK)
        if plain not in _WAY:
            field = (_CABLE | _HOST)[plain][0]
            return replace(cable, **{field: self._new(getattr(cable, field), cable.ends[0])})
        if self.key == plain:
            cable = replace(cable, forward=self._way(cable.forward, plain, cable.ends[0]))
        return replace(cable, backward=self._way(cable.backward, plain, cable.ends[1]))

    def _way(self, way: CableDirection, key: str, name: str) -> CableDirection:
        field = _WAY[key][0]
        return replace(way, **{field: self._new(getattr(way, field), name)})

    def _new(self, old: int | None, name: str) -> int | bool | None:
        if self.factor is None:
            return self.value
        if old is None:
            raise RequestError(
                f"{self.text}: {name} has no {self.key} to multiply", f"say which: {self.key}=..."
            )
        return round(old * self.factor)


def with_cables(
    wiring: FabricWiring, chosen: Iterable[Cable], change: Callable[[Cable], Cable]
) -> FabricWiring:
    """The wiring with some of its cables changed, whichever way round they are given."""
    new = {one: change(one) for one in chosen}

    def changed(cable: Cable) -> Cable:
        turned = cable.turned()
        return new.get(cable) or (new[turned].turned() if turned in new else cable)

    return replace(wiring, cables=tuple(map(changed, wiring.cables)))


def set_value(text: str, kind: Kind, rest: str, sign: str, value: str) -> SetValue:
    """The change that KIND.TARGET.KEY=VALUE means; `rest` is TARGET.KEY. Raises RequestError."""
    target, _, key = rest.rpartition(".")
    if not target:
        raise RequestError(
            f"{text}: which {kind} and which key?", f"write for example {_EXAMPLES[kind]}"
        )
    if key not in _keys(kind):
        known = known_names(key, _keys(kind))
        raise RequestError(f"{text}: {kind} have no {key!r}", known)
    target, network = _network_of(target) if kind == "hosts" else (target, 0)
    if sign == "=":
        try:
            read = _reader(kind, key)[1](value)
        except ValueError as error:
            raise RequestError(f"{text}: {error}") from None
        return SetValue(text, kind, target, key, value=read, network=network)
    if key in ("dead", "ports"):
        raise RequestError(f"{text}: {key} cannot be multiplied", f"write {key}=...")
    return SetValue(text, kind, target, key, factor=_factor(text, sign, value), network=network)


_EXAMPLES = {
    "links": "links.backplane.rate=1.6 Gb/s",
    "hosts": "hosts.n7.rate=100 Mb/s",
    "switches": "switches.rack1.capacity=800 Mb/s",
}


def _network_of(target: str) -> tuple[str, int]:
    """n7.network2 -> n7, 1."""
    hosts, _, network = target.rpartition(".network")
    return (hosts, int(network) - 1) if hosts and network.isdecimal() else (target, 0)


def _factor(text: str, sign: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 1e-6 <= number <= 1e6:
        raise RequestError(f"{text}: the factor must be a number from 0.000001 to 1000000")
    return 1 / number if sign == "/=" else number
