"""Weather of a lab that is up: what changes there, by time or by chance, and the log of what really happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from weft.errors import RequestError, WorkError
from weft.plan import catalog
from weft.testbed.lab import registry
from weft.testbed.lab.daemon import REQUEST_STATUS, ask_keeper
from weft.testbed.lab.registry import Entry

Weather = dict[str, Any]
"""`lab_s` (seconds since the lab was up), `log` (a path) and `events`, each with number, name, place, change, times."""

COMMAND_LINE = "the command line"
LISTS = ("between", "blocks")
"""Keys whose value is a list also where it has one entry."""


def weather_of(entry: Entry) -> Weather:
    """What the weather of a lab is; raises WorkError when the lab does not answer."""
    return _ask(entry, {"ask": "weather"})


def add_weather(entry: Entry, text: str, origin: str, speed: float | None = None) -> Weather:
    """Add the events of a TOML text, whose clock begins now; raises RequestError where one is wrong."""
    return _ask(entry, {"ask": "add", "text": text, "origin": origin, "speed": speed})


def add_weather_file(entry: Entry, name: str, speed: float | None = None) -> Weather:
    """Add the events of a file, which may be a fabric of the catalogue."""
    path = catalog.find("fabric", name)
    return add_weather(entry, catalog.read(path), catalog.shown(path), speed)


def clear_weather(entry: Entry) -> Weather:
    """End all events for good: the lab is then as its fabric describes it."""
    return _ask(entry, {"ask": "clear"})


def weather_log(entry: Entry) -> list[dict[str, Any]]:
    """Each begin and end of an event so far, in their order, with `time_s` (seconds since 1970) and `lab_s`."""
    path = registry.files(entry.id).weather
    lines = path.read_text().splitlines() if path.exists() else []
    return [msgspec.json.decode(line) for line in lines]


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


def _ask(entry: Entry, question: dict[str, Any]) -> Weather:
    try:
        answer: Weather = msgspec.json.decode(ask_keeper(registry.files(entry.id).socket, question))
    except (OSError, msgspec.DecodeError) as error:
        raise WorkError(f"lab {entry.id} does not answer ({error})") from None
    if refused := answer.get("error"):
        kind = RequestError if refused["exit_code"] == REQUEST_STATUS else WorkError
        raise kind(refused["message"], refused["hint"])
    return answer
