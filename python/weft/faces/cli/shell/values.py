"""Completions of a word on the command line, by the name of the option or argument."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from weft.base import catalog
from weft.knobs.knob import NAMED_GOALS
from weft.measure.testbed.kinds import TESTBEDS
from weft.operate.acceptance.causes import rules
from weft.runs.codes import codes
from weft.runs.glossary import terms
from weft.runs.meta import FILE_NAME

Words = Iterable[CompletionItem]
_LISTED = re.compile(r"[^(]*\((.+)\)$")
"""The words that a metavar lists."""
_OWN_PATHS = {"DIR": "dir", "FILE": "file"}


def complete(
    context: click.Context, parameter: click.Parameter, start: str
) -> list[CompletionItem]:
    """The words that begin with `start`; for a path, a marker that makes the shell complete it itself."""
    if find := _FINDERS.get(parameter.name or "") or _of_group(context, parameter):
        return list(find(start))
    if listed := _LISTED.match(parameter.metavar or ""):
        return list(_named(listed[1].split(", "), start))
    if kind := _OWN_PATHS.get(parameter.metavar or parameter.name or ""):
        return [CompletionItem(start, type=kind)]
    return []


def _of_group(context: click.Context, parameter: click.Parameter) -> Callable[[str], Words] | None:
    """NAME is a fabric after `weft fabric` and `weft cost`, and a machine after `weft machine`."""
    if parameter.name != "name":
        return None
    group = context.parent.info_name if context.parent else None
    return _FINDERS.get(group or "") or _FINDERS.get(context.info_name or "")


def _plans(start: str) -> Words:
    return _from_catalog("plan", start)


def _fabrics(start: str) -> Words:
    return _from_catalog("fabric", start)


def _machines(start: str) -> Words:
    return _from_catalog("machine", start)


def _from_catalog(kind: str, start: str, before: str = "") -> Words:
    """Names of the catalogue, or a file's path if it cannot be one of them."""
    found = list(_titled(catalog.titles(kind), start, before))
    return found or [CompletionItem(start, type="file")]


def _testbeds(start: str) -> Words:
    kind, colon, name = start.partition(":")
    if not colon:
        return _titled({f"{one.partition(':')[0]}:": text for one, text in TESTBEDS.items()}, start)
    if kind == "node":
        return _titled(catalog.placements(), name, "node:")
    return _from_catalog("fabric", name, f"{kind}:") if kind in ("lab", "sim", "vm") else []


def _codes(start: str) -> Words:
    """Codes of warnings and causes, knobs, and terms of one word."""
    found = catalog.titles("knob")
    found |= {one.term: one.means for one in terms() if " " not in one.term}
    found |= {rule.cause.code: rule.cause.title for rule in rules()}
    return _titled({one.code: one.means for one in codes()} | found, start)


def _runs(start: str) -> Words:
    """Run folders, and folders that may contain some, which end in a slash; starts at `runs`."""
    above = start[: start.rfind("/") + 1]
    if not start and Path("runs").is_dir():
        above = "runs/"
    for folder in _folders(Path(above or ".")):
        name = above + folder.name
        if name.startswith(start):
            yield CompletionItem(name if (folder / FILE_NAME).exists() else f"{name}/")


def _folders(above: Path) -> list[Path]:
    """Folders that are not hidden, sorted."""
    try:
        return sorted(one for one in above.iterdir() if one.is_dir() and one.name[0] != ".")
    except OSError:
        return []


def _named(names: Iterable[str], start: str) -> Words:
    return (CompletionItem(name) for name in names if name.startswith(start))


def _titled(titles: Mapping[str, str], start: str, before: str = "") -> Words:
    return (
        CompletionItem(before + name, help=title)
        for name, title in titles.items()
        if name.startswith(start)
    )


def _knobs(start: str) -> Words:
    """The last of several names separated by commas."""
    before, comma, last = start.rpartition(",")
    return _titled(catalog.titles("knob"), last, before + comma)


def _goals(start: str) -> Words:
    return [*_named(NAMED_GOALS, start), *_plans(start)]


_FINDERS: dict[str, Callable[[str], Words]] = {
    "plan": _plans,
    "testbed": _testbeds,
    "spec": _testbeds,
    "on": _testbeds,
    "fabric": _fabrics,
    "cost": _fabrics,
    "prices": lambda start: _from_catalog("price", start),
    "machine": _machines,
    "code": _codes,
    "knob": lambda start: _titled(catalog.titles("knob"), start),
    "knobs": _knobs,
    "goal": _goals,
    **dict.fromkeys(
        (
            "a",
            "against",
            "b",
            "folder",
            "predict",
            "resume",
            "run",
            "run_folder",
            "runs",
            "sources",
        ),
        _runs,
    ),
}
