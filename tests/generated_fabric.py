"""Random fabrics with hidden inner limits, each from a seed, and what a perfect observer would find in them."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from weft import _core
from weft.diagnose.declared import DeclaredLimit, DeclaredNetwork

LINE_MBPS = 100
LEAST_OVERSUBSCRIPTION, MOST_OVERSUBSCRIPTION = 1.3, 8.0
BINDING = 1.15
"""A limit below this oversubscription cannot be told from a full line, so nobody is asked to find it."""


@dataclass
class Switch:
    """A switch of a fabric that is being made up; `uplink` and `capacity` in Mb/s of wire, None without."""

    name: str
    hosts: int = 0
    children: list[Switch] = field(default_factory=list)
    uplink: float | None = None
    capacity: float | None = None

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class GeneratedFabric:
    """A fabric file and its resolved form."""

    seed: int
    levels: int
    text: str
    network: DeclaredNetwork

    @property
    def limits(self) -> list[DeclaredLimit]:
        """The limits that some traffic could feel."""
        return [limit for limit in self.network.inner_limits if is_binding(self.network, limit)]

    @property
    def groups(self) -> set[frozenset[int]]:
        """The sets of hosts that share a limit, as `canonical` has them."""
        return {self.canonical(limit.members) for limit in self.limits}

    def canonical(self, members: frozenset[int]) -> frozenset[int]:
        """Of the two sides of a cut, which nothing outside can tell apart, the smaller."""
        others = frozenset(range(len(self.network.hosts))) - members
        return min(members, others or members, key=lambda side: (len(side), sorted(side)))


def generate(seed: int, scale: float = 0.1) -> GeneratedFabric:
    """The fabric of a seed: 12 to 64 hosts, 1 to 3 levels of limits between 1.3x and 8x, hosts shuffled."""
    rng = random.Random(seed)
    levels = rng.choice([1, 2, 3])
    root = Switch("core")
    while not 12 <= sum(s.hosts for s in root.walk()) <= 64:
        root = _grow(rng, levels)
    _limit(rng, root, is_root=True)
    text = _toml(rng, seed, root)
    fabric = json.loads(_core.load_fabric(text, f"seed {seed}", scale))
    return GeneratedFabric(seed, levels, text, DeclaredNetwork(fabric))


def is_binding(network: DeclaredNetwork, limit: DeclaredLimit) -> bool:
    """Whether the other limits would let clearly more cross this one than it carries: a linear programme."""
    flows = [(a, b) for a in range(len(network.hosts)) for b in range(len(network.hosts)) if a != b]
    flows = [flow for flow in flows if limit.is_crossed(*flow)]
    others = [i for i, other in enumerate(network.limits) if other != limit]
    crossed = csr_array(network.crossings(flows)[:, others].T.astype(float))
    capacities = [network.limits[i].capacity_mbps for i in others]
    best = linprog(-np.ones(len(flows)), A_ub=crossed, b_ub=capacities, method="highs")
    return -best.fun > BINDING * limit.capacity_mbps


def _grow(rng: random.Random, levels: int) -> Switch:
    fan_out = {1: [2, 3, 4, 5, 6], 2: [2, 3, 4], 3: [2, 3]}[levels]

    def below(name: str, depth: int) -> Switch:
        if depth == levels:
            return Switch(name, hosts=rng.randint(3, 16))
        children = [below(f"{name}{i}", depth + 1) for i in range(rng.choice(fan_out))]
        return Switch(name, children=children)

    return below("s", 0)


def _limit(rng: random.Random, switch: Switch, is_root: bool = False) -> float:
    """Give every switch below the root a limit of its own; returns what it can send, in Mb/s."""
    supply = switch.hosts * LINE_MBPS + sum(_limit(rng, child) for child in switch.children)
    if is_root:
        return supply
    over = _oversubscription(rng)
    limit = max(supply / over, LINE_MBPS * 0.5)
    if not switch.children and rng.random() < 0.35:
        switch.capacity = limit
    else:
        switch.uplink = limit
    return min(limit, supply)


def _oversubscription(rng: random.Random) -> float:
    low, high = np.log(LEAST_OVERSUBSCRIPTION), np.log(MOST_OVERSUBSCRIPTION)
    return float(np.exp(rng.uniform(low, high)))


def _toml(rng: random.Random, seed: int, root: Switch) -> str:
    lines = [f'name = "generated-{seed}"', f'title = "Made up from seed {seed}"']
    for switch in root.walk():
        lines += ["[[switches]]", f'ids = "{switch.name}"']
        if switch.capacity:
            lines.append(f'capacity = "{switch.capacity:.1f} Mb/s"')
    homes = [switch.name for switch in root.walk() for _ in range(switch.hosts)]
    rng.shuffle(homes)
    for number, home in enumerate(homes, 1):
        link = f'{{ rate = "{LINE_MBPS} Mb/s", delay = "5 us" }}'
        lines += ["[[hosts]]", f'ids = "n{number}"', f'attach = "{home}"', f"link = {link}"]
    for switch in root.walk():
        for child in switch.children:
            rate = f'rate = "{child.uplink:.1f} Mb/s"' if child.uplink else ""
            lines += ["[[links]]", f'between = ["{child.name}", "{switch.name}"]', rate]
    return "\n".join(lines) + "\n"
