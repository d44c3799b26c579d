"""Weather of a running lab: events by time or by chance, and the log of what happened."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from weft.base import catalog
from weft.base.errors import RequestError, WorkError
from weft.base.files.text_file import parse_json, read_text
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.daemon import REQUEST_STATUS, ask_keeper
from weft.measure.testbed.lab.registry import LabEntry


class EventTimes(Struct, frozen=True):
    """When an event occurs: `for_ns` is its shortest and longest duration, `again` as weft-lab gives it."""

    at_ns: int
    for_ns: tuple[int, int] | None
    again: str | dict[str, dict[str, int]]
    seed: int


class LinkCondition(Struct, frozen=True, omit_defaults=True):
    """What is different during an event; None and false mean unchanged."""

    rate_bits_per_s: int | None = None
    delay_ns: int | None = None
    jitter_ns: int | None = None
    loss_ppm: int | None = None
    load_ppm: int | None = None
    drops_above_bytes: int | None = None
    blocks: list[str] = []
    dead: bool = False
    unplugged: bool = False
    off: bool = False


class LabEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event of a lab: `next_s` is when it next begins or ends, in seconds since the lab came up."""

    number: int
    name: str
    ids: list[str] = []
    between: list[tuple[str, str]] = []
    network: int
    direction: str
    change: LinkCondition
    times: EventTimes
    speed: float
    active: bool
    next_s: float | None


class LogLine(LabEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A change by an event: `state` is "begins" or "ends"; seconds since 1970, and since the lab came up."""

    time_s: float
    lab_s: float
    state: str
    killed: int | None = None


class FaultSchedule(Struct, frozen=True):
    """The events of a lab at `lab_s` seconds after it came up, and the path of its log."""

    lab_s: float
    log: str | None
    events: list[LabEvent]


class _Refused(Struct, frozen=True):
    message: str
    hint: str
    exit_code: int


class _Refusal(Struct, frozen=True):
    error: _Refused


COMMAND_LINE = "the command line"
LISTS = ("between", "blocks")
"""Keys whose value is always a list, even with one entry."""


def weather_of(entry: LabEntry) -> FaultSchedule:
    """The weather of a lab; raises WorkError if the lab does not answer."""
    return _ask(entry, {"ask": "weather"})


def add_weather(
    entry: LabEntry, text: str, origin: str, speed: float | None = None
) -> FaultSchedule:
    """Add the events of a TOML text, whose clock starts now; raises RequestError if one is invalid."""
    return _ask(entry, {"ask": "add", "text": text, "origin": origin, "speed": speed})


def add_weather_file(entry: LabEntry, name: str, speed: float | None = None) -> FaultSchedule:
    """Add the events of a file, which may be a fabric of the catalogue."""
    path = catalog.find("fabric", name)
    return add_weather(entry, catalog.read(path), catalog.shown(path), speed)


def clear_weather(entry: LabEntry) -> FaultSchedule:
    """End all events for good, so that the lab is as its fabric describes it."""
    return _ask(entry, {"ask": "clear"})


def weather_log(entry: LabEntry) -> list[LogLine]:
    """Each start and end of an event so far, in order."""
    path = registry.files(entry.id).weather
    lines = read_text(path).splitlines() if path.exists() else []
    return [parse_json(line, LogLine, str(path)) for line in lines]


def event_text(words: Sequence[str]) -> str:
    """An event as TOML from words such as `ids=n1`, `loss=5 %`, `for=30 s`."""
    lines = ["[[weather]]"]
    for word in words:
        key, found, value = word.partition("=")
        if not found or not key.replace("_", "").isalpha():
            right = "an event is KEY=VALUE, such as ids=n1 loss='5 %' for='30 s'"
            raise RequestError(f"{word}: neither a key with a value nor alone as a file", right)
        lines.append(f"{key} = {_toml_value(key, value)}")
    return "\n".join(lines)


def _toml_value(key: str, value: str) -> str:
    if value in ("true", "false") or value.isdigit():
        return value
    if key in LISTS or (key == "for" and "," in value):
        return "[" + ", ".join(_quoted(part) for part in value.split(",")) + "]"
    return _quoted(value)


def _quoted(text: str) -> str:
    """A TOML string: JSON strings are valid TOML."""
    return msgspec.json.encode(text.strip()).decode()


def _ask(entry: LabEntry, question: dict[str, str | float | None]) -> FaultSchedule:
    try:
        found = _read(ask_keeper(registry.files(entry.id).socket, question))
    except (OSError, msgspec.DecodeError) as error:
        raise WorkError(f"lab {entry.id} does not answer ({error})") from None
    if isinstance(found, FaultSchedule):
        return found
    kind = RequestError if found.exit_code == REQUEST_STATUS else WorkError
    raise kind(found.message, found.hint)


def _read(answer: bytes) -> FaultSchedule | _Refused:
    """Decode an answer; a refusal has a key of its own."""
    if answer.startswith(b'{"error"'):
        return msgspec.json.decode(answer, type=_Refusal).error
    return msgspec.json.decode(answer, type=FaultSchedule)
