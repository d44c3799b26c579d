"""What a step of a plan needs of a testbed."""

from __future__ import annotations

from typing import NoReturn

from msgspec import UNSET

from weft import _core
from weft.base.errors import RequestError
from weft.plan.pattern import Hpl, Stream, Webserver
from weft.plan.phases import expand
from weft.plan.plan import Step, to_json
from weft.plan.roles import participants

MOST_GAMMA = 1000.0


def refuse_load(step: Step, kind: str, name: str) -> NoReturn:
    """Raise RequestError for a step with an application's work on a testbed where none is done."""
    what, live = "has an application load (gamma)", ""
    if step.is_webserver:
        what, live = "is a web server", ", or with a real server on ssh:, hosts:, local: or lab:"
    raise RequestError(
        f"step {step.name!r} {what}; on {kind}:{name} no application computes",
        f"run it inside a simulated node, such as --on node:p4-400-base{live}",
    )


def refuse_program(step: Step, kind: str, name: str) -> NoReturn:
    """Raise RequestError for a step that is a program on a testbed where none is played."""
    article = "an" if step.pattern.kind[0] in "aeiou" else "a"
    raise RequestError(
        f"step {step.name!r} is {article} {step.pattern.kind}, which is between nodes; {kind}:{name} cannot run it",
        "run it on sim:FABRIC, lab:FABRIC or your machines, such as --on sim:two-racks",
    )


def check_load(step: Step, kind: str, name: str) -> None:
    """Raise RequestError where agents cannot compute with what a stream brings, or not say what it costs."""
    where = f"step {step.name!r} has an application load (gamma) on {kind}:{name}"
    if isinstance(step.pattern, Stream) and max(step.pattern.gamma) > MOST_GAMMA:
        raise RequestError(
            f"{where}: at {max(step.pattern.gamma):g} times the work of receiving hardly a message comes through",
            f"gamma is at most {MOST_GAMMA:g} where it is measured",
        )
    if step.options.wait == "spin":
        raise RequestError(
            f"{where}: a receiver that spins is always busy, so its time says nothing of what receiving costs",
            'leave options.wait out, or set "block"',
        )
    if step.options.evidence is False:
        raise RequestError(
            f"{where}: options.evidence = false leaves out the processor time that gamma is a multiple of",
            "leave it out",
        )


def refuse_live_server(step: Step, pattern: Webserver) -> None:
    """Raise RequestError for what a web server has only where it is a program."""
    asked = {"server": pattern.server, "loop": pattern.arrivals, "time": pattern.time_ns}
    live = [key for key, value in asked.items() if value not in (UNSET, "closed")]
    if live:
        raise RequestError(
            f"step {step.name!r}: {live[0]} is of a real web server; a simulated one has users in a closed loop",
            "leave it out, or run it on ssh:, hosts:, local: or lab:",
        )


def nodes_of(step: Step, testbed_nodes: int) -> list[int]:
    """The nodes that take part in a step; raises RequestError when the testbed has too few."""
    phases = expand(step, testbed_nodes)
    if isinstance(step.pattern, Hpl):
        return _nodes_of_grid(step, testbed_nodes)
    if step.is_program:
        return sorted(step.chosen_nodes or range(testbed_nodes))
    if not step.is_ensemble:
        return list(range(min(2, testbed_nodes)))
    if step.is_adaptive:
        return sorted(step.chosen_nodes or range(testbed_nodes))
    return sorted({node for phase in phases for node in participants(phase)})


def _nodes_of_grid(step: Step, testbed_nodes: int) -> list[int]:
    """A node for each process, in the order of the processes."""
    try:
        rows, columns = _core.Program.grid(to_json(step), testbed_nodes)
    except RequestError as error:
        raise RequestError(f"step {step.name!r}: {error.message}") from None
    return list(step.chosen_nodes or range(rows * columns))
