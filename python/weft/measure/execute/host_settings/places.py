"""Where a knob is on a node: the catalogue's paths, with the node's interface filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.knobs.catalog import find
from weft.knobs.knob import Access, Knob
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.request import Entry, Question
from weft.measure.testbed.base import Node
from weft.plan.plan import Plan, Step


def check_knobs(plan: Plan, nodes: int, is_computed: bool = False) -> None:
    """Raise RequestError for an unknown knob, one that has an option of its own, or an unknown node."""
    for step in plan.steps:
        for key in step.options.knobs or ():
            name, _, node = key.partition("@")
            _refuse_option(step, find(name))
            if is_computed:
                raise RequestError(
                    f"step {step.name!r}: knob {name} is a setting of real nodes",
                    "leave it out where results are computed",
                )
            if node and int(node) >= nodes:
                raise RequestError(
                    f"step {step.name!r}: {key}: no such node", f"nodes are 0 to {nodes - 1}"
                )


def _refuse_option(step: Step, knob: Knob) -> None:
    if knob.is_of_node or knob.environment:
        return
    right = f"options.{knob.option}" if knob.option else f"transport = {knob.transport!r}"
    raise RequestError(f"step {step.name!r}: knob {knob.name} belongs to sockets", f"set {right}")


def values_of(knobs: Mapping[str, str], node: int) -> dict[str, str]:
    """The values that a step's `knobs` set on a node, without those of an MPI; a value for this node takes
    precedence."""
    general = {key: value for key, value in knobs.items() if "@" not in key}
    own = {
        key.removesuffix(f"@{node}"): value
        for key, value in knobs.items()
        if key.endswith(f"@{node}")
    }
    return {name: value for name, value in (general | own).items() if find(name).is_of_node}


def interface_of(agent: Agent, node: Node) -> str:
    """The interface that has the node's measured address, "" if none is known."""
    found = (one.name for one in agent.facts.interfaces if node.address in one.addresses)
    return next(found, "")


def questions(knobs: Iterable[Knob], interface: str) -> list[Question]:
    """Questions to the agent of a node about the knobs that are set on nodes, for this interface."""
    return [_question(knob, interface) for knob in knobs if knob.is_of_node]


def _question(knob: Knob, interface: str) -> Question:
    assert knob.read and knob.set
    return Question(
        name=knob.name,
        read=_at(knob.read, interface),
        set=_at(knob.set, interface),
        allowed=_at(knob.allowed, interface) if knob.allowed else None,
        default=knob.default,
        interface=interface if knob.scope == "interface" else "",
    )


def entry(knob: Knob, interface: str, old: dict[str, str], wanted: str) -> Entry:
    """The journal entry for a change of a knob from its values `old`."""
    asked = _question(knob, interface)
    return Entry(
        name=knob.name,
        read=asked.read,
        set=asked.set,
        reset=_at(knob.reset, interface) if knob.reset else None,
        interface=asked.interface,
        drops_link=knob.drops_link,
        old=old,
        wanted=wanted,
    )


def text_of(values: Mapping[str, str]) -> str:
    """Values by file as text; equal values are written once."""
    return ", ".join(dict.fromkeys(values.values()))


def _at(access: Access, interface: str) -> Access:
    def put(text: str) -> str:
        return text.replace("{interface}", interface)

    words = tuple(map(put, access.command))
    return replace(access, file=put(access.file), each=put(access.each), command=words)
