"""TOML files that users write, checked: what is wrong is said with file, line, key, and what would be right.

A file's tables are TomlTables. Where a value is more than TOML knows, its type has a
class method `read`, which raises ValueError or RequestError. A Struct's `__post_init__` raises WrongKey where keys
contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Protocol, Self, TypeAlias, TypeVar, cast

import msgspec
from msgspec import inspect

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml

_T = TypeVar("_T")
_NAMES = {
    "str": "text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
"""What msgspec's words for types are in a TOML file."""
_LONGEST = 80
"""Values are shown in messages up to so many characters."""


class TomlTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a file; a key that is no field is refused."""


_WORD = r"\A(?=.*\S)[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+\Z"
Word: TypeAlias = Annotated[str, msgspec.Meta(pattern=_WORD)]
"""A text that can be a name or a word of a command: not empty, and without control characters."""
_NO_WORD = "must be text in quotes, without control characters"


class WordList(tuple[str, ...]):
    """A list of words; a file may also give one word alone."""

    @classmethod
    def read(cls, value: object) -> Self:
        """Raises ValueError."""
        listed: list[Any] = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) and re.search(_WORD, one) for one in listed):
            raise ValueError('must be a list of texts, such as ["n1", "n2"]')
        return cls(listed)

    def of(self, known: Sequence[str]) -> Self:
        """The same; raises ValueError where one of them is not known."""
        if unknown := [one for one in self if one not in known]:
            raise ValueError(f"{unknown[0]} is none of {', '.join(known)}")
        return self


class WrongKey(ValueError):
    """What is wrong with a key of the table that is read, such as `links[0].rate`; "" is the table itself."""

    def __init__(self, key: str, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.key = key
        self.hint = hint


class _Readable(Protocol):
    @classmethod
    def read(cls, value: object) -> object: ...


def decode(path: Path, type: type[_T], hint: str = "") -> _T:
    """What a file says; raises RequestError with file, line, key and what would be right, or else the `hint`."""
    return TomlFile(catalog.read(path), str(path), hint).decode(type)


@dataclass(frozen=True)
class TomlFile:
    """The text of a file, which messages call `name`; `hint` says where its keys are described."""

    text: str
    name: str
    hint: str = ""

    @cached_property
    def table(self) -> dict[str, object]:
        """Its values by key; raises RequestError where it is no TOML."""
        return parse_toml(self.text, self.name, self.hint)

    def decode(self, type: type[_T]) -> _T:
        """What it says; raises RequestError."""
        return self.convert(self.table, type)

    def convert(self, value: object, type: type[_T], key: str = "") -> _T:
        """A `value` of the file, which stands at `key`; raises RequestError."""
        try:
            return msgspec.convert(value, type, dec_hook=_read)
        except msgspec.ValidationError as error:
            cause = error.__cause__
            what, _, path = str(error).partition(" - at `$")
            path = _joined(key, path.rstrip("`").partition("[...]")[0])
            if isinstance(cause, WrongKey):
                raise self.wrong(_joined(path, cause.key), str(cause), cause.hint) from None
            raise self._wrong(path, what, list(_types(type, path.removeprefix(key)))) from None

    def where(self, key: str) -> str:
        """What messages call a key, as those of plans, fabrics and machines do: FILE:LINE: KEY."""
        line = _core.line_of(self.text, key) if key else None
        return ": ".join(filter(None, (f"{self.name}:{line}" if line else self.name, key)))

    def wrong(self, key: str, why: str, hint: str = "") -> RequestError:
        """That something is wrong with a key's value."""
        value = self._value(key)
        is_table = isinstance(value, dict) or (isinstance(value, list) and dict in map(type, value))
        is_shown = not is_table and value is not None and len(repr(value)) <= _LONGEST
        shown = f" = {value!r}" if is_shown else ""
        return RequestError(f"{self.where(key)}{shown}: {why}", hint or self.hint)

    def _wrong(self, path: str, what: str, types: list[inspect.Type]) -> RequestError:
        """What msgspec says, in the words of TOML."""
        name = re.search(r"field `(.*)`", what)
        if what.startswith("Object missing") and name:
            return RequestError(f"{self.where(_joined(path, name[1]))} is missing", self.hint)
        if what.startswith("Object contains unknown") and name:
            return self.wrong(
                _joined(path, name[1]), _core.unknown_key(name[1], list(_keys(types)))
            )
        return self.wrong(path, _right(what, path, types))

    def _value(self, key: str) -> object:
        """What stands at a key; None where nothing does, or all of the file."""
        found: object = self.table if key else None
        for part in _parts(key):
            try:
                found = (
                    found[int(part)]
                    if isinstance(found, list)
                    else cast(dict[str, object], found)[part]
                )
            except (KeyError, IndexError, TypeError, ValueError):
                return None
        return found


def _read(type: type[_Readable], value: object) -> object:
    try:
        return value if type is object else type.read(value)
    except RequestError as error:
        raise WrongKey("", error.message, error.hint) from None


def _joined(outer: str, inner: str) -> str:
    inner = inner.lstrip(".")
    return f"{outer}.{inner}" if outer and inner and not inner.startswith("[") else outer + inner


def _parts(key: str) -> list[str]:
    return [one.rstrip("]") for one in re.split(r"[.\[]", key) if one]


def _types(type: type, path: str) -> Iterator[inspect.Type]:
    """Those that may stand at a path of a type."""
    found = [inspect.type_info(type)]
    for part in _parts(path):
        found = [inner for one in found for inner in _inner(one, part)]
    return (inner for one in found for inner in _each(one))


def _each(type: inspect.Type) -> Sequence[inspect.Type]:
    return type.types if isinstance(type, inspect.UnionType) else (type,)


def _inner(type: inspect.Type, part: str) -> Iterator[inspect.Type]:
    for one in _each(type):
        if isinstance(one, inspect.StructType):
            yield from (field.type for field in one.fields if field.encode_name == part)
        elif isinstance(one, inspect.ListType | inspect.VarTupleType):
            yield one.item_type
        elif isinstance(one, inspect.TupleType) and part.isdecimal():
            yield one.item_types[int(part)]
        elif isinstance(one, inspect.DictType):
            yield one.value_type


def _keys(types: list[inspect.Type]) -> Iterator[str]:
    for one in types:
        if isinstance(one, inspect.StructType):
            yield from (field.encode_name for field in one.fields)


def _is_of_tables(type: inspect.Type) -> bool:
    if not isinstance(type, inspect.ListType | inspect.VarTupleType):
        return False
    return isinstance(type.item_type, inspect.StructType)


def _right(what: str, path: str, types: list[inspect.Type]) -> str:
    """What would be right, after msgspec's "Expected `int` >= 1", "Expected `str`, got `int`"."""
    for one in types:
        if isinstance(one, inspect.LiteralType) and what.startswith("Invalid"):
            wrong = what.partition("'")[2].rstrip("'")
            return f"unknown; {catalog.known_names(wrong, [str(value) for value in one.values])}"
        if isinstance(one, inspect.StrType) and one.pattern == _WORD:
            return _NO_WORD
        if isinstance(one, inspect.IntType) and one.ge is not None and one.le is not None:
            return f"must be a whole number from {one.ge} to {one.le}"
        if _is_of_tables(one) and ", got" in what:
            return f"must be tables, each below [[{path}]]"
    wanted = re.fullmatch(r"Expected `([^`]*)`(?:, got .*|( .*))?", what)
    if wanted is None:
        return what[:1].lower() + what[1:]
    names = (_NAMES.get(one, one) for one in wanted[1].split(" | ") if one != "null")
    return f"must be {' or '.join(names)}{(wanted[2] or '').removesuffix('.0')}"
