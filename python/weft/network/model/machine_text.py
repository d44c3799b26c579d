"""A machine's description as text: what a dotted key is, and the same text with other values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping

from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml

Keys = Mapping[str, str]
"""Values of keys such as costs.protocol or processors.nic.clock, as the brackets of --on have them."""


def value_of(text: str, key: str) -> object | None:
    """What a description says of a key; None where it says nothing."""
    place = _parent(parse_toml(text, "the machine's description"), key.split(".")[:-1])
    return None if place is None else place.get(key.rpartition(".")[2])


def configured(text: str, placement: str | None) -> frozenset[str]:
    """The keys that a placement gives itself, with `with`; what the file says of them elsewhere is nothing to it."""
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
    """The text with other values, each with its note instead of the comment behind it; all else stays as it was."""
    import tomlkit  # here, because every command would wait for it

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
    """The table that a key's path leads to; of an array of tables, the one with that name."""
    for part in path:
        if isinstance(document, list):
            document = next((one for one in document if one.get("name") == part), None)
        else:
            document = document.get(part) if isinstance(document, MutableMapping) else None
    return document if isinstance(document, MutableMapping) else None
