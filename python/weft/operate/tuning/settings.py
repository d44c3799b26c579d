"""A testbed's state of each knob: the current value, or why it cannot be set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from weft.base.files.text_file import read_json
from weft.knobs.knob import NAMED_GOALS, Knob
from weft.measure.execute.host_settings import KnobState, look
from weft.measure.testbed.base import Testbed
from weft.operate.tuning.choice import Have
from weft.plan.load import load_plan
from weft.runs.work_document import write_json

HAVE_NAME = "before.json"


def have_of(
    testbed: Testbed, known: Mapping[str, Knob], anyway: bool, goal: str = "stream"
) -> dict[str, Have]:
    """The state of every knob of the catalogue, and of what a goal sets itself; changes nothing. Raises AgentError if a
    node does not answer."""
    planned = {"nodelay": nodelay_of(goal)}
    seen = look(testbed, [one for one in known.values() if one.is_of_node], anyway)
    return {
        name: _have({node: found[name] for node, found in seen.items() if name in found})
        or Have(planned.get(name, ""))
        for name in known
    }


def nodelay_of(goal: str) -> str:
    """Whether the steps of a goal send small messages at once, as agents do by default; "" if the steps differ."""
    if goal in NAMED_GOALS:
        return "true"
    values = {str(step.options.nodelay).lower() for step in load_plan(goal).steps}
    return values.pop() if len(values) == 1 else ""


def _have(seen: Mapping[str, KnobState]) -> Have | None:
    """One knob on all nodes, with the first reason against it; None if nodes have no such setting."""
    if not seen:
        return None
    why_not = next((f"{node}: {one.why_not}" for node, one in seen.items() if one.why_not), "")
    current = {node: one.value or "" for node, one in seen.items()}
    values = set(current.values())
    value = (
        values.pop()
        if len(values) == 1
        else ", ".join(f"{value} on {node}" for node, value in current.items())
    )
    return Have(value, why_not, next(iter(seen.values())).allowed)


def save_have(folder: Path, have: Mapping[str, Have]) -> None:
    """Save the state, so that a continued tuning tries the same; raises WorkError."""
    write_json(folder / HAVE_NAME, have)


def read_have(folder: Path) -> dict[str, Have]:
    """The saved state at the start of the tuning."""
    return read_json(folder / HAVE_NAME, dict[str, Have], "damaged")


def notes(have: Mapping[str, Have]) -> list[str]:
    """Notes for the user at the start."""
    without_root = sum("root" in one.why_not for one in have.values())
    if not without_root:
        return []
    return [f"without root: {without_root} knobs of hosts and interfaces are left alone"]
