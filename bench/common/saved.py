"""Results that benches saved (`results.py` has their format)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from common.checkout import ROOT
from common.depends import changed

FOLDER = ROOT / "bench" / "results"

Document = dict[str, Any]
Goal = dict[str, Any]


def documents(folder: Path = FOLDER) -> list[Document]:
    """Sorted by bench and part."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def of_bench(name: str, all_of_them: Iterable[Document]) -> list[Document]:
    return [one for one in all_of_them if one["bench"] == name]


def stale(document: Document) -> str:
    """What is stale about a result; empty where nothing is."""
    parts = changed(str(document["bench"]), document.get("depends"))
    if not parts:
        return ""
    return f"stale: {', '.join(parts)} changed since" if "depends" in document else "stale"


def verdict(goal: Goal) -> str:
    """`met`, `expected` (a miss with its reason), `MISSED`, or empty for what has no goal or was not measured."""
    if goal["met"] is None:
        return ""
    if goal["met"]:
        return "met"
    return "expected" if goal.get("expected") else "MISSED"


def verdicts(found: Iterable[Document]) -> list[str]:
    """Of all goals."""
    return [said for one in found for goal in one["goals"] if (said := verdict(goal))]
