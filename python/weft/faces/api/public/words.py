"""Messages of the command line in the words of a Python user: --out FILE is the argument `out`."""

from __future__ import annotations

import re
from collections.abc import Callable

_ARGUMENTS = {
    "set": "settings",
    "for": "goal",
    "time": "time_s",
    "limit": "limit_s",
    "patience": "patience_s",
    "congestor": "congestors",
    "service": "services",
    "knob": "knobs",
    "inflation": "inflation_pct",
    "size": "size_bytes",
    "change": "changes",
}
"""Arguments that are called otherwise than the option."""

_POSITIONAL = ("changes",)
"""Those that are given without their name."""

_RESUMED = {
    "run": "weft.open({!r}).resume()",
    "tune": "weft.resume_tuning({!r})",
    "accept": "weft.resume_acceptance({!r})",
}
_RESUME = re.compile(r"`weft (run|tune|accept) --resume ([^\s`]+)`")
_DECIDE = re.compile(r"`weft decide DESIGNS --out \S+ --resume`")
_RATE = re.compile(r"--rate (?P<of>[A-Z]+)=(?P<is>[\d.]+|[A-Z]+\b)")
_LEADING = re.compile(r"^--(?P<name>[a-z-]+) (?P<value>[^:,;]+(?::(?! )[^:;]*)*): ")
_OPTION = re.compile(
    r"--(?P<name>[a-z]+(?:-[a-z]+)*)"
    # A value is quoted, a testbed, or begins with no small letter, as words of the sentence do.
    r"""(?:\ (?P<value>'[^']*'|"[^"]*"|[a-z]+:[^\s;`)]*[^\s,;`)]"""
    r"|[^\s,;`).a-z](?:[^\s;`)]*[^\s,;`)])?))?"
)
_COMMAND = re.compile(r"(`weft [^`]*`)")


def in_python(text: str, names: frozenset[str]) -> str:
    """The text with those options that are arguments (`names`) of the function that was called, written as these.

    Commands in backquotes stay, but for those that resume something, which Python does by a call.
    """
    text = _RESUME.sub(lambda found: f"`{_RESUMED[found[1]].format(found[2])}`", text)
    text = _DECIDE.sub("`weft.decide(..., resume=True)`", text)
    parts = _COMMAND.split(text)
    return "".join(part if at % 2 else _outside(part, names) for at, part in enumerate(parts))


def _outside(text: str, names: frozenset[str]) -> str:
    argument = _argument(names)
    if "rates" in names:
        text = _RATE.sub(lambda found: f'rates={{"{found["of"]}": {found["is"]}}}', text)
        text = text.replace("--rate", "rates")
    text = _LEADING.sub(lambda found: argument(found) + ": ", text)
    return _OPTION.sub(argument, text)


def _argument(names: frozenset[str]) -> Callable[[re.Match[str]], str]:
    """Writes an option, with its value if it has one, as an argument."""

    def written(found: re.Match[str]) -> str:
        plain = found["name"].replace("-", "_")
        name = _ARGUMENTS.get(plain, plain)
        if name not in names:
            return found[0]
        value = found["value"]
        if value is None:
            return f"`{name}`"
        return _literal(value) if name in _POSITIONAL else f"{name}={_literal(value)}"

    return written


def _literal(value: str) -> str:
    """A value as Python has it: numbers, names for values (FILE) and quoted texts as they are."""
    is_plain = re.fullmatch(r"-?[\d.]+|[A-Z]+|'.*'|\".*\"", value)
    return value if is_plain else repr(value)
