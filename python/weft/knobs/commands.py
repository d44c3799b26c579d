"""Commands that set a knob by hand, for good, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from weft.base.amount import amount_of
from weft.knobs.knob import Knob

_WRITTEN = re.compile(r" > (?P<file>/\S+)$")
"""A permanent setting that is a file of its own."""
OLD = "OLD"
"""Stands for a value that is not known."""


def by_hand(knob: Knob, value: str, interface: str) -> tuple[str, ...]:
    """Until the next reboot; of an MPI, for the jobs of the shell."""
    exports = (f"export {name}={value}" for name in knob.environment.values())
    return (*exports, *_filled(knob.by_hand, value, interface))


def permanent(knob: Knob, value: str, interface: str) -> tuple[str, ...]:
    """What keeps it over a reboot; for a socket, the call that an application makes."""
    if knob.scope == "socket":  # Its options count bytes, and bytes a second.
        size, rate = amount_of(value, "size"), amount_of(value, "rate")
        value = f"{size.worth:.0f}" if size else f"{rate.worth / 8:.0f}" if rate else value
    return tuple(_filled(knob.permanent, value, interface))


def undo(knob: Knob, current: str, interface: str) -> tuple[str, ...]:
    """What takes both back; where the current value is not known, how to read it before."""
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
    """Not by format(): shell has braces of its own."""
    for one in templates:
        yield one.replace("{value}", value).replace("{interface}", interface)
