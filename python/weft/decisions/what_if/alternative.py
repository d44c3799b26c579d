"""What may be done to a network: some changes that are made together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml
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
    """Changes of the fabric's file, of the model's parameters, and of the plan as it runs afterwards. `generator` is a
    network with loops that takes the place of the whole."""

    name: str
    texts: tuple[str, ...]
    fabric: tuple[FabricChange, ...] = ()
    parameters: Mapping[str, Value] = field(default_factory=dict)
    overrides: tuple[tuple[str, str], ...] = ()
    generator: str | None = None

    def after(self, before: Network) -> Network:
        """The network as it would be; raises RequestError where the changes cannot be made there."""
        parameters = {**before.parameters, **self.parameters}
        if self.generator is not None:
            return generated(self.generator, parameters)
        return replace(changed(before, self.fabric), parameters=parameters)

    def workload(self, before: PlannedWorkload) -> PlannedWorkload:
        """What runs on it."""
        return replace(before, overrides=(*before.overrides, *self.overrides))


def alternative(texts: Sequence[str], name: str = "") -> Alternative:
    """Changes that are made together; raises RequestError where one of them is none, or two contradict each other."""
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


def read_alternatives(path: str) -> list[Alternative]:
    """Those of a file; raises RequestError."""
    table = parse_toml(catalog.read(Path(path)), path, _EXAMPLE)
    entries = table.get("alternative")
    if not isinstance(entries, list) or not entries or set(table) != {"alternative"}:
        raise RequestError(f"{path}: must have [[alternative]] and nothing else", _EXAMPLE)
    found = [_read(path, number, one) for number, one in enumerate(entries, 1)]
    names = [one.name for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RequestError(f"{path}: {twice!r} is there twice", "give each a name of its own")
    return found


def _read(path: str, number: int, entry: object) -> Alternative:
    where = f"{path}: alternative {number}"
    if not isinstance(entry, dict) or not set(entry) <= {"name", "changes"}:
        raise RequestError(f"{where}: has other keys than name and changes", _EXAMPLE)
    texts, name = entry.get("changes"), entry.get("name", "")
    if texts == []:
        raise RequestError(f"{where}: no changes", _EXAMPLE)
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise RequestError(f"{where}: changes must be a list of texts", _EXAMPLE)
    if not isinstance(name, str):
        raise RequestError(f"{where}: name must be a text", _EXAMPLE)
    return alternative(texts, name)
