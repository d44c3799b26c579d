"""A knob as text: its meaning, how it is read and set, and what it may disturb."""

from __future__ import annotations

from collections.abc import Iterator

from weft.base.markdown import markdown_table
from weft.knobs.catalog import knobs
from weft.knobs.knob import Access, Knob, Prior, Scope

SCOPES: dict[Scope, str] = {
    "socket": "Sockets: an application sets them itself",
    "interface": "Interfaces",
    "host": "The whole host",
    "mpi": "MPI",
}
_PRIORS: dict[Prior, str] = {
    "bandwidth-delay": "from twice the bandwidth-delay product",
    "path-mtu": "up to the MTU of the path",
    "path-rate": "up to the rate of the path",
    "processors": "CPUs that the agent may run on",
    "processor-mask": "masks of CPUs that the agent may run on",
}


def described(knob: Knob) -> dict[str, str]:
    """The descriptions of a knob, by title."""
    facts = {
        "scope": SCOPES[knob.scope] + (" (needs root)" if knob.needs_root else ""),
        "in a plan": _in_plan(knob),
        "read": _access(knob.read),
        "set": _access(knob.set),
        "values": ", ".join(knob.candidates) or (_PRIORS[knob.prior] if knob.prior else ""),
        "matters for": ", ".join(knob.goals),
        "may disturb": knob.disturbs,
        "permanent": "; ".join(knob.permanent),
    }
    return {name: text for name, text in facts.items() if text}


def _in_plan(knob: Knob) -> str:
    """How a step sets it."""
    if knob.transport:
        return f'transport = "{knob.transport}"'
    return f"options.{knob.option}" if knob.option else f'options.knobs.{knob.name} = "VALUE"'


def _access(how: Access | None) -> str:
    return (how.file or " ".join(how.command)) if how else ""


def page() -> str:
    """docs/knobs.md."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield _HEAD
    for scope, title in SCOPES.items():
        rows = [_row(one) for one in knobs().values() if one.scope == scope]
        head = [column for column in _COLUMNS if any(row.get(column) for row in rows)]
        yield f"\n## {title}\n"
        yield from markdown_table(head, [[row.get(column, "") for column in head] for row in rows])


def _row(knob: Knob) -> dict[str, str]:
    """Its cells by column, without what the head of the page says about all."""
    facts = described(knob)
    root = " (needs root)" if knob.needs_root and knob.scope == "socket" else ""
    how = facts["in a plan"] if knob.option or knob.transport else facts.get("set", "")
    kept = "" if _is_kept_as_it_is_set(knob) else facts.get("permanent", "")
    return facts | {
        "knob": f'<a id="{knob.name}"></a>`{knob.name}`',
        "what it is": knob.title + root,
        "set by": _code(how),
        "permanent": _code(kept),
    }


def _is_kept_as_it_is_set(knob: Knob) -> bool:
    """Whether its boot command or line of sysctl.d can be derived from `set`."""
    return knob.set is not None and (
        knob.set.file.startswith("/proc/sys/")
        or all(one.startswith("# at boot: ") for one in knob.permanent)
    )


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


_COLUMNS = ("knob", "what it is", "set by", "values", "matters for", "may disturb", "permanent")
_HEAD = """# What can be tuned, and what may it disturb?

```
weft list knobs
weft explain tcp_rmem
weft diagnose RUN
```

`weft diagnose`, the report and `weft.diagnose(run).recommendations` suggest knobs where a run's evidence does: old and
new value, the reason, the commands that set, keep and undo it, and the test that decides. `catalog/advice.toml` has
the rules, `catalog/knobs` the knobs.

A step of a plan sets a knob by `options.knobs.NAME = "VALUE"`; those of sockets as "set by" says. Knobs of interfaces
and of the host need root; "set by" has a command, or a file to write to. {value} stands for the value, {interface} for
the interface that has the measured address, {each} for each of its interrupts. If "permanent" is empty or missing,
repeat the command at boot; for files in /proc/sys, add `KEY = {value}` to a file in /etc/sysctl.d. `weft explain KNOB`
prints these lines, and how to read the value."""
