"""What a benchmark found beside its goals, saved as a small JSON file: `show.py` prints it, `page.py` counts it.

A file has `bench`, `goals` (each: `what`, `goal`, `measured`, `unit`, `met`, and `expected`, the reason, where a miss
is known), `machine`, `versions`, `date`, `commit` and `depends` (`depends.py`; older files lack it). `goal` and `met`
are null for a value that is only stated, `measured` and `met` for a goal that was not measured. Nothing is saved unless
the environment variable WEFT_BENCH_RESULTS names a folder, as `make bench` does: a shortened run must not replace a
full one.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from common.checkout import ROOT
from common.depends import digests
from common.machine import where
from weft import __version__

FOLDER_VARIABLE = "WEFT_BENCH_RESULTS"
_JUDGED: dict[tuple[str, str], list[Goal]] = {}
"""By bench and part."""


class KnownMiss(NamedTuple):
    """Why a goal is missed, and the worst value that this explains; None where chance has a part in it."""

    reason: str
    worst: float | None = None


@dataclass(frozen=True)
class Goal:
    """A measured value and the bounds that it should keep; None where there is no such bound, or no value."""

    what: str
    measured: float | None
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    expected: KnownMiss | None = None
    """Of a miss that is known; None where the goal is to be met."""

    @property
    def text(self) -> str | None:
        bounds = {"<=": self.at_most, ">=": self.at_least}
        said = [f"{sign} {bound:g}" for sign, bound in bounds.items() if bound is not None]
        return " and ".join(said) or None

    @property
    def is_met(self) -> bool | None:
        if self.measured is None or self.text is None:
            return None
        is_low_enough = self.at_most is None or self.measured <= self.at_most
        return bool(is_low_enough and (self.at_least is None or self.measured >= self.at_least))

    @property
    def reason(self) -> str:
        """Of a miss, or of one that was expected; empty where the value is worse than what is known."""
        if self.expected is None or self.measured is None:
            return ""
        worst, measured = self.expected.worst, rounded(self.measured)
        is_above = self.at_most is not None and measured > self.at_most
        is_new = worst is not None and (measured > worst if is_above else measured < worst)
        return "" if is_new and self.is_met is False else self.expected.reason

    def as_dict(self) -> dict[str, Any]:
        """As it is saved; `measured` has four significant digits."""
        measured = None if self.measured is None else rounded(self.measured)
        saved = {
            "what": self.what,
            "goal": self.text,
            "measured": measured,
            "unit": self.unit,
            "met": self.is_met,
        }
        return saved | ({"expected": self.reason} if self.reason else {})


def rounded(value: float) -> float:
    """To the digits that are saved."""
    return float(f"{value:.4g}")


def save(
    bench: str,
    goals: Sequence[Goal],
    part: str = "",
    versions: Mapping[str, str] | None = None,
    expected: Mapping[str, KnownMiss] = MappingProxyType({}),
) -> None:
    """Write the goals of a bench, or of a part of it that runs by itself, and say where.

    `versions` are those of the other programs that took part, `expected` what is known of misses by `what`.
    """
    goals = [replace(one, expected=one.expected or expected.get(one.what)) for one in goals]
    _JUDGED[bench, part] = goals
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder or not goals:
        return
    document = {
        "bench": bench,
        "goals": [goal.as_dict() for goal in goals],
        "machine": where(),
        "versions": {"weft": __version__, **(versions or {})},
        "date": date.today().isoformat(),
        "commit": _commit(),
        "depends": digests(bench),
    }
    path = Path(folder, f"{bench}-{part}.json" if part else f"{bench}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    print(f"saved as {path}", flush=True)


def unexpected() -> list[str]:
    """Goals that this process found to be missed without a reason, with what was measured."""
    found = [goal for goals in _JUDGED.values() for goal in goals]
    return [
        f"{goal.what}: {goal.measured:.4g} {goal.unit} ({goal.text})"
        for goal in found
        if goal.is_met is False and not goal.reason
    ]


def _commit() -> str:
    """Of the checkout; with a plus sign where files differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude", "*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
