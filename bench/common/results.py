"""What a benchmark found beside its goals, saved as a small JSON file from which `page.py` makes docs/benchmarks.md.

A file has `bench`, `goals` (each: `what`, `goal`, `measured`, `unit`, `met`), `machine`, `versions`, `date`,
`commit` and `depends` (`depends.py`; older files lack it). `goal` and `met` are null for a value that is only stated,
`measured` and `met` for a goal that was not measured. Nothing is saved unless the environment variable
WEFT_BENCH_RESULTS names a folder, as `make bench` does: a shortened run must not replace a full one.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from common.depends import ROOT, digests
from common.machine import where
from weft import __version__

FOLDER_VARIABLE = "WEFT_BENCH_RESULTS"


@dataclass(frozen=True)
class Goal:
    """A measured value and the bounds that it should keep; None where there is no such bound, or no value."""

    what: str
    measured: float | None
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

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

    def as_dict(self) -> dict[str, Any]:
        """As it is saved; `measured` has four significant digits."""
        measured = None if self.measured is None else float(f"{self.measured:.4g}")
        return {
            "what": self.what,
            "goal": self.text,
            "measured": measured,
            "unit": self.unit,
            "met": self.is_met,
        }


def save(
    bench: str, goals: Sequence[Goal], part: str = "", versions: Mapping[str, str] | None = None
) -> None:
    """Write the goals of a bench, or of a part of it that runs by itself, and say where.

    `versions` are those of the other programs that took part.
    """
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


def _commit() -> str:
    """Of the checkout; with a plus sign where files differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude", "*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
