"""An acceptance on a terminal: the verdict first, then what is wrong, then all requirements."""

from __future__ import annotations

from collections.abc import Sequence

from weft.acceptance.decide import text_of
from weft.acceptance.verdict import Acceptance, Cause, Symptom, Verdict
from weft.api.accept import HEADINGS
from weft.cli.tables.layout import terminal, titled
from weft.nodeset import fold

MOST_CAUSES = 3


def print_acceptance(found: Acceptance) -> None:
    """All of it."""
    console = terminal(soft_wrap=True)
    counts = [
        f"{count} {status}"
        for status in ("met", "not met", "not decided")
        if (count := sum(one.status == status for one in found.verdicts))
    ]
    console.print(
        f"{found.testbed}: {HEADINGS[found.passed]} ({', '.join(counts)}), {len(found.nodes)} nodes, "
        f"{found.elapsed_s:.0f} s",
        style="bold",
    )
    console.print(f"required: {found.expected_from}", style="dim")
    for verdict in found.verdicts:
        if verdict.status != "met":
            titled(
                console,
                f"{verdict.status}: {verdict.title} [{verdict.requirement}]",
                *_lines(verdict),
            )
    titled(console, "all requirements, with the worst that was measured", *_rows(found.verdicts))


def _rows(verdicts: Sequence[Verdict]) -> list[str]:
    width = max(len(one.title) for one in verdicts)
    rows = [f"  {one.status:<11}  {one.title:<{width}}  {_measured(one)}" for one in verdicts]
    return [row.rstrip() for row in rows]


def _lines(verdict: Verdict) -> list[str]:
    lines = [f"  {_symptom(one)}" for one in verdict.symptoms]
    lines += [f"    {line}" for line in verdict.evidence]
    for number, cause in enumerate(verdict.causes[:MOST_CAUSES], 1):
        lines += _cause(number, cause)
    if verdict.would_decide:
        lines.append(f"  would decide it: {verdict.would_decide}")
    return lines


def _symptom(one: Symptom) -> str:
    nodes = fold(one.nodes)
    where = one.element if nodes in one.element else f"{one.element} ({nodes})"
    return f"{one.kind}: {where}"


def _cause(number: int, cause: Cause) -> list[str]:
    return [
        f"    {number}. {cause.title}: {cause.text}",
        f"       check: {cause.check}",
        f"       remedy: {cause.remedy}",
    ]


def _measured(one: Verdict) -> str:
    return text_of(one.measured, one.unit) if one.measured else ""
