"""Whether a value is of a declared type, and what that type is called in a sentence."""

from __future__ import annotations

import collections.abc
import numbers
import os
import types
from collections.abc import Callable, Iterable
from typing import Any, Literal, Union, get_args, get_origin

_NAMES: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    os.PathLike: "a path",
    collections.abc.Mapping: "a dictionary",
    collections.abc.Sequence: "a list",
    collections.abc.Iterable: "a list",
    collections.abc.Callable: "a function",
    tuple: "a tuple",
    dict: "a dictionary",
    types.NoneType: "None",
}
_SCALARS: dict[Any, Callable[[object], bool]] = {
    object: lambda value: True,
    Any: lambda value: True,
    int: lambda value: isinstance(value, numbers.Integral) and not isinstance(value, bool),
    float: lambda value: isinstance(value, numbers.Real) and not isinstance(value, bool),
    None: lambda value: value is None,
}
_LISTS = (collections.abc.Sequence, collections.abc.Iterable)


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type. A list may be any collection but a text; elements are checked."""
    if hint in _SCALARS:
        return _SCALARS[hint](value)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin in _LISTS:
        return _is_list(value) and all(fits(one, inner[0]) for one in _elements(value))
    if origin is collections.abc.Mapping:
        return isinstance(value, collections.abc.Mapping) and all(
            fits(key, inner[0]) and fits(one, inner[1]) for key, one in value.items()
        )
    if origin is tuple and ... not in inner:
        parts = value if isinstance(value, tuple) else ()
        return len(parts) == len(inner) and all(map(fits, parts, inner))
    if origin is collections.abc.Callable:
        return callable(value)
    kind = origin or hint
    return not isinstance(kind, type) or isinstance(value, kind)


def expected(hint: Any) -> str:
    """The type in words: "a text, a path or a Fabric". That None is a default is not said."""
    names = [name for name in dict.fromkeys(_names(hint)) if name != "None"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def simpler(value: object, hint: Any) -> object:
    """What was probably meant: the number of a text, the words of a text; None if nothing fits."""
    if not isinstance(value, str):
        return None
    for read in (int, float, str.split):
        try:
            meant: object = read(value)
        except ValueError:
            continue
        if fits(meant, hint):
            return meant
    return None


def _names(hint: Any) -> Iterable[str]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return [name for one in inner for name in _names(one)]
    if origin is Literal:
        return map(repr, inner)
    if origin in _LISTS and inner:
        return [f"a list of {_plural(inner[0])}"]
    if origin is collections.abc.Mapping:
        of = "" if inner[1] is object else f" of {_plural(inner[1])}"
        return [f"a dictionary{of} with texts as keys"]
    if origin is tuple and ... not in inner:
        return [f"a tuple of {len(inner)} {_plural(inner[0])}"]
    kind = origin or hint
    return [_NAMES.get(kind, f"a {getattr(kind, '__name__', kind)}")]


def _plural(hint: Any) -> str:
    several = {"a whole number": "whole numbers", "True or False": "bools"}
    several |= {"a list of texts": "lists of texts"}
    names = (several.get(one, f"{one.partition(' ')[2]}s") for one in _names(hint))
    return " or ".join(names)


def _is_list(value: object) -> bool:
    """Whether it has elements and is neither a text nor a dictionary."""
    return isinstance(value, Iterable) and not isinstance(
        value, (str, bytes, os.PathLike, collections.abc.Mapping)
    )


def _elements(value: object) -> Iterable[object]:
    """Those that can be looked at without being used up."""
    return value if isinstance(value, collections.abc.Collection) else ()
