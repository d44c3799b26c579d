"""A twin on a terminal: its numbers, its errors, what it does not know."""

from __future__ import annotations

from rich.console import Console

from weft.cli.tables.layout import plain_table, terminal, titled
from weft.nodeset import fold
from weft.quantity import number
from weft.twin.twin import HeldOut, Parameter, Twin, held_text


def print_twin(folder: str, twin: Twin) -> None:
    """All of it; the verdict last."""
    console = terminal(soft_wrap=True)
    console.print(f"{folder}: {len(twin.nodes)} hosts, {fold(twin.nodes)}, from {twin.testbed}")
    known = [one for one in twin.parameters if one.is_identified]
    rows = [[one.name, *_interval(one), one.why] for one in known]
    table = plain_table("", "median", "low", "high", "unit", "", rows=rows)
    table.columns[0].header, table.columns[0].justify = "parameter", "left"
    titled(console, "Known, with 90 % intervals", table)
    _print_unknown(console, [one for one in twin.parameters if not one.is_identified])
    _print_held_out(console, twin.held_out)
    for warning in twin.warnings:
        console.print(f"warning: {warning}")
    console.print(f"\n{twin.verdict}")


def _interval(one: Parameter) -> list[str]:
    return [number(one.median), number(one.low), number(one.high), one.unit]


def _print_unknown(console: Console, unknown: list[Parameter]) -> None:
    if unknown:
        titled(console, "Not known", *(f"{one.name}: {one.why}" for one in unknown))


def _print_held_out(console: Console, patterns: list[HeldOut]) -> None:
    if not patterns:
        return
    rows = [
        [
            one.pattern,
            str(one.phases),
            f"{100 * one.rate_error:+.1f} %",
            held_text(one.rate_held),
            f"{100 * one.time_error:+.1f} %",
            held_text(one.time_held),
        ]
        for one in patterns
    ]
    table = plain_table("", "phases", "rate", "", "slowest flow's time", "", rows=rows)
    titled(console, "Measured over predicted, each pattern by what fits all others", table)
