"""The network of a what-if: one with a fabric file, or one that only a generator can describe."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from weft import _core
from weft.base.errors import RequestError
from weft.decisions.twin.open import open_draws
from weft.decisions.twin.twin import TwinDocument, read_twin
from weft.measure.testbed.computed.network import SimulatedNetwork, open_simulated
from weft.network.fabrics.changes.change import FabricChange, apply_all
from weft.network.fabrics.document import FabricDocument
from weft.network.fabrics.fabric_toml import to_toml
from weft.network.fabrics.spec import Value, parse_spec
from weft.simulation.prediction.draws import Draws
from weft.simulation.prediction.predict import NetworkDraw

MOST_TREE_HOSTS = 512


@dataclass(frozen=True)
class GeneratedNetwork:
    """A network with loops, given by its generator's text."""

    text: str
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def open(self, scale: float = 1.0) -> SimulatedNetwork:
        """The network, ready to simulate."""
        return open_simulated(self.text, scale, self.parameters)


Network: TypeAlias = NetworkDraw | GeneratedNetwork


@dataclass(frozen=True)
class Subject:
    """The network to change: the best estimate and, if it was measured, draws and prediction errors as in
    `weft.simulation.prediction.draws.Draws`, and the twin from which they come."""

    name: str
    median: Network
    drawn: tuple[Network, ...] = ()
    discrepancy: tuple[float, ...] = ()
    rate_discrepancy: tuple[float, ...] = ()
    twin: TwinDocument | None = None

    @property
    def is_measured(self) -> bool:
        """Whether it is a twin rather than a network taken from a file."""
        return self.twin is not None or bool(self.drawn)

    @property
    def networks(self) -> list[Network]:
        """The best estimate, followed by all draws."""
        return [self.median, *self.drawn]


def open_subject(name: str) -> Subject:
    """Open a twin's folder, a fabric or a generator; raises RequestError."""
    if is_generator(name):
        return Subject(name, generated(name))
    if Path(name).is_dir():
        twin, document = read_twin(Path(name))
        return _of_draws(name, twin.draws_of(document), twin)
    return _of_draws(name, open_draws(name))


def _of_draws(name: str, draws: Draws, twin: TwinDocument | None = None) -> Subject:
    return Subject(name, draws.median, draws.drawn, draws.discrepancy, draws.rate_discrepancy, twin)


def is_generator(text: str) -> bool:
    """Whether a text begins with a generator's name."""
    return text.partition("(")[0].strip() in {name for name, _ in _core.Network.generators()}


def generated(text: str, parameters: Mapping[str, Value] | None = None) -> Network:
    """A generated network: as a fabric file if possible, else by the generator's text."""
    document = _tree_of(text)
    if document is None:
        return GeneratedNetwork(text, dict(parameters or {}))
    return NetworkDraw(document, {**(parameters or {}), **parse_spec(text).parameters})


@lru_cache
def _tree_of(text: str) -> FabricDocument | None:
    """A generator's network as a fabric file; None if it is not a tree, or too large to check every pair."""
    network = open_simulated(text).model
    if len(network.hosts()) > MOST_TREE_HOSTS:
        return None
    try:
        return FabricDocument.of_text(to_toml(network, text), text)
    except RequestError:
        return None


def changed(network: Network, changes: tuple[FabricChange, ...]) -> Network:
    """The network after changes of its fabric file; raises RequestError."""
    if not changes:
        return network
    if isinstance(network, GeneratedNetwork):
        raise RequestError(
            f"{changes[0].text}: {network.text} has no fabric file that could be changed",
            "give another generator, such as topology=fat-tree(k=8,oversubscription=2)",
        )
    return replace(network, document=apply_all(network.document, changes))


def host_rates_mbps(testbed: SimulatedNetwork) -> list[float]:
    """The sending rates of the hosts' cables, without unlimited ones."""
    rates = limits_mbps(testbed)
    own = (rates.get(f"{node.name} out", math.inf) for node in testbed.nodes)
    return [rate for rate in own if math.isfinite(rate)]


def limits_mbps(testbed: SimulatedNetwork) -> dict[str, float]:
    """The capacity of each constraint, infinite if unlimited."""
    names = testbed.model.constraints()
    return dict(zip(names, testbed.capacities_mbps.tolist(), strict=True))
