"""Exceptions shown to the user. Each says what is wrong, where, and what would be right."""

from __future__ import annotations

from weft.base.printable import printable


class WeftError(Exception):
    """Base of all expected failures; `hint` says what would be right."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        message, hint = printable(message), printable(hint)
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")  # What Python prints below the message.


class RequestError(WeftError):
    """The request was wrong (a file, a key, a name, a unit), and nothing was started. Exit code 2."""

    exit_code = 2


class WorkError(WeftError):
    """The request was fine but the work failed. Exit code 1."""
