"""Requests about a node's settings."""

from __future__ import annotations

from msgspec import Struct

from weft.knobs.knob import Access
from weft.measure.testbed.agent.request.base import Request


class Question(Struct, frozen=True, kw_only=True):
    """A setting to read; `interface` is "" for a setting of the host. Fields as in `weft.knobs.knob.Knob`."""

    name: str
    read: Access
    set: Access
    allowed: Access | None = None
    default: str = ""
    interface: str = ""


class ReadKnobs(Request, frozen=True, kw_only=True, tag="look_at_knobs"):
    """Read these settings. With `anyway`, those of the login's interface may be changed too."""

    knobs: list[Question]
    anyway: bool = False


class Entry(Struct, frozen=True, kw_only=True):
    """A setting that is changed or about to be. `old` has values by file ("" for a command), `new` what was read after
    the change."""

    name: str
    read: Access
    set: Access
    reset: Access | None = None
    interface: str = ""
    drops_link: bool = False
    old: dict[str, str]
    wanted: str
    new: dict[str, str] | None = None


class SetKnobs(Request, frozen=True, kw_only=True):
    """Change settings, all or none, with a journal and a guard on the node."""

    session: str
    entries: list[Entry]
    anyway: bool = False


class RestoreKnobs(Request, frozen=True, kw_only=True):
    """Restore settings, the last one first."""

    session: str
    entries: list[Entry]


class KnobHeartbeat(Request, frozen=True, tag="beat"):
    """The coordinator is alive: changed settings are restored after 10 s without this. It has no answer."""
