"""Change-point detectors with their usual settings: how many changes each finds in a series."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

from weft.base.statistics import Floats

Detector = Callable[[list[Floats]], list[int]]

_OTAVA = """
import json, sys
from otava.analysis import compute_change_points
print(json.dumps([len(compute_change_points(one)[0]) for one in json.load(sys.stdin)]))
"""
_OTAVA_VERSION = "from importlib.metadata import version; print(version('apache-otava'))"


def ruptures(many: list[Floats]) -> list[int]:
    """PELT, cost l2, penalty 2 variance log n."""
    return [_pelt(one) for one in many]


def _pelt(values: Floats) -> int:
    penalty = 2 * np.var(np.diff(values)) / 2 * np.log(len(values))
    pelt = import_module("ruptures").Pelt(model="l2", jump=4, min_size=4)
    return len(pelt.fit(values).predict(penalty)) - 1


def otava(python: Path) -> Detector:
    """By the interpreter of an environment that has it: it pins another numpy than weft does."""

    def count(many: list[Floats]) -> list[int]:
        return list(json.loads(_answer(python, _OTAVA, json.dumps([one.tolist() for one in many]))))

    return count


def otava_version(python: Path) -> str:
    """What that environment has."""
    return _answer(python, _OTAVA_VERSION).strip()


def _answer(python: Path, program: str, given: str = "") -> str:
    command = [str(python), "-c", program]
    return subprocess.run(
        command, input=given, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
