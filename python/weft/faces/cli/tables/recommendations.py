"""Recommendations on a terminal: the verdict, then each with its cost and evidence."""

from __future__ import annotations

from weft.decisions.recommendations.folder import details
from weft.decisions.recommendations.recommendations import RecommendationList
from weft.decisions.recommendations.words import action_text
from weft.faces.cli.tables.layout import terminal, titled
from weft.faces.cli.tables.run_warnings import print_run_warnings


def print_recommendations(found: RecommendationList, folder: str | None) -> None:
    """Print recommendations; `folder` is where they were written, if they were."""
    console = terminal(soft_wrap=True)
    console.print(found.verdict, style="bold")
    if found.twin:
        console.print(
            f"effects are on the plan {found.workload}, as {found.twin} predicts them", style="dim"
        )
    for title, actions in (("to do", found.actions), ("not to do", found.against)):
        if actions:
            titled(console, title)
        for number, one in enumerate(actions, 1):
            console.print(f"{number}. {action_text(one)}")
            for line in details(one, folder or "DIR"):
                console.print(f"   {line.removeprefix('- ')}", style="dim")
    titled(console, "read", *(f" {one.path}: {one.said}" for one in found.read))
    for note in found.notes:
        console.print(f" {note}")
    print_run_warnings(console, found.warnings)
