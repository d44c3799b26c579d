"""Constants that are set to another value while a process answers cases."""

from __future__ import annotations

import ast
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from math import floor
from pathlib import Path
from types import FrameType, ModuleType

import numpy as np

from common.sensitive.answer import Answer, Ask
from common.sensitive.constants import NamedNumber

MOST_S = 20
"""Of processor time for a case: a search that takes longer is another one."""

DECIMAL = re.compile(r"\d+\.\d+(?:e-?\d+)?")


@dataclass(frozen=True)
class Variation:
    """A constant times a factor."""

    constant: NamedNumber
    factor: float

    def first_other(self, asked: Sequence[Ask], usual: Sequence[Answer]) -> int | None:
        """The first case whose answer differs; None where none does. The process is used up by that."""
        self._apply()
        for number, (ask, before) in enumerate(zip(asked, usual, strict=True)):
            if answered(ask) != before:
                return number
        return None

    def _apply(self) -> None:
        """In the module, in those that import it from there, and in what they compute from it when they are loaded."""
        module, name = sys.modules[self.constant.module], self.constant.name
        left = [(module, name, _times(getattr(module, name), self.factor))]
        while left:
            module, name, value = left.pop()
            setattr(module, name, value)
            left += [(user, name, value) for user in _importing(module.__name__, name)]
            for follows, expression in _computed(module, name):
                left.append((module, follows, eval(expression, vars(module))))


def answered(ask: Ask) -> Answer:
    """What a case says; how it fails where it does."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
    try:
        wrong, said = ask()
        return Answer(wrong, DECIMAL.sub(_rounded, said))
    except Exception as error:  # Whatever a value breaks is an effect of it.
        return Answer(-1, type(error).__name__)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _rounded(number: re.Match[str]) -> str:
    """To two digits, times of a clock to a second: what moves by less is the same finding."""
    value = float(number[0])
    return f"{value:.2g}" if value < 1e6 else f"{value:.0f}"


def _stop(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def _times(value: object, factor: float) -> object:
    """Whole numbers stay whole, and above zero."""
    match value:
        case tuple():
            return tuple(_times(one, factor) for one in value)
        case dict():
            return {key: _times(one, factor) for key, one in value.items()}
        case int():
            return max(1, floor(value * factor))
        case float() | np.ndarray():
            return value * factor
        case str():
            return value
        case _ if is_dataclass(value) and not isinstance(value, type):
            each = {one.name: _times(getattr(value, one.name), factor) for one in fields(value)}
            return replace(value, **each)
    raise TypeError(f"{value!r} cannot be varied")


@cache
def sources() -> dict[str, str]:
    """Of all loaded modules of weft: read once, before processes are forked."""
    files = {key: str(getattr(one, "__file__", "")) for key, one in [*sys.modules.items()]}
    return {
        key: Path(file).read_text()
        for key, file in files.items()
        if key.startswith("weft.") and file.endswith(".py")
    }


def _importing(module: str, name: str) -> list[ModuleType]:
    """The loaded modules that have a name from a module."""
    users = [key for key, text in sources().items() if name in text and module in text]
    return [sys.modules[key] for key in users if _has(sources()[key], module, name)]


def _has(text: str, module: str, name: str) -> bool:
    froms = (one for one in ast.parse(text).body if isinstance(one, ast.ImportFrom))
    return any(
        one.module == module and any(alias.name == name for alias in one.names) for one in froms
    )


def _computed(module: ModuleType, name: str) -> list[tuple[str, str]]:
    """Names in capitals that a module computes from another one, with their expressions."""
    return [
        (node.targets[0].id, ast.unparse(node.value))
        for node in ast.parse(sources()[module.__name__]).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id.isupper()
        and any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node.value))
    ]
