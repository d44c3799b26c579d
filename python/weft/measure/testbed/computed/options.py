"""Which options of a step simulators carry out; what is not carried out is refused, not ignored."""

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
"""Results depend on these, by the kind of testbed."""
OF_PAIRS: Mapping[str, Collection[str]] = {"node": ("cpus",), "sim": ()}
"""Beside them where several pairs run side by side: else a placement says which processor does what."""
HOLDS: Mapping[str, Collection[object]] = {
    "wait": ("auto", "block"),
    "cpus": ((),),
    "calls": ("blocking",),
    "verify": (True, False),
    "evidence": (True, False),
}
"""Values that say what is the case anyway: ends block, what arrives is what was sent, no kernel has counters."""
ELSEWHERE = ("knobs",)
"""Refused beside knobs of real nodes (`check_knobs`)."""
_UNITS = ("_bytes", "_ns", "_bits_per_s")


def ignored(step: Step, kind: str) -> Iterator[str]:
    """The options of a step that a kind of testbed does not carry out, by their fields' names."""
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
    """Refuse a step of which options would change nothing; raises RequestError."""
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
    """A step that leaves some options to the system."""
    default = Options()
    usual = {name: getattr(default, name) for name in names}
    return replace(step, options=replace(step.options, **usual))


def option_name(field: str) -> str:
    """As plans write it: "mss" of mss_bytes."""
    unit = next((one for one in _UNITS if field.endswith(one)), "")
    return field.removesuffix(unit)
