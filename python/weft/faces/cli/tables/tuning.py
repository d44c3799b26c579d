"""A tuning on a terminal: the verdict, each recommendation with its evidence, then what made no difference."""

from __future__ import annotations

from itertools import groupby

from weft.base.nodeset import fold
from weft.faces.cli.tables.layout import drawn, terminal, titled
from weft.faces.cli.tables.run_warnings import print_run_warnings
from weft.knobs.recommendation import at_least_text, times_text
from weft.operate.tuning.choice import SkippedKnob
from weft.operate.tuning.foresee import Foreseen
from weft.operate.tuning.tables import candidates_table
from weft.operate.tuning.tuning import TuningResult


def print_tuning(found: TuningResult) -> None:
    """Print a tuning."""
    console = terminal(soft_wrap=True)
    console.print(f"{found.testbed}, {found.goal}: {found.verdict}", style="bold")
    for note in found.notes:
        console.print(note)
    if found.effect and len(found.recommendations) > 1:
        console.print(f"all together: {at_least_text(found.effect)}")
    if found.recommendations:
        console.print(found.how_sure, style="dim")
    console.print(f"path: {found.first_look.text}", style="dim")
    for text in found.first_look.limits.values():
        console.print(f"limited by: {text}", style="dim")
    for one in found.recommendations:
        text, *lines = one.lines()
        titled(console, text, *lines)
    if found.applied:
        titled(console, "set, until `weft tune --undo`", *(f"  {one}" for one in found.applied))
    lost = [one for one in found.raced if not one.won]
    if lost:
        table = candidates_table(lost, baselines=False)
        confirmed = [
            f"  {each.name}, confirmation: {times_text(each.ratio)}"
            for one in lost
            for each in one.result.confirmations
        ]
        titled(console, "did not matter", drawn(table, console.width), *confirmed)
    if found.skipped:
        titled(console, "left alone", *_skipped(found.skipped))
    print_run_warnings(console, found.warnings)


def _skipped(skipped: tuple[SkippedKnob, ...]) -> list[str]:
    ordered = sorted(skipped, key=lambda one: one.why)
    return [
        f"  {why}: {', '.join(one.knob for one in alike)}"
        for why, alike in groupby(ordered, key=lambda one: one.why)
    ]


def print_foreseen(found: Foreseen) -> None:
    """Print what would be tried, in which order, with which values, and how it would be reverted."""
    console = terminal(soft_wrap=True)
    console.print(
        f"{found.testbed}, {found.goal}: {fold(found.nodes)}, {len(found.choices)} races in "
        f"{found.time_s / 60:.3g} min at most; nothing was changed",
        style="bold",
    )
    for note in found.notes:
        console.print(note)
    console.print("order without evidence; what a first look finds comes first", style="dim")
    for number, choice in enumerate(found.choices, 1):
        titled(console, f"{number}. {choice.name}")
        for name in choice.knobs:
            console.print(f"   {name}: {found.values[name]}", soft_wrap=True)
            console.print(f"     may disturb: {found.disturbs[name]}", soft_wrap=True)
            console.print(f"     undo: {found.undo[name]}", soft_wrap=True)
    if found.skipped:
        titled(console, "would be left alone", *_skipped(found.skipped))
