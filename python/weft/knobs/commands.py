"""Commands that set a knob by hand, permanently, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from weft.base.amount import amount_of
from weft.knobs.knob import Knob

_WRITTEN = re.compile(r" > (?P<file>/\S+)$")
"""A permanent setting in a file of its own."""
OLD = "OLD"
"""Stands for an unknown value."""


def by_hand(knob: Knob, value: str, interface: str) -> tuple[str, ...]:
    """Commands that last until the next reboot; for an MPI, for the jobs of the shell."""
    exports = (f"export {name}={value}" for name in knob.environment.values())
    return (*exports, *_filled(knob.by_hand, value, interface))


def permanent(knob: Knob, value: str, interface: str) -> tuple[str, ...]:
    """Commands that make it permanent; for a socket, the call in an application."""
    if knob.scope == "socket":  # A socket's options count bytes, and bytes per second.
        size, rate = amount_of(value, "size"), amount_of(value, "rate")
        value = f"{size.worth:.0f}" if size else f"{rate.worth / 8:.0f}" if rate else value
    return tuple(_filled(knob.permanent, value, interface))


def undo(knob: Knob, current: str, interface: str) -> tuple[str, ...]:
    """Commands that revert both; if the current value is unknown, how to read it before."""
    return tuple(_undo(knob, current, interface))


def _undo(knob: Knob, current: str, interface: str) -> Iterator[str]:
    if knob.by_hand and not current and knob.read and knob.read.file:
        (file,) = _filled([knob.read.file], "", interface)
        yield f"# {OLD} is what `cat {file}` says before"
    yield from _filled(knob.by_hand, current or OLD, interface)
    yield from (f"unset {name}" for name in knob.environment.values())
    written = (_WRITTEN.search(one) for one in _filled(knob.permanent, current, interface))
    yield from (f"rm {one['file']}" for one in written if one)


def _filled(templates: Iterable[str], value: str, interface: str) -> Iterator[str]:
    """Fill in templates. Not by format(), because shell code has braces of its own."""
    for one in templates:
        yield one.replace("{value}", value).replace("{interface}", interface)
