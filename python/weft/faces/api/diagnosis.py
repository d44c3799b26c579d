"""The result of a diagnosis, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from weft.base.nodeset import fold
from weft.base.quantity import range_mbps
from weft.faces.api.columns.table import Table
from weft.faces.api.columns.text import Said
from weft.knobs.recommendation import Recommendation
from weft.runs.meta import Warning
from weft.understand.explain.finding import Explanation
from weft.understand.limits.findings import LimitFindings
from weft.understand.tables.limits import limits_table, slow_table


class Diagnosis(Said):
    """Shared limits, slow nodes and routes, and what explains a pair's curve. Made by `weft.diagnose`."""

    def __init__(self, findings: LimitFindings, warnings: Sequence[Warning] = ()) -> None:
        self.findings = findings
        """All that was found, as the document of `weft diagnose --json` has it."""
        self.warnings = list(warnings)
        """What is needed to interpret the run: code, message, hint."""

    @property
    def verdict(self) -> str:
        """The finding in a sentence."""
        return self.findings.verdict

    @cached_property
    def limits(self) -> Table:
        """Capacities (Mb/s, payload) that nodes share: what all members get together, and their demand."""
        return Table.of_results("Limits", limits_table(self.findings.limits))

    @cached_property
    def slow(self) -> Table:
        """Nodes, directions and routes that are slow by themselves, with the expected rates (Mb/s)."""
        return Table.of_results("SlowNodes", slow_table(self.findings.slow))

    @property
    def explanations(self) -> list[Explanation]:
        """Explanations of limits, modes, dips, jumps and outliers between two nodes, the most certain first."""
        return self.findings.explanations

    @property
    def recommendations(self) -> list[Recommendation]:
        """Knobs that the evidence suggests changing, untested, with the commands to apply and revert them."""
        return self.findings.recommendations

    @property
    def differences(self) -> list[str]:
        """Differences from the declared fabric."""
        return self.findings.differences

    def lines(self) -> list[str]:
        """The verdict, each limit, slow node, explanation, recommendation and difference, then the run's warnings."""
        found = self.findings
        limits = [
            f"{one.kind} of {fold(one.members)}, {one.direction}: {range_mbps(one.capacity_mbps)}"
            for one in found.limits
        ]
        slow = [f"slow {one.kind} {one.name}: {range_mbps(one.rate_mbps)}" for one in found.slow]
        explained = [f"{one.text}." for one in found.explanations]
        recommended = [f"{one.text}." for one in found.recommendations]
        warned = [f"warning: {one.message} [{one.code}]" for one in self.warnings]
        said = [found.verdict, *limits, *slow, *explained, *recommended, *found.differences]
        return [*said, *warned]
