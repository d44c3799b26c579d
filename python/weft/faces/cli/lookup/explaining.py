"""`weft explain`: what a warning's code, a knob or a term means."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from fnmatch import fnmatchcase

import click
from rich.console import Console

from weft.base.errors import RequestError
from weft.faces.cli.error_pages import local_page
from weft.faces.cli.output import json_option, print_json
from weft.faces.cli.tables.layout import terminal, titled
from weft.knobs.catalog import knobs
from weft.knobs.described import described
from weft.knobs.knob import Knob
from weft.operate.acceptance.causes import rules
from weft.operate.acceptance.requirements import KINDS
from weft.runs.codes import Code, codes, explained
from weft.runs.glossary import Term, terms

LATENCY = "latency.*"
"""The keys of [latency] are message sizes: "latency.1 B"."""


@click.command(epilog="Example: weft explain half-power size")
@click.argument("code", metavar="[CODE|KNOB|TERM]", nargs=-1)
@json_option
def explain(code: tuple[str, ...], as_json: bool) -> None:
    """Explain a CODE of a warning, a KNOB or a TERM; or list all.

    Findings of `weft check`, causes of `weft diagnose`, and causes and requirements of `weft accept` have codes, too.
    Terms are those of tables and JSON.
    """
    name = " ".join(code)
    found_codes = [*explained(name), *causes(name), *requirements(name)] if code else _all_codes()
    found_terms = [one for one in terms() if not code or one.is_called(name)]
    found_knobs = [one for one in knobs().values() if name in ("", one.name)]
    if not found_codes and not found_terms and not found_knobs:
        raise RequestError(f"{name}: no such code, knob or term", _nearest(name))
    if as_json:
        print_json({"codes": found_codes, "knobs": found_knobs, "terms": found_terms})
        return
    console = terminal(soft_wrap=True)
    if code:
        _print_found(console, name, found_codes, found_terms)
        _print_knobs(console, found_knobs)
    else:
        _print_all(console, found_codes, found_terms)


def causes(code: str | None = None) -> list[Code]:
    """Causes that `weft accept` names, as codes; the one with this code, or all."""
    return [
        Code(
            one.code,
            f"{one.title}. {one.text}",
            f"Check: {one.check} Then: {one.remedy}",
            "Likely causes that `weft accept` names",
        )
        for one in (rule.cause for rule in rules())
        if code in (None, one.code)
    ]


DECIDERS = {
    "check": "`weft check` decides it",
    "pairs": "all pairs once, and suspects again, alone, decide it",
    "limits": "a search for limits inside the network (`weft run xray`) decides it",
    "bisection": "random bisections decide it",
    "all-to-all": "an all-to-all in phases decides it",
}
"""By the measurement that decides a requirement."""


def requirements(key: str | None = None) -> list[Code]:
    """The keys of requirements that `weft accept` judges, as codes; those with this key, or all."""
    return [
        Code(
            name,
            f"Required: {one.title.format(limit='the limit')}; {DECIDERS[one.source]}.",
            "See `weft accept --help`; a file for --expect sets the limit.",
            "Requirements that `weft accept` judges",
        )
        for name, one in ((LATENCY if k == "latency" else k, one) for k, one in KINDS.items())
        if key is None or fnmatchcase(key, name)
    ]


def _all_codes() -> list[Code]:
    return [*codes(), *causes(), *requirements()]


def _nearest(name: str) -> str:
    known = {*knobs(), *(one.code for one in _all_codes())}.union(*(one.names for one in terms()))
    near = difflib.get_close_matches(name.casefold(), sorted(known), cutoff=0.7)
    guess = f"did you mean {' or '.join(near)}? " if near else ""
    return f"{guess}`weft explain` lists all"


def _print_found(console: Console, name: str, codes: Sequence[Code], terms: Sequence[Term]) -> None:
    for code in codes:
        console.print(f"{name}: {code.where}", style="bold")
        console.print(f"  {code.means}")
        console.print(f"  What to do: {code.do}")
    for term in terms:
        console.print(term.term, style="bold")
        console.print(f"  {term.means}")
        if page := local_page(term.page):
            console.print(f"  More: {page}")


def _print_knobs(console: Console, found: Sequence[Knob]) -> None:
    for knob in found:
        console.print(f"{knob.name}: {knob.title}", style="bold")
        for name, text in described(knob).items():
            console.print(f"  {name + ':':<12} {text}")


def _print_all(console: Console, codes: Sequence[Code], terms: Sequence[Term]) -> None:
    for where in dict.fromkeys(one.where for one in codes):
        mine = [one for one in codes if one.where == where]
        width = max(len(one.code) for one in mine)
        titled(console, where, *(f"  {one.code:<{width}}  {one.means}" for one in mine))
    titled(console, "Knobs", f"  {', '.join(knobs())}")
    titled(console, "Terms", f"  {', '.join(one.term for one in terms)}")
