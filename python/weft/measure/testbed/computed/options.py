"""The options of a step that simulators implement; others are refused, not ignored."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.plan.pattern import MultiPair
from weft.plan.plan import Options, Step

CARRIED_OUT: Mapping[str, Collection[str]] = {
    "node": ("send_buffer_bytes", "receive_buffer_bytes", "nodelay", "mss_bytes", "rate", "mpi"),
    "sim": ("send_buffer_bytes", "receive_buffer_bytes"),
}
"""For each kind of testbed, the options that affect its results."""
OF_PAIRS: Mapping[str, Collection[str]] = {"node": ("cpus",), "sim": ()}
"""Further options if several pairs run side by side; otherwise the placement decides the processors."""
HOLDS: Mapping[str, Collection[object]] = {
    "wait": ("auto", "block"),
    "cpus": ((),),
    "calls": ("blocking",),
    "verify": (True, False),
    "evidence": (True, False),
}
"""Values that are always true of a simulator: ends block, data arrives unchanged, there are no kernel counters."""
ELSEWHERE = ("knobs",)
"""Options that are checked elsewhere, such as knobs of real nodes (`check_knobs`)."""
_UNITS = ("_bytes", "_ns", "_bits_per_s")


def ignored(step: Step, kind: str) -> Iterator[str]:
    """The field names of a step's options that a kind of testbed does not implement."""
    carried = [*CARRIED_OUT[kind], *ELSEWHERE]
    if isinstance(step.pattern, MultiPair):
        carried += OF_PAIRS[kind]
    default = Options()
    for name in Options.__struct_fields__:
        value = getattr(step.options, name)
        is_asked = value != getattr(default, name) and value not in HOLDS.get(name, ())
        if is_asked and name not in carried:
            yield name


def refuse_ignored(step: Step, kind: str, name: str) -> None:
    """Raise RequestError if a step has options that would change nothing."""
    found = [option_name(one) for one in ignored(step, kind)]
    if not found:
        return
    carried = ", ".join(map(option_name, CARRIED_OUT[kind]))
    known = f"only {carried} of its options are simulated" if carried else "none is simulated"
    what = " and ".join(f"options.{one}" for one in found)
    raise RequestError(
        f"step {step.name!r}: {what} would change nothing on {kind}:{name}",
        f"{known} there: leave it out, or measure on local: or lab:FABRIC",
    )


def without(step: Step, names: Collection[str]) -> Step:
    """The step with these options left to the system."""
    default = Options()
    usual = {name: getattr(default, name) for name in names}
    return replace(step, options=replace(step.options, **usual))


def option_name(field: str) -> str:
    """The option's name in plans: "mss" for mss_bytes."""
    unit = next((one for one in _UNITS if field.endswith(one)), "")
    return field.removesuffix(unit)
