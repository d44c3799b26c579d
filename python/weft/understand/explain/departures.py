"""Settings of a run that differ from its hosts' defaults: the first suspects for slowness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from weft.base.quantity import format_bytes, format_mbps, format_us
from weft.plan.plan import Options
from weft.runs.folder import RunFolder
from weft.understand.explain.finding import Explanation

CAUSE = "not-default"
LIMITS = {"send_buffer_bytes": "tcp_wmem_max", "receive_buffer_bytes": "tcp_rmem_max"}
"""The settings that limit how far the kernel enlarges a buffer that is not set."""


def departures(run: RunFolder) -> list[Explanation]:
    """The settings of all steps that differ from the hosts' defaults. Settings that a study varies are left out, since
    the study itself gives their effect.

    Empty for a run that does not record its nodes' settings, such as a simulated one.
    """
    if not run.meta.effective:
        return []
    steps = range(len(run.meta.plan.steps))
    first, *others = [dict(_of_step(run, step)) for step in steps]
    names = dict.fromkeys(run.meta.plan.steps[step].name for step in steps)
    return [
        Explanation("setting", name, (), f"{name}: {says}", CAUSE)
        for key, says in first.items()
        if all(other.get(key) == says for other in others)
        for name in names
    ]


def _of_step(run: RunFolder, step: int) -> Iterator[tuple[str, str]]:
    """The name of each setting of a step that differs, with a description."""
    options = run.meta.plan.steps[step].options
    facts = next((node.get("facts") or {} for node in run.meta.nodes), {}).get("settings") or {}
    given = next((one["settings"] for one in run.meta.effective if one["step"] == step), {})
    for name in LIMITS:
        if (asked := getattr(options, name)) is not None:
            yield name, _buffer(name, asked, given, facts)
    if not options.nodelay:
        yield (
            "nodelay",
            "nodelay is off, which weft sets otherwise: short messages wait for each other",
        )
    if options.congestion and options.congestion != facts.get("congestion"):
        usual = facts.get("congestion") or "the host's own"
        yield "congestion", f"congestion control {options.congestion} instead of {usual}"
    yield from _others(options)


def _buffer(name: str, asked: int, given: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    kind = name.removesuffix("_bytes").replace("_", " ")
    in_force = f" ({format_bytes(given[name])} in force)" if given.get(name) else ""
    limit = facts.get(LIMITS[name])
    instead = f", which the host would let grow to {format_bytes(limit)}" if limit else ""
    return f"a {kind} of {format_bytes(asked)} was set{in_force}{instead}"


def _others(options: Options) -> Iterator[tuple[str, str]]:
    if options.mss_bytes is not UNSET:
        yield "mss", f"segments were limited to {format_bytes(options.mss_bytes)}"
    if options.pacing_bits_per_s is not UNSET:
        yield "pacing", f"sending was paced to {format_mbps(options.pacing_bits_per_s / 1e6)}"
    if options.busy_poll_ns is not UNSET:
        yield "busy_poll", f"sockets were polled for {format_us(options.busy_poll_ns / 1e3)}"
    if options.knobs is not UNSET:
        for knob, value in options.knobs.items():
            yield f"knob {knob}", f"the knob {knob} was set to {value}"
