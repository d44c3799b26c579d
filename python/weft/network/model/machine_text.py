"""Edit a machine's description as text: read a dotted key, and replace values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping

from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml

Keys = Mapping[str, str]
"""Values by key such as costs.protocol or processors.nic.clock, as in the brackets of --on."""


def value_of(text: str, key: str) -> object | None:
    """The value of a key in a description; None if it is not there."""
    place = _parent(parse_toml(text, "the machine's description"), key.split(".")[:-1])
    return None if place is None else place.get(key.rpartition(".")[2])


def configured(text: str, placement: str | None) -> frozenset[str]:
    """The keys that a placement sets itself, in `with`; values elsewhere in the file do not affect it."""
    row = parse_toml(text, "the machine's description").get("placements", {}).get(placement, {})
    return frozenset(_paths(row.get("with", {}), ""))


def _paths(table: Mapping[str, object], path: str) -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _paths(value, f"{path}{name}.")
        else:
            yield f"{path}{name}"


def numbers_of(text: str) -> Iterator[str]:
    """The keys of costs, which can be fitted on every machine."""
    costs = parse_toml(text, "the machine's description").get("costs", {})
    return (f"costs.{key}" for key, value in costs.items() if isinstance(value, int | float))


def with_values(text: str, keys: Keys, notes: Keys) -> str:
    """The text with values replaced, each with its note in place of its comment; everything else is unchanged."""
    import tomlkit  # imported here, as it would slow down every command

    document = tomlkit.parse(text)
    for key, value in keys.items():
        *path, name = key.split(".")
        table = _parent(document, path)
        if table is None:
            raise RequestError(
                f"{key}: the machine's file has no table for it", "add it there first"
            )
        item = tomlkit.item(_plain(value))
        if key in notes:
            item.comment(notes[key])
        table[name] = item
    return tomlkit.dumps(document)


def _plain(value: str) -> float | int | str:
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if number.is_integer() else number


def _parent(document: object, path: list[str]) -> MutableMapping[str, object] | None:
    """The table on a key's path; in an array of tables, the one with that name."""
    for part in path:
        if isinstance(document, list):
            document = next((one for one in document if one.get("name") == part), None)
        else:
            document = document.get(part) if isinstance(document, MutableMapping) else None
    return document if isinstance(document, MutableMapping) else None
