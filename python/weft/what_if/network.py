"""What a what-if is about: a network with a fabric file, or one that only a generator can say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from weft import _core
from weft.errors import RequestError
from weft.fabrics.changes.change import Change, apply_all
from weft.fabrics.document import FabricDocument
from weft.fabrics.fabric_toml import to_toml
from weft.fabrics.spec import Value, parse_spec
from weft.prediction.predict import Drawn
from weft.testbed.computed.network import Simulated, open_simulated
from weft.twin.open import open_draws


@dataclass(frozen=True)
class Generated:
    """A network with loops, as its generator's text says."""

    text: str
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def open(self, scale: float = 1.0) -> Simulated:
        """The network, ready to be simulated."""
        return open_simulated(self.text, scale, self.parameters)


Network: TypeAlias = Drawn | Generated


@dataclass(frozen=True)
class Subject:
    """What is to be changed: the best estimate and, where it was measured, draws and what predictions were off by, as
    in `weft.prediction.draws.Draws`."""

    name: str
    median: Network
    drawn: tuple[Network, ...] = ()
    discrepancy: tuple[float, ...] = ()
    rate_discrepancy: tuple[float, ...] = ()

    @property
    def is_measured(self) -> bool:
        """Whether it is a twin, and no network that is as its file says."""
        return bool(self.drawn or self.discrepancy)

    @property
    def networks(self) -> list[Network]:
        """The best estimate, and behind it all draws."""
        return [self.median, *self.drawn]


def open_subject(name: str) -> Subject:
    """A twin's folder, a fabric or a generator; raises RequestError."""
    if is_generator(name):
        return Subject(name, generated(name))
    draws = open_draws(name)
    return Subject(name, draws.median, draws.drawn, draws.discrepancy, draws.rate_discrepancy)


def is_generator(text: str) -> bool:
    """Whether a text begins with a generator's name."""
    return text.partition("(")[0].strip() in {name for name, _ in _core.Network.generators()}


def generated(text: str, parameters: Mapping[str, Value] | None = None) -> Network:
    """What a generator makes: as a fabric file where that can say it, and else by its name."""
    spec = parse_spec(text)
    network = open_simulated(text).model
    values = {**(parameters or {}), **spec.parameters}
    try:
        toml = to_toml(network, text)
    except RequestError:
        return Generated(text, values)
    return Drawn(FabricDocument.of_text(toml, text), values)


def changed(network: Network, changes: tuple[Change, ...]) -> Network:
    """The network after changes of its fabric file; raises RequestError."""
    if not changes:
        return network
    if isinstance(network, Generated):
        raise RequestError(
            f"{changes[0].text}: {network.text} has loops, and changes are of fabric files of trees",
            "give another generator, such as topology=fat-tree(k=8,oversubscription=2)",
        )
    return replace(network, document=apply_all(network.document, changes))


def host_rates_mbps(testbed: Simulated) -> list[float]:
    """What the cables of hosts let out, of those that have a rate."""
    rates = dict(zip(testbed.model.constraints(), testbed.capacities_mbps.tolist(), strict=True))
    own = (rates.get(f"{node.name} out", math.inf) for node in testbed.nodes)
    return [rate for rate in own if math.isfinite(rate)]
