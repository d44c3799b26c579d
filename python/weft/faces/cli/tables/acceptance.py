"""An acceptance on a terminal: the verdict, all requirements, then each fault with its likely causes."""

from __future__ import annotations

from weft.base.nodeset import fold
from weft.faces.cli.tables.layout import drawn, titled, wide_terminal
from weft.faces.cli.tables.run_warnings import print_run_warnings
from weft.operate.acceptance.faults import ElementFault, faults
from weft.operate.acceptance.headline import remarks, sentences
from weft.operate.acceptance.tables import verdicts_table
from weft.operate.acceptance.verdict import AcceptanceResult, Cause, RequirementVerdict

HEADINGS = {True: "accepted", False: "NOT accepted", None: "not decided"}
MOST_CAUSES = 3


def print_acceptance(found: AcceptanceResult) -> None:
    """Print an acceptance."""
    console = wide_terminal(soft_wrap=True)
    console.print(
        f"{found.testbed}: {HEADINGS[found.passed]} ({found.counts}), {len(found.nodes)} nodes, "
        f"{found.elapsed_s:.0f} s",
        style="bold",
    )
    console.print(f"required: {found.expected_from}", style="dim")
    console.print(drawn(verdicts_table(found.verdicts), console.width))
    if found.of_many:
        console.print(found.of_many, style="dim")
    for text in found.doubts:
        console.print(f"in doubt: {text}")
    at_fault = faults(found.verdicts)
    for fault in at_fault:
        titled(console, f"at fault: {_where(fault)}", *_fault(fault))
    told = {verdict.requirement for fault in at_fault for verdict in fault.verdicts}
    for verdict in found.verdicts:
        if verdict.status != "met" and verdict.requirement not in told:
            titled(console, f"{verdict.marked_status}: {verdict.title}", *_open(verdict))
    print_run_warnings(console, found.warnings)


def _where(fault: ElementFault) -> str:
    nodes = fold(fault.nodes)
    is_named = len(fault.nodes) == 1 or nodes in fault.element
    return fault.element if is_named else f"{fault.element} ({nodes})"


def _fault(fault: ElementFault) -> list[str]:
    lines = [f"  {text}" for text in (*sentences(fault), *remarks(fault))]
    for verdict in fault.verdicts:
        lines.append(f"  {verdict.marked_status}: {verdict.title} [{verdict.requirement}]")
        lines += [f"    {line}" for line in verdict.evidence]
    lines += ["  likely causes, and how to check each:"] if fault.causes else []
    for number, cause in enumerate(fault.causes[:MOST_CAUSES], 1):
        lines += _cause(number, cause)
    return lines


def _open(verdict: RequirementVerdict) -> list[str]:
    lines = [f"  {line}" for line in verdict.evidence]
    return [*lines, f"  would decide it: {verdict.would_decide}"] if verdict.would_decide else lines


def _cause(number: int, cause: Cause) -> list[str]:
    return [
        f"    {number}. {cause.title}: {cause.text}",
        f"       check: {cause.check}",
        f"       remedy: {cause.remedy}",
    ]
