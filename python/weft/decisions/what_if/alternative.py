"""An alternative to a network: changes that are made together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from weft.base.errors import RequestError
from weft.base.toml_file import TomlTable, decode
from weft.decisions.what_if.network import (
    GeneratedNetwork,
    Network,
    changed,
    generated,
    is_generator,
)
from weft.network.fabrics.changes.change import FabricChange
from weft.network.fabrics.changes.parse import parse_change
from weft.network.fabrics.changes.whole import Topology
from weft.network.fabrics.spec import MODEL_KEYS, SHARINGS, Value, read_parameter
from weft.simulation.prediction.predict import PlannedWorkload

_KEY_VALUE = re.compile(r"\s*+(?P<key>[\w.-]++)\s*+=\s*+(?P<value>.+?)(?<!\s)\s*+")
_EXAMPLE = '[[alternative]] with changes = ["links.backplane.rate*=2"]'


@dataclass(frozen=True)
class Alternative:
    """Changes of the fabric's file, of the model's parameters, and of the plan that runs afterwards. `generator` is a
    network with loops that replaces the whole."""

    name: str
    texts: tuple[str, ...]
    fabric: tuple[FabricChange, ...] = ()
    parameters: Mapping[str, Value] = field(default_factory=dict)
    overrides: tuple[tuple[str, str], ...] = ()
    generator: str | None = None

    def after(self, before: Network) -> Network:
        """The changed network; raises RequestError if the changes are impossible there."""
        parameters = {**before.parameters, **self.parameters}
        if self.generator is not None:
            return generated(self.generator, parameters)
        return replace(changed(before, self.fabric), parameters=parameters)

    def workload(self, before: PlannedWorkload) -> PlannedWorkload:
        """The workload with the alternative's changes."""
        return replace(before, overrides=(*before.overrides, *self.overrides))


def alternative(texts: Sequence[str], name: str = "") -> Alternative:
    """Changes that are made together; raises RequestError if one is invalid, or two contradict each other."""
    if not texts:
        raise RequestError("no changes", _EXAMPLE)
    found = Alternative(name or " + ".join(texts), tuple(texts))
    for text in texts:
        found = _with(found, text)
    if found.generator is not None and found.fabric:
        raise RequestError(
            f"{found.fabric[0].text}: {found.generator} has no fabric file that could be changed",
            "change the generator's parameters",
        )
    return found


def _with(found: Alternative, text: str) -> Alternative:
    form = _KEY_VALUE.fullmatch(text)
    key, value = (form["key"], form["value"]) if form else ("", "")
    if key in MODEL_KEYS:
        return replace(found, parameters=_more_parameters(found, text, key, value))
    if key.startswith("steps."):
        return replace(found, overrides=(*found.overrides, (key, value)))
    if key == "congestion":
        raise RequestError(
            f"{text}: other congestion controls than Reno are not simulated",
            f"sharing={' or sharing='.join(SHARINGS)}; in a run it is steps.STEP.options.congestion",
        )
    if key == "topology" and is_generator(value):
        return _with_topology(found, text, value)
    return replace(found, fabric=(*found.fabric, parse_change(text)))


def _with_topology(found: Alternative, text: str, generator: str) -> Alternative:
    network = generated(generator)
    if isinstance(network, GeneratedNetwork):
        return replace(found, generator=generator)
    return replace(found, fabric=(*found.fabric, Topology(text, network.document)))


def _more_parameters(found: Alternative, text: str, key: str, value: str) -> Mapping[str, Value]:
    try:
        new = read_parameter(key, value)
    except ValueError as error:
        raise RequestError(f"{text}: {error}") from None
    if twice := new.keys() & found.parameters.keys():
        raise RequestError(f"{text}: {min(twice)} is changed twice", "leave one of them out")
    return {**found.parameters, **new}


class _Entry(TomlTable, frozen=True):
    changes: Annotated[tuple[str, ...], Meta(min_length=1)]
    name: str = ""


class _Document(TomlTable, frozen=True):
    alternative: Annotated[tuple[_Entry, ...], Meta(min_length=1)]


def read_alternatives(path: str) -> list[Alternative]:
    """The alternatives in a file; raises RequestError."""
    entries = decode(Path(path), _Document, _EXAMPLE).alternative
    found = [alternative(one.changes, one.name) for one in entries]
    names = [one.name for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RequestError(f"{path}: {twice!r} is there twice", "give each a name of its own")
    return found
