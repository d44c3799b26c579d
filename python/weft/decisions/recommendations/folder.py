"""The folder of recommendations: recommendations.json, and a readable summary."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.decisions.recommendations.action import Action
from weft.decisions.recommendations.recommendations import SCHEMA, RecommendationList
from weft.decisions.recommendations.words import action_text, check_text
from weft.measure.execute.gate import refuse_other_owner
from weft.runs.run_warnings import lines
from weft.runs.work_document import WorkDocument, write

SUMMARY_NAME = "summary.md"
RECOMMENDATIONS = WorkDocument("recommendations.json", RecommendationList, "weft recommend", SCHEMA)


def write_folder(found: RecommendationList, folder: Path) -> None:
    """Write both files; raises WorkError if that fails."""
    RECOMMENDATIONS.write(folder, found)
    write(folder / SUMMARY_NAME, ("\n".join(summary(found, str(folder))) + "\n").encode())


def read_folder(folder: Path) -> RecommendationList:
    """Read what `write_folder` wrote; raises RequestError, also if the folder belongs to another user, because its
    testbed is opened."""
    found = RECOMMENDATIONS.read(folder)
    refuse_other_owner(folder / RECOMMENDATIONS.name)
    return found


def summary(found: RecommendationList, folder: str = "DIR") -> Iterator[str]:
    """A summary in Markdown that is also readable as plain text."""
    yield f"# {found.verdict}"
    if found.twin:
        yield f"\nEffects are on the plan {found.workload}, as {found.twin} predicts them."
    for title, actions in (("To do", found.actions), ("Not to do", found.against)):
        if actions:
            yield f"\n## {title}\n"
        for number, one in enumerate(actions, 1):
            yield f"{number}. {action_text(one)}"
            yield from (f"   {line}" for line in details(one, folder))
    yield "\n## What was read\n"
    yield from (f"- {one.path}: {one.said}" for one in found.read)
    yield from (f"- {note}" for note in found.notes)
    yield from (f"- warning: {line}" for line in lines(found.warnings))


def details(one: Action, folder: str = "DIR") -> Iterator[str]:
    """The cost, the evidence and the checks of an action."""
    if one.kind != "do-nothing":
        yield f"- {one.kind}, {one.effort} [{one.id}]"
    yield from (f"- because: {each.text} ({each.source})" for each in one.evidence)
    yield from (f"- do: `{command}`" for command in one.commands)
    if one.changes:
        yield f"- as a change of the network: {', '.join(f'`{text}`' for text in one.changes)}"
    if one.checks and one.kind != "do-nothing":
        yield f"- verify afterwards: `weft verify {folder} {one.id}` ({'; '.join(map(check_text, one.checks))})"
