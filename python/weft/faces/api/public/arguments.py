"""The arguments of a call from Python, checked against the types that the function declares."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from weft.base.errors import ArgumentError
from weft.base.result import Said
from weft.faces.api.public.types import expected, fits, simpler

LONGEST = 60
"""The most characters of a wrong value that a message quotes."""

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Arguments:
    """What a function takes. Types are evaluated at its first call, which keeps `import weft` quick."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._parameters = dict(inspect.signature(function).parameters)
        self.names = frozenset(self._parameters)
        """The names of its arguments."""
        self._shown = f"weft.{function.__name__}" if not self._is_method else function.__name__

    def check(self, given: Sequence[object], named: Mapping[str, object]) -> None:
        """Raise ArgumentError if an argument is unknown, missing, given twice, or of another type."""
        self._refuse_unknown(named)
        self._refuse_missing(given, named)
        try:
            bound = inspect.signature(self._function).bind(*given, **named)
        except TypeError as error:
            raise ArgumentError(f"{self._shown}: {error}", self._help) from None
        for name, value in bound.arguments.items():
            parameter = self._parameters[name]
            several = parameter.kind is inspect.Parameter.VAR_POSITIONAL
            for one in value if several else [value]:
                self._check_type(name, one)

    def _check_type(self, name: str, value: object) -> None:
        hint = self._types[name]
        if value is self._parameters[name].default:
            return
        if not fits(value, hint):
            meant = simpler(value, hint)
            raise ArgumentError(
                f"{self._shown}: {name} must be {expected(hint)}, and is {_shown(value)}",
                self._help if meant is None else f"give {name}={meant!r}",
            )
        if isinstance(value, float) and math.isnan(value):
            raise ArgumentError(f"{self._shown}: {name} is not a number (nan)", self._help)

    def _refuse_unknown(self, named: Mapping[str, object]) -> None:
        unknown = [name for name in named if name not in self._parameters]
        if unknown:
            near = difflib.get_close_matches(unknown[0], self._names_to_give, n=1)
            guess = f"did you mean {near[0]}?" if near else self._help
            raise ArgumentError(f"{self._shown}: there is no argument {unknown[0]}", guess)

    def _refuse_missing(self, given: Sequence[object], named: Mapping[str, object]) -> None:
        needed = [
            name
            for at, (name, one) in enumerate(self._parameters.items())
            if one.default is inspect.Parameter.empty
            and one.kind is not inspect.Parameter.VAR_POSITIONAL
            and name not in named
            and not (one.kind in _POSITIONAL and at < len(given))
        ]
        if needed:
            is_or_are = "is" if len(needed) == 1 else "are"
            raise ArgumentError(
                f"{self._shown}: {' and '.join(needed)} {is_or_are} missing", self._help
            )

    @property
    def _help(self) -> str:
        name = self._function.__qualname__ if self._is_method else self._function.__name__
        return f"help(weft.{name}) explains its arguments"

    @property
    def _names_to_give(self) -> list[str]:
        return [name for name in self._parameters if name != "self"]

    @property
    def _is_method(self) -> bool:
        return "self" in self._parameters

    @cached_property
    def _types(self) -> Mapping[str, object]:
        """The declared types; `object` for one that only type checkers know."""
        return {name: self._evaluated(one.annotation) for name, one in self._parameters.items()}

    def _evaluated(self, annotation: Any) -> Any:
        if annotation is inspect.Parameter.empty:
            return object
        try:
            return eval(annotation, self._function.__globals__)
        except NameError:
            return object


def _shown(value: object) -> str:
    """Such as "None", "the int 3", "the text '0.1'", "the Run"; cut to a line."""
    if isinstance(value, Said):
        return f"the {type(value).__name__}"
    text = repr(value)
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    kind = "text" if isinstance(value, str) else type(value).__name__
    return text if value is None else f"the {kind} {text}"
