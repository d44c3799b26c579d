"""The keys of a plan that the options of a run change."""

from __future__ import annotations

import os
from collections.abc import Iterable

from weft.base.errors import RequestError
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.options.until import until_overrides
from weft.plan.load import PlanSource, inline_text, load_plan, setting_text
from weft.plan.plan import Step

Overrides = list[tuple[str, str]]
"""Dotted keys and their values in TOML."""


def overrides_of(plan: PlanSource, options: RunOptions) -> Overrides:
    """The keys to change; raises RequestError for an option that no step of the plan has."""
    overrides = _of_all_steps(options) + _of_casts(plan, options)
    overrides += until_overrides(options.until) if options.until is not None else []
    overrides += [(key, setting_text(value)) for key, value in (options.settings or {}).items()]
    overrides += [("launches", str(options.launches))] if options.launches is not None else []
    return overrides + _of_loads(plan, options)


def split_cpus(cpus: str) -> list[int]:
    """Processors from text such as "0,1"; raises RequestError."""
    try:
        return [int(cpu) for cpu in cpus.split(",")]
    except ValueError:
        raise RequestError(
            f"--cpus {cpus}: not a list of processors", "for example --cpus 0,1"
        ) from None


def _of_all_steps(options: RunOptions) -> Overrides:
    named = options.interfaces
    listed = named.split(",") if isinstance(named, str) else named
    chosen = {
        "steps.*.transport": options.transport,
        "steps.*.interfaces": str([one.strip() for one in listed]) if listed else None,
        "steps.*.options.mpi": options.mpi,
    }
    return [(key, value) for key, value in chosen.items() if value]


def _of_casts(plan: PlanSource, options: RunOptions) -> Overrides:
    """Let each step that casts cast a file, once."""
    to = options.to and os.fspath(options.to)
    others = {"to": to, "overwrite": options.overwrite, "compress": options.compress}
    given: dict[str, object] = {key: value for key, value in others.items() if value}
    if options.file is None:
        if given:
            raise RequestError(f"--{min(given)} is of a cast of a file", "name it with --file")
        return []
    settings = _of_steps(load_plan(plan).steps, "file", os.fspath(options.file))
    steps = [key.removesuffix(".file") for key, _ in settings]
    given |= {"sweep": False}
    more = [(f"{step}.{key}", inline_text(value)) for step in steps for key, value in given.items()]
    return [("launches", "1"), *settings, *more]


_KINDS: dict[str, tuple[str, str]] = {
    "gamma": ("stream", "gamma"),
    "users": ("webserver", "users"),
    "page": ("webserver", "sizes"),
    "server": ("webserver", "server"),
    "trace": ("program", "trace"),
    "victim": ("interference", "victim"),
    "congestor": ("interference", "congestors"),
    "file": ("cast", "file"),
}
"""For each option, the pattern and the key that it sets."""


def _of_loads(plan: PlanSource, options: RunOptions) -> Overrides:
    loads = {name: getattr(options, name) for name in ("gamma", "users", "page", "server")}
    trace = None if options.trace is None else os.fspath(options.trace)
    slowed = {"victim": options.victim, "congestor": ",".join(options.congestors) or None}
    given = {**loads, "trace": trace, **slowed}
    wanted = [(name, value) for name, value in given.items() if value is not None]
    steps = load_plan(plan).steps if wanted else ()
    return [setting for name, value in wanted for setting in _of_steps(steps, name, value)]


def _of_steps(steps: Iterable[Step], name: str, value: str) -> Overrides:
    pattern, key = _KINDS[name]
    mine = dict.fromkeys(
        step.over.of if step.over else step.name for step in steps if step.pattern.kind == pattern
    )
    if not mine:
        example = {"stream": "gamma-sweep", "program": "trace"}.get(pattern, pattern)
        raise RequestError(
            f"--{name} {value}: the plan has no step of the pattern {pattern}",
            f"the plan {example} has one",
        )
    return [(f"steps.{step}.{key}", _as_toml(name, value)) for step in mine]


def _as_toml(name: str, value: str) -> str:
    if name == "page":
        # Many write KB for kB.
        return f'["{value.replace("KB", "kB")}"]'
    if name == "congestor":
        return inline_text([one.strip() for one in value.split(",")])
    return inline_text(value) if name in ("trace", "victim", "file") else value
