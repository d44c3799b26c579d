"""A function as `import weft` offers it: its arguments checked, its errors public and in Python's words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from weft.base.errors import RequestError, WeftError, WorkError
from weft.faces.api.public.arguments import Arguments
from weft.faces.api.public.signature import readable
from weft.faces.api.public.words import in_python

P = ParamSpec("P")
T = TypeVar("T")

_PUBLIC = (RequestError, WorkError)


def public(function: Callable[P, T]) -> Callable[P, T]:
    """The function behind a check of its arguments, whose errors name arguments and not options of commands."""
    arguments = Arguments(function)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        arguments.check(args, kwargs)
        try:
            return function(*args, **kwargs)
        except WeftError as error:
            raise _spoken(error, arguments.names).with_traceback(error.__traceback__) from None

    called.__signature__ = readable(inspect.signature(function))  # type: ignore[attr-defined]
    return called


def _spoken(error: WeftError, names: frozenset[str]) -> WeftError:
    """The error as one of the public classes; itself if there is nothing to say otherwise."""
    message, hint = (in_python(text, names) for text in (error.message, error.hint))
    kind = next((one for one in _PUBLIC if isinstance(error, one)), WeftError)
    is_public = type(error).__module__ == "weft"
    if is_public and (message, hint) == (error.message, error.hint):
        return error
    return (type(error) if is_public else kind)(message, hint)
