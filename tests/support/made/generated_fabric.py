"""Random fabrics with hidden inner limits, each from a seed, and what a perfect observer would find in them."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from weft import _core
from weft.understand.limits.declared import DeclaredLimit, DeclaredNetwork
from weft.understand.xray.outliers import SLOW_SHARE

LINE_MBPS = 100
LEAST_OVERSUBSCRIPTION, MOST_OVERSUBSCRIPTION = 1.3, 8.0
LEAST_CHIP = 4
BINDING = 1.02
"""From this oversubscription on a limit can be felt at all."""


@dataclass
class Switch:
    """A switch of a fabric that is being made up; `uplink`, `downlink` (None: as the uplink) and `capacity` in
    Mb/s of wire, None without."""

    name: str
    hosts: int = 0
    children: list[Switch] = field(default_factory=list)
    uplink: float | None = None
    downlink: float | None = None
    capacity: float | None = None

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Extent:
    """How many hosts a generated fabric has in all, how many a leaf, and of how many levels it may be."""

    hosts: tuple[int, int] = (12, 64)
    leaf: tuple[int, int] = (3, 16)
    levels: tuple[int, ...] = (1, 2, 3)


@dataclass(frozen=True)
class KnownFabric:
    """A fabric file and its resolved form."""

    text: str
    network: DeclaredNetwork

    @cached_property
    def limits(self) -> list[tuple[DeclaredLimit, float]]:
        """The limits that some traffic could feel, each with its oversubscription beside the others.

        Of limits in series that hide each other only the tightest is left.
        """
        left = list(self.network.limits)
        for limit in sorted(self.network.inner_limits, key=lambda one: -one.capacity_mbps):
            others = [other for other in left if other is not limit]
            if oversubscription(self.network, limit, others) <= BINDING:
                left = others
        return [
            (
                limit,
                oversubscription(self.network, limit, [one for one in left if one is not limit]),
            )
            for limit in self.network.inner_limits
            if limit in left
        ]

    @property
    def required(self) -> set[frozenset[int]]:
        """The sets of hosts, as `canonical` has them, that share a limit which has to be found."""
        return {
            self.canonical(limit.members)
            for limit, over in self.limits
            if over >= LEAST_OVERSUBSCRIPTION
        }

    @property
    def allowed(self) -> set[frozenset[int]]:
        """Those that may be found: there is a limit, though maybe a mild one."""
        return {self.canonical(limit.members) for limit, _ in self.limits}

    @property
    def slow(self) -> set[tuple[str]]:
        """The hosts whose own link, one way or both, is slower than most are."""
        own = [one for one in self.network.limits if len(one.members) == 1]
        usual = float(np.median([one.capacity_mbps for one in own]))
        slow = {min(one.members) for one in own if one.capacity_mbps < SLOW_SHARE * usual}
        return {(self.network.hosts[host],) for host in slow}

    def canonical(self, members: frozenset[int]) -> frozenset[int]:
        """Of the two sides of a cut, which nothing outside can tell apart, the smaller."""
        others = frozenset(range(len(self.network.hosts))) - members
        return min(members, others or members, key=lambda side: (len(side), sorted(side)))


def generate(
    seed: int, scale: float = 0.1, is_uneven: bool = False, extent: Extent | None = None
) -> KnownFabric:
    """The fabric of a seed: 12 to 64 hosts, 1 to 3 levels of limits between 1.3x and 8x, hosts shuffled.

    An uneven one also has up to 8 hosts on its top switch, uplinks that differ by direction, slow ports, and cards
    of several chips.
    """
    rng = random.Random(seed)
    extent = extent or Extent()
    least, most = extent.hosts
    levels = rng.choice(extent.levels)
    root = Switch("core")
    while not least <= sum(s.hosts for s in root.walk()) <= most:
        root = _grow(rng, levels, extent.leaf)
    _limit(rng, root, MOST_OVERSUBSCRIPTION)
    slow = _make_uneven(rng, root) if is_uneven else {}
    return of_text(_toml(rng, seed, root, slow), scale)


def of_text(text: str, scale: float) -> KnownFabric:
    """The fabric that a file describes."""
    return KnownFabric(text, DeclaredNetwork(json.loads(_core.load_fabric(text, "fabric", scale))))


def oversubscription(
    network: DeclaredNetwork, limit: DeclaredLimit, others: list[DeclaredLimit]
) -> float:
    """How much more the other limits would let cross this one than it carries: a linear programme."""
    count = len(network.hosts)
    src, dst = np.nonzero(~np.eye(count, dtype=bool))
    through = limit.crossed_by(src, dst)
    src, dst = src[through], dst[through]
    crossed = np.array([one.crossed_by(src, dst) for one in others], dtype=float)
    capacities = [one.capacity_mbps for one in others]
    best = linprog(-np.ones(len(src)), A_ub=csr_array(crossed), b_ub=capacities, method="highs")
    return float(-best.fun / limit.capacity_mbps)


def _grow(rng: random.Random, levels: int, leaf: tuple[int, int]) -> Switch:
    fan_out = {1: [2, 3, 4, 5, 6], 2: [2, 3, 4], 3: [2, 3]}[levels]

    def below(name: str, depth: int) -> Switch:
        if depth == levels:
            return Switch(name, hosts=rng.randint(*leaf))
        children = [below(f"{name}{i}", depth + 1) for i in range(rng.choice(fan_out))]
        return Switch(name, children=children)

    return below("s", 0)


def _limit(rng: random.Random, switch: Switch, most: float) -> None:
    """Give every switch below this one a limit: of what its hosts can send, over all, at most `most` times less.

    Each level is at least LEAST_OVERSUBSCRIPTION tighter than what is inside of it, or it would not be felt.
    """
    for child in switch.children:
        least = LEAST_OVERSUBSCRIPTION ** _height(child)
        over = float(np.exp(rng.uniform(np.log(least), np.log(most))))
        capacity = sum(one.hosts for one in child.walk()) * LINE_MBPS / over
        if not child.children and rng.random() < 0.35:
            child.capacity = capacity
        else:
            child.uplink = capacity
        _limit(rng, child, over / LEAST_OVERSUBSCRIPTION)


def _make_uneven(rng: random.Random, root: Switch) -> dict[int, int]:
    """Hosts on the top switch, uplinks that let out less than in, chips inside of cards; the ports in Mb/s of
    the hosts, by number, that are slow."""
    root.hosts = rng.randint(2, 8)
    for switch in list(root.walk()):
        if switch.uplink and rng.random() < 0.5:
            switch.downlink, switch.uplink = switch.uplink, switch.uplink / 2
        if switch.uplink and switch.hosts >= 2 * LEAST_CHIP and rng.random() < 0.5:
            _divide(rng, switch)
    hosts = sum(switch.hosts for switch in root.walk())
    return {host: rng.choice([20, 50]) for host in rng.sample(range(1, hosts + 1), hosts // 10)}


def _divide(rng: random.Random, card: Switch) -> None:
    """Two chips for the hosts of a card."""
    for number, hosts in enumerate((card.hosts // 2, card.hosts - card.hosts // 2)):
        over = rng.uniform(LEAST_OVERSUBSCRIPTION, 2 * LEAST_OVERSUBSCRIPTION)
        chip = Switch(f"{card.name}c{number}", hosts, capacity=hosts * LINE_MBPS / over)
        card.children.append(chip)
    card.hosts = 0


def _height(switch: Switch) -> int:
    return 1 + max(map(_height, switch.children), default=0)


def _toml(rng: random.Random, seed: int, root: Switch, slow: dict[int, int]) -> str:
    lines = [f'name = "generated-{seed}"', f'title = "Made up from seed {seed}"']
    for switch in root.walk():
        lines += ["[[switches]]", f'ids = "{switch.name}"']
        if switch.capacity:
            lines.append(f'capacity = "{switch.capacity:.1f} Mb/s"')
    homes = [switch.name for switch in root.walk() for _ in range(switch.hosts)]
    rng.shuffle(homes)
    for number, home in enumerate(homes, 1):
        link = f'{{ rate = "{slow.get(number, LINE_MBPS)} Mb/s", delay = "5 us" }}'
        lines += ["[[hosts]]", f'ids = "n{number}"', f'attach = "{home}"', f"link = {link}"]
    for switch in root.walk():
        for child in switch.children:
            rate = f'rate = "{child.uplink:.1f} Mb/s"' if child.uplink else ""
            lines += ["[[links]]", f'between = ["{child.name}", "{switch.name}"]', rate]
            if child.downlink:
                lines.append(f'rate_back = "{child.downlink:.1f} Mb/s"')
    return "\n".join(lines) + "\n"
