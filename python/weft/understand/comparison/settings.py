"""Differences between the settings of two runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from weft.plan.plan import Plan, to_data
from weft.runs.meta import RunMeta
from weft.runs.records.fabric_records import FabricRecord
from weft.runs.records.records import NodeEntry

FACTS = ("kernel", "cpu_model", "cpus")
"""Facts of nodes that affect results."""
OF_NODES = "node's "
"""The prefix of facts of nodes, which are no settings of the run."""

NOT_SET = "-"
STEP = "step "
"""The prefix of keys of a step."""
OPTIONS = ": options."
"""The separator between a step's name and one of its options."""


class SettingDifference(msgspec.Struct, frozen=True):
    """A setting with its values in both runs, as text."""

    what: str
    a: str
    b: str

    @property
    def is_of_nodes(self) -> bool:
        """Whether it is a fact of the nodes: kernel, processor, driver, firmware, slot, link, offloads."""
        return self.what.startswith(OF_NODES)

    @property
    def is_set_once(self) -> bool:
        """Whether it is an option that one run set and the other left to the host."""
        return OPTIONS in self.what and NOT_SET in (self.a, self.b)


def setting_differences(a: RunMeta, b: RunMeta) -> list[SettingDifference]:
    """The differences in version, testbed and fabric, plan, effective settings and nodes' facts.

    Options that only one run sets come first. Parts of fabrics are compared only if both runs have a fabric,
    and keys of steps only if the plans have the same patterns: of others, only what carries the messages.
    """
    left, right = dict(_settings(a)), dict(_settings(b))
    if _patterns(a.plan) != _patterns(b.plan):
        left, right = _without_steps(left, a.plan), _without_steps(right, b.plan)
    if NOT_SET in (left["fabric"], right["fabric"]):
        left, right = _without_parts(left), _without_parts(right)
    found = [
        SettingDifference(what, left.get(what, NOT_SET), right.get(what, NOT_SET))
        for what in {**left, **right}
        if left.get(what, NOT_SET) != right.get(what, NOT_SET)
    ]
    return sorted(found, key=lambda one: not one.is_set_once)


def _without_parts(settings: dict[str, str]) -> dict[str, str]:
    return {what: value for what, value in settings.items() if not what.startswith("fabric's ")}


def _patterns(plan: Plan) -> list[str]:
    return [step.pattern.kind for step in plan.steps]


def _without_steps(settings: dict[str, str], plan: Plan) -> dict[str, str]:
    """Steps of different plans do not belong together; all transports stand for them."""
    kept = {what: value for what, value in settings.items() if not what.startswith(STEP)}
    transports = dict.fromkeys(step.transport for step in plan.steps)
    return {"transport": ", ".join(transports)} | kept


def _settings(meta: RunMeta) -> Iterator[tuple[str, str]]:
    yield "weft", meta.weft_version or NOT_SET
    yield "testbed", f"{meta.testbed.get('kind', '')}:{meta.testbed.get('name', '')}"
    yield "scale", f"{meta.testbed.get('scale', 1.0):g}"
    fabric = meta.testbed.get("fabric")
    yield from _fabric(fabric) if fabric else [("fabric", NOT_SET)]
    yield from _plan(meta.plan)
    yield from _sets("", (one["settings"] for one in meta.effective))
    facts = (node.get("facts") or {} for node in meta.nodes)
    yield from _sets(OF_NODES, ({key: one.get(key) for key in FACTS} for one in facts))
    yield from _sets(OF_NODES, (dict(_flat(_device(node))) for node in meta.nodes))


def _device(node: NodeEntry) -> object:
    """The device of the interface that carried a node's data; empty if its agent did not record it."""
    facts = node.get("facts") or {}
    names = (
        one["name"]
        for one in facts.get("interfaces", ())
        if node.get("address") in one["addresses"]
    )
    device = facts.get("devices", {}).get(next(names, ""), {})
    return {key: value for key, value in device.items() if value != ""}


def _fabric(fabric: FabricRecord) -> Iterator[tuple[str, str]]:
    """The name of a fabric, the number of its hosts, switches and links, and the values of their attributes."""
    yield "fabric", fabric["name"]
    for part in ("hosts", "switches", "links"):
        yield f"fabric's {part}", str(len(fabric[part]))
    links = ({k: v for k, v in link.items() if k != "ends"} for link in fabric["links"])
    flat = [dict(_flat(link)) for link in links]
    yield from _sets("fabric's link ", flat)
    keys = ("capacity_bits_per_s", "queue_frames")
    switches = (
        {key: one.get(key) for key in keys} | {"capacity_by_ports": str(one["capacity_by_ports"])}
        if "capacity_by_ports" in one
        else {key: one.get(key) for key in keys}
        for one in fabric["switches"]
    )
    yield from _sets("fabric's switch ", switches)


def _plan(plan: Plan) -> Iterator[tuple[str, str]]:
    yield "plan", plan.name
    yield "launches", str(plan.launches)
    for index, step in enumerate(plan.steps):
        named = f"{STEP}{index} ({step.name})"
        for key, value in _flat(to_data(step)):
            yield f"{named}: {key}", value


def _sets(prefix: str, documents: Iterable[Mapping[str, object]]) -> Iterator[tuple[str, str]]:
    """All values of each key, regardless of the node or launch."""
    values: dict[str, set[str]] = {}
    for document in documents:
        for key, value in document.items():
            if value is not None:
                values.setdefault(key, set()).add(str(value))
    for key, found in values.items():
        yield prefix + key, ", ".join(sorted(found))


def _flat(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """The leaves of nested tables, with their paths."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    elif value is not None:
        yield path, str(value)
