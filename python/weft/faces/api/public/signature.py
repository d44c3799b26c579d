"""Signatures as `help` prints them: an argument a line, with the words that a user types."""

from __future__ import annotations

import inspect

SHORT = 80
"""Characters of a signature that stays on one line."""


class ReadableSignature(inspect.Signature):
    """A signature whose text has no types, which the text below it explains, and breaks its lines."""

    def __str__(self) -> str:
        bare = [one.replace(annotation=inspect.Parameter.empty) for one in self.parameters.values()]
        text = str(inspect.Signature(bare))
        if len(text) <= SHORT:
            return text
        return _wrapped(text)

    def format(self, *, max_width: int | None = None) -> str:
        """The text, which has its own line ends: Python 3.13 and later ask for it by this name."""
        return str(self)


def readable(signature: inspect.Signature) -> ReadableSignature:
    """The same signature, for people."""
    return ReadableSignature(
        list(signature.parameters.values()), return_annotation=signature.return_annotation
    )


def _wrapped(text: str) -> str:
    lines, line = [], ""
    for word in text.removeprefix("(").removesuffix(")").split(", "):
        if line and len(line) + len(word) > SHORT:
            lines.append(line.rstrip())
            line = ""
        line += f"{word}, "
    return "\n    ".join(["(", *lines, line.removesuffix(", ")]) + "\n)"
