"""The alternative routing that the simulator offers for a network."""

from __future__ import annotations

from dataclasses import dataclass

from weft.decisions.decision.designs import Design
from weft.network.fabrics.document import FabricDocument
from weft.network.fabrics.spec import SimSpec, parse_spec
from weft.simulation.sweep.task import Network

_OF_GENERATORS = {"minimal": "valiant", "valiant": "minimal", "d-mod-k": "hash", "hash": "d-mod-k"}
_OF_FILES = {"shortest": "hash", "hash": "shortest"}
_ALWAYS_HASHED = "rail"
"""A generator whose only alternative is another `seed`."""


@dataclass(frozen=True)
class OtherRouting:
    """Its name, the network with it, and how a file of designs can compare both."""

    name: str
    network: Network
    compare: str


def other_routing(design: Design) -> OtherRouting | None:
    """The alternative to a design's own routing; None if there is none."""
    return _of_generator(design) if design.network.generator else _of_file(design)


def _of_generator(design: Design) -> OtherRouting | None:
    spec = parse_spec(design.network.generator)
    if spec.name == _ALWAYS_HASHED:
        seeds = [seed := int(spec.others.get("seed", "1")), seed + 1]
        compare = f"seed={seeds[0]}|{seeds[1]} in its generator"
        return OtherRouting("another seed", _with(spec, "seed", str(seeds[1])), compare)
    other = _OF_GENERATORS.get(design.routing)
    if other is None:
        return None
    compare = f"routing={design.routing}|{other} in its generator"
    return OtherRouting(other, _with(spec, "routing", other), compare)


def _with(spec: SimSpec, key: str, value: str) -> Network:
    inside = ",".join(f"{name}={text}" for name, text in {**spec.others, key: value}.items())
    return Network(generator=f"{spec.name}({inside})", parameters=tuple(spec.parameters.items()))


def _of_file(design: Design) -> OtherRouting | None:
    other = _OF_FILES.get(design.routing)
    if other is None:
        return None
    network = design.network
    document = FabricDocument.of_text(network.text, network.origin)
    # Keys such as routing_seed belong to hash routing.
    table = {key: value for key, value in document.table.items() if not key.startswith("routing")}
    text = document.with_table({**table, "routing": other}).text
    return OtherRouting(
        other,
        Network(text=text, origin=network.origin, parameters=network.parameters),
        f'a copy of its file with routing = "{other}"',
    )
