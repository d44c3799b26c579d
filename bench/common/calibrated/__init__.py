"""The cases of `calibration.py`, a file for each room of weft that states probabilities."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from common.case import Case


def cases() -> dict[str, list[Case]]:
    """By the file that has them."""
    names = sorted(one.name for one in iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}").CASES for name in names}
