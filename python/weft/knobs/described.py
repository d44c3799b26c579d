"""A knob as text: what it is, how it is read and set, what it may disturb."""

from __future__ import annotations

from collections.abc import Iterator

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
    "processors": "processors that the agent may run on",
    "processor-mask": "masks of processors that the agent may run on",
}


def described(knob: Knob) -> dict[str, str]:
    """What is known of a knob, by what it is called."""
    facts = {
        "scope": SCOPES[knob.scope] + (" (needs root)" if knob.needs_root else ""),
        "in a plan": _in_plan(knob),
        "read": _access(knob.read),
        "set": _access(knob.set),
        "values": ", ".join(knob.candidates) or (_PRIORS[knob.prior] if knob.prior else ""),
        "matters for": " and ".join(knob.goals),
        "may disturb": knob.disturbs,
        "permanent": "; ".join(knob.permanent),
    }
    return {name: text for name, text in facts.items() if text}


def _in_plan(knob: Knob) -> str:
    """How a step asks for it."""
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
        yield f"\n## {title}"
        for one in (each for each in knobs().values() if each.scope == scope):
            yield f'\n<a id="{one.name}"></a>**`{one.name}`**: {one.title}.\n'
            yield from (f"- {name}: {_code(name, text)}" for name, text in _own_facts(one).items())
            if one.needs_root and scope == "socket":
                yield "- needs root"


def _own_facts(knob: Knob) -> dict[str, str]:
    """What the head of the page does not say of all."""
    facts = described(knob)
    is_one_path = "read" in facts and facts["read"] == facts.get("set")
    titles = {"read": "read and set"} if is_one_path else {}
    left_out = {
        "scope",
        *(["set"] if is_one_path else []),
        *([] if knob.option or knob.transport else ["in a plan"]),
    }
    return {titles.get(name, name): text for name, text in facts.items() if name not in left_out}


def _code(name: str, text: str) -> str:
    return (
        f"`{text}`" if name in ("in a plan", "read", "set", "read and set", "permanent") else text
    )


_HEAD = """# What can be tuned, and what may it disturb?

```
weft list knobs
weft explain tcp_rmem
weft diagnose RUN
```

`weft diagnose`, the report and `weft.diagnose(run).recommendations` suggest knobs where a run's evidence does: from
what to what, the number behind it, the commands that set, keep and undo it, and the test that decides. Rules are in
`catalog/advice.toml`, knobs in `catalog/knobs`, from which this page is made.

A step of a plan sets a knob by `options.knobs.NAME = "VALUE"`, or as the entry says. Knobs of interfaces and of the
host need root. {value} stands for the value, {interface} for the interface that has the measured address."""
