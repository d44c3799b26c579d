"""What a user asks of a run, as a request: short arguments become settings of the plan."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from weft.base import catalog
from weft.base.errors import RequestError
from weft.faces.api.until import until_overrides
from weft.measure.execute.request import RunRequest
from weft.plan.load import PlanSource, inline_text, load_plan
from weft.plan.plan import Step


def run_request(
    plan: PlanSource,
    on: str,
    *,
    out: str | os.PathLike[str] | None = None,
    scale: float | None = None,
    nodes: int | None = None,
    ports: str | None = None,
    cpus: str | Sequence[int] | None = None,
    patience_s: float = 10.0,
    launches: int | None = None,
    until: str | None = None,
    against: str | os.PathLike[str] | None = None,
    transport: str | None = None,
    mpi: str | None = None,
    interfaces: str | Sequence[str] | None = None,
    settings: Mapping[str, object] | None = None,
    gamma: str | None = None,
    users: str | None = None,
    page: str | None = None,
    server: str | None = None,
    trace: str | os.PathLike[str] | None = None,
    victim: str | None = None,
    congestors: Sequence[str] = (),
    file: str | os.PathLike[str] | None = None,
    to: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    compress: str | None = None,
) -> RunRequest:
    """The request of `weft.run` and `weft run`, which say what the arguments are; raises RequestError."""
    chosen = nodes if on.partition(":")[0] in _FABRICS else None
    nodes = None if chosen else nodes
    overrides = _of_all_steps(transport, interfaces, mpi, chosen)
    overrides += cast_settings(plan, file, to, overwrite, compress)
    overrides += until_overrides(until) if until is not None else []
    overrides += [(key, value_text(value)) for key, value in (settings or {}).items()]
    overrides += [("launches", str(launches))] if launches is not None else []
    loads = {"gamma": gamma, "users": users, "page": page, "server": server}
    replayed = None if trace is None else os.fspath(trace)
    slowed = {"victim": victim, "congestor": ",".join(congestors) or None}
    overrides += load_settings(plan, {**loads, "trace": replayed, **slowed})
    return RunRequest(
        plan,
        on,
        None if out is None else os.fspath(out),
        1.0 if scale is None else scale,
        overrides,
        split_cpus(cpus) if isinstance(cpus, str) else None if cpus is None else list(cpus),
        patience_s,
        nodes,
        ports,
        None if against is None else os.fspath(against),
        _command(plan, on, scale, nodes, ports, overrides),
        is_scale_given=scale is not None,
    )


def quick_plan(plan: str) -> str:
    """The plan that answers less in less time; raises RequestError where the catalogue has none."""
    quick = f"{plan}-quick"
    if quick not in catalog.names("plan"):
        raise RequestError(
            f"--quick: there is no quick plan of {plan!r}", "`weft run xray --quick` has one"
        )
    return quick


def value_text(value: object) -> str:
    """A value of a setting as TOML; a text stays as it is, such as "64 KiB" or "[1, 2]"."""
    if isinstance(value, str):
        return value
    return inline_text(value)


def load_settings(plan: PlanSource, loads: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Settings of the steps that an option is for; raises RequestError where the plan has none."""
    given = {name: value for name, value in loads.items() if value is not None}
    if not given:
        return []
    steps = load_plan(plan).steps
    return [setting for name, value in given.items() for setting in _settings(steps, name, value)]


def cast_settings(
    plan: PlanSource,
    file: str | os.PathLike[str] | None,
    to: str | os.PathLike[str] | None,
    overwrite: bool,
    compress: str | None,
) -> list[tuple[str, str]]:
    """Settings of the steps that cast, so that they cast a file, once; raises RequestError where the plan has none."""
    others = {"to": to and os.fspath(to), "overwrite": overwrite, "compress": compress}
    given: dict[str, object] = {key: value for key, value in others.items() if value}
    if file is None:
        if given:
            raise RequestError(f"--{min(given)} is of a cast of a file", "name it with --file")
        return []
    settings = load_settings(plan, {"file": os.fspath(file)})
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
"""Of each option, the pattern and the key it sets."""


def _settings(steps: Iterable[Step], name: str, value: str) -> list[tuple[str, str]]:
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
        # KB is how many write kB.
        return f'["{value.replace("KB", "kB")}"]'
    if name == "congestor":
        return inline_text([one.strip() for one in value.split(",")])
    return inline_text(value) if name in ("trace", "victim", "file") else value


_FABRICS = ("lab", "vm", "sim")
"""Testbeds that have all hosts of a fabric whatever is measured: fewer nodes are those of the steps."""


def _of_all_steps(
    transport: str | None,
    interfaces: str | Sequence[str] | None,
    mpi: str | None,
    nodes: int | None,
) -> list[tuple[str, str]]:
    named = interfaces.split(",") if isinstance(interfaces, str) else interfaces
    chosen = {
        "steps.*.transport": transport,
        "steps.*.interfaces": str([one.strip() for one in named]) if named else None,
        "steps.*.options.mpi": mpi,
        "steps.*.nodes": str(nodes) if nodes else None,
    }
    return [(key, value) for key, value in chosen.items() if value]


def split_cpus(cpus: str) -> list[int]:
    """Such as "0,1"; raises RequestError."""
    try:
        return [int(cpu) for cpu in cpus.split(",")]
    except ValueError:
        raise RequestError(
            f"--cpus {cpus}: not a list of processors", "for example --cpus 0,1"
        ) from None


def _command(
    plan: PlanSource,
    on: str,
    scale: float | None,
    nodes: int | None,
    ports: str | None,
    overrides: Iterable[tuple[str, str]],
) -> list[str]:
    """The command that makes the same run; none where the plan is no file."""
    if isinstance(plan, Mapping):
        return []
    given = {"--scale": scale, "--nodes": nodes, "--ports": ports}
    options = [str(word) for name, value in given.items() if value for word in (name, value)]
    sets = [word for key, value in overrides for word in ("--set", f"{key}={value}")]
    return ["weft", "run", os.fspath(plan), "--on", on, *options, *sets]
