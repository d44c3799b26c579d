"""Exceptions shown to the user. Each says what is wrong, where, and what would be right."""

from __future__ import annotations

from weft.base.printable import printable


class WeftError(Exception):
    """Base of all expected failures; `hint` says what would be right. `str` has both, as Python prints them."""

    __module__ = "weft"  # Where it is public: tracebacks say weft.WeftError.

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        message, hint = printable(message), printable(hint)
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class RequestError(WeftError):
    """The request was wrong (a file, a key, a name, a unit), and nothing was started. Exit code 2."""

    __module__ = "weft"

    exit_code = 2


class WorkError(WeftError):
    """The request was fine but the work failed. Exit code 1."""

    __module__ = "weft"


class ArgumentError(RequestError, TypeError):
    """A call from Python was wrong: an argument is missing, unknown, or of another type."""

    __module__ = "weft"


def message_of(error: BaseException) -> str:
    """What went wrong, without the hint."""
    return error.message if isinstance(error, WeftError) else str(error)
