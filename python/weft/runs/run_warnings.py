"""Warnings of all runs behind a result: where each comes from, and which put a verdict in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from weft.base.alike import listed
from weft.runs.meta import RunMeta, Warning

if TYPE_CHECKING:  # shell completion should not load arrays
    from weft.runs.folder import RunFolder

DOUBTS = {
    "disturbed": "launches were disturbed",
    "lab-late": "frames left the lab late",
    "lab-busy": "the lab had no time to spare",
    "lab-overloaded": "the lab's scale was more than this machine carries",
    "guest-busy": "virtual machines were busy",
    "guest-steal": "virtual machines waited for a processor",
    "emulated": "processors were emulated",
    "drift": "times drifted",
    "other-traffic": "there was other traffic",
    "held-up": "nodes held others up",
    "generator-late": "requests were sent late",
    "settings-changed": "settings changed meanwhile",
    "damaged": "samples are missing",
    "phases-incomplete": "phases are missing",
}
"""Warnings after which numbers may not be those of the object measured, and the reason."""

MOST_NAMED = 6
_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?:,\d{3})*(?:\.\d+)?(?![.:/-]?\w)")
"""A number that stands alone; one within a node's name, a path or an address is an identifier."""


class RunWarning(Struct, frozen=True):
    """A warning, with the folder of its run."""

    code: str
    message: str
    hint: str = ""
    run: str = ""


def gathered(told: Iterable[tuple[str, Iterable[Warning]]]) -> tuple[RunWarning, ...]:
    """The warnings of all named sources."""
    return tuple(
        RunWarning(one.code, one.message, one.hint, name) for name, some in told for one in some
    )


def of_runs(runs: Iterable[RunFolder]) -> tuple[RunWarning, ...]:
    """The warnings of these runs."""
    return gathered((str(run.directory), run.meta.warnings) for run in runs)


def of_folders(folders: Iterable[Path | str]) -> tuple[RunWarning, ...]:
    """The warnings of run folders; raises RequestError if one is no run."""
    return gathered((str(one), RunMeta.read(Path(one)).warnings) for one in folders)


def said(warnings: Sequence[RunWarning]) -> list[Warning]:
    """Warnings of several runs, each once, with count and names of runs; if numbers differ, with their minimum and
    maximum."""
    names = _names(warnings)
    groups: dict[tuple[str, str], list[RunWarning]] = {}
    for one in warnings:
        groups.setdefault((one.code, _NUMBER.sub("#", one.message)), []).append(one)
    return [Warning(one[0].code, _message(one, names), one[0].hint) for one in groups.values()]


def lines(warnings: Sequence[RunWarning]) -> list[str]:
    """Warnings of several runs as lines of text, each once."""
    return [
        f"{one.message}{f' ({one.hint})' if one.hint else ''} [{one.code}]"
        for one in said(warnings)
    ]


def doubts(warnings: Sequence[RunWarning]) -> tuple[str, ...]:
    """Why results that depend on these runs are in doubt; empty if they are not."""
    names = _names(warnings)
    return tuple(
        f"{why} ({_where(code, _listed([one for one in warnings if one.code == code], names))})"
        for code, why in DOUBTS.items()
        if any(one.code == code for one in warnings)
    )


def _where(code: str, runs: str) -> str:
    return f"{code} in {runs}" if runs else code


def in_doubt(verdict: str, why: Iterable[str]) -> str:
    """A verdict in a sentence, with the doubts that must accompany it."""
    return "; ".join([verdict, *(f"in doubt: {text}" for text in why)])


def _message(alike: Sequence[RunWarning], names: dict[str, str]) -> str:
    where, runs = _listed(alike, names), len({one.run for one in alike})
    text = _merged([one.message for one in alike])
    if runs == 1:
        return f"{where}: {text}" if where else text
    return f"{runs} runs ({where}): {text}"


def _merged(messages: Sequence[str]) -> str:
    """One text for messages that differ only in numbers."""
    numbers = zip(*(_NUMBER.findall(one) for one in messages), strict=True)
    merged = (_span(set(values)) for values in numbers)
    return _NUMBER.sub(lambda _: next(merged), messages[0])


def _span(values: set[str]) -> str:
    least, *between = sorted(values, key=lambda one: float(one.replace(",", "")))
    return f"{least} to {between[-1]}" if between else least


def _listed(warnings: Sequence[RunWarning], names: dict[str, str]) -> str:
    return listed(list(dict.fromkeys(names[one.run] for one in warnings)), MOST_NAMED)


def _names(warnings: Sequence[RunWarning]) -> dict[str, str]:
    """Short names of folders: their last components, if these are unique."""
    folders = dict.fromkeys(one.run for one in warnings)
    short = {one: Path(one).name or one for one in folders}
    return short if len(set(short.values())) == len(short) else {one: one for one in folders}
