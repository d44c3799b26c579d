"""Weather of a lab that is up: what changes there, by time or by chance, and the log of what really happened."""

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
    """When an event comes: `for_ns` is its shortest and longest length, `again` as weft-lab says it."""

    at_ns: int
    for_ns: tuple[int, int] | None
    again: str | dict[str, dict[str, int]]
    seed: int


class LinkCondition(Struct, frozen=True, omit_defaults=True):
    """What is different while an event lasts; None and false are what stays as it was."""

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
    """An event of a lab: `next_s` is when it next begins or ends, in seconds since the lab was up."""

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
    """What an event did: `state` is "begins" or "ends"; seconds since 1970, and since the lab was up."""

    time_s: float
    lab_s: float
    state: str
    killed: int | None = None


class Weather(Struct, frozen=True):
    """The events of a lab, so many seconds after it was up, and where its log is."""

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
"""Keys whose value is a list also where it has one entry."""


def weather_of(entry: LabEntry) -> Weather:
    """What the weather of a lab is; raises WorkError when the lab does not answer."""
    return _ask(entry, {"ask": "weather"})


def add_weather(entry: LabEntry, text: str, origin: str, speed: float | None = None) -> Weather:
    """Add the events of a TOML text, whose clock begins now; raises RequestError where one is wrong."""
    return _ask(entry, {"ask": "add", "text": text, "origin": origin, "speed": speed})


def add_weather_file(entry: LabEntry, name: str, speed: float | None = None) -> Weather:
    """Add the events of a file, which may be a fabric of the catalogue."""
    path = catalog.find("fabric", name)
    return add_weather(entry, catalog.read(path), catalog.shown(path), speed)


def clear_weather(entry: LabEntry) -> Weather:
    """End all events for good: the lab is then as its fabric describes it."""
    return _ask(entry, {"ask": "clear"})


def weather_log(entry: LabEntry) -> list[LogLine]:
    """Each begin and end of an event so far, in their order."""
    path = registry.files(entry.id).weather
    lines = read_text(path).splitlines() if path.exists() else []
    return [parse_json(line, LogLine, str(path)) for line in lines]


def event_text(words: Sequence[str]) -> str:
    """One event from words such as `ids=n1`, `loss=5 %`, `for=30 s`, as TOML."""
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
    """A JSON string is also one of TOML."""
    return msgspec.json.encode(text.strip()).decode()


def _ask(entry: LabEntry, question: dict[str, str | float | None]) -> Weather:
    try:
        found = _read(ask_keeper(registry.files(entry.id).socket, question))
    except (OSError, msgspec.DecodeError) as error:
        raise WorkError(f"lab {entry.id} does not answer ({error})") from None
    if isinstance(found, Weather):
        return found
    kind = RequestError if found.exit_code == REQUEST_STATUS else WorkError
    raise kind(found.message, found.hint)


def _read(answer: bytes) -> Weather | _Refused:
    """What was answered; a refusal has one key of its own."""
    if answer.startswith(b'{"error"'):
        return msgspec.json.decode(answer, type=_Refusal).error
    return msgspec.json.decode(answer, type=Weather)
