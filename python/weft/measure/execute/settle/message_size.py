"""Messages large enough to fill the links of a network that is searched."""

from __future__ import annotations

from msgspec.structs import replace

from weft.base.quantity import significant
from weft.measure.testbed.computed.base import Simulator
from weft.plan.plan import Plan, SizeList, Step
from weft.runs.meta import Warning


def with_enough_bytes(plan: Plan, testbed: Simulator) -> tuple[Plan, list[Warning]]:
    """A plan whose searches use messages that fill links. If a message took its ends much longer than the wire, all
    rates would be alike and no limit would show."""
    least = testbed.enough_bytes if plan.is_search else 0
    small = [
        at for at, step in enumerate(plan.steps) if _fills_links(step) and step.first_bytes < least
    ]
    if not small:
        return plan, []
    was = min(plan.steps[at].first_bytes for at in small)
    for at in small:
        plan = plan.with_step(at, replace(plan.steps[at], sizes=SizeList((least,))))
    return plan, [_note(was, least, testbed)]


def _fills_links(step: Step) -> bool:
    return step.is_ensemble and not step.measures_latency and isinstance(step.sizes, SizeList)


def _note(was: int, least: int, testbed: Simulator) -> Warning:
    return Warning(
        "messages-larger",
        f"messages have {least:,} bytes instead of {was:,}: for what each costs at its ends, smaller ones do not fill "
        f"links of {significant(testbed.port_mbps, 3)} Mb/s",
        "give `sizes` of that much or more, or less overhead, such as sim:NAME(overhead=1us)",
    )
