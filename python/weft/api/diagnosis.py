"""What a diagnosis found, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import pyarrow as pa

from weft.api.table import Table, interval
from weft.api.text import Said
from weft.diagnosis.explain.finding import Explanation
from weft.diagnosis.limits.findings import Findings, Limit
from weft.knobs.recommendation import Recommendation
from weft.nodeset import fold
from weft.quantity import range_mbps


class Limits(Table):
    """Capacities that nodes share (shape: limits): what all members get together, and what they would ask of it."""

    SCHEMA: ClassVar[pa.Schema] = pa.schema(
        {
            "kind": pa.string(),
            "members": pa.list_(pa.string()),
            "direction": pa.string(),
            **interval("capacity_mbps"),
            "demand_mbps": pa.float64(),
            "confidence_share": pa.float64(),
        }
    )

    @classmethod
    def of(cls, limits: Sequence[Limit]) -> Limits:
        """Those of a diagnosis."""
        return cls.of_objects(limits, confidence_share=lambda one: one.confidence)


class SlowNodes(Table):
    """What is slow by itself (shape: findings): a node, one direction of it, or a route, beside what is expected."""

    SCHEMA: ClassVar[pa.Schema] = pa.schema(
        {
            "kind": pa.string(),
            "nodes": pa.list_(pa.string()),
            "direction": pa.string(),
            **interval("rate_mbps"),
            "expected_mbps": pa.float64(),
        }
    )


class Diagnosis(Said):
    """Shared limits, slow nodes and routes, and what explains a pair's curve. Made by `weft.diagnose`."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        """All that was found, as the document of `weft diagnose --json` has it."""

    @property
    def verdict(self) -> str:
        """The finding in a sentence."""
        return self.findings.verdict

    @cached_property
    def limits(self) -> Limits:
        """Capacities (Mb/s, payload) that nodes share."""
        return Limits.of(self.findings.limits)

    @cached_property
    def slow(self) -> SlowNodes:
        """Nodes, directions and routes that are slow by themselves (Mb/s)."""
        return SlowNodes.of_objects(self.findings.slow)

    @property
    def explanations(self) -> list[Explanation]:
        """What explains limits, modes, dips, jumps and outliers between two nodes, the surest first."""
        return self.findings.explanations

    @property
    def recommendations(self) -> list[Recommendation]:
        """Knobs that the evidence suggests to change, untested, with the commands that do and undo it."""
        return self.findings.recommendations

    @property
    def differences(self) -> list[str]:
        """What differs from the declared fabric."""
        return self.findings.differences

    def lines(self) -> list[str]:
        """The verdict, then each limit, slow node, explanation, recommendation and difference."""
        found = self.findings
        limits = [
            f"{one.kind} of {fold(one.members)}, {one.direction}: {range_mbps(one.capacity_mbps)}"
            for one in found.limits
        ]
        slow = [f"slow {one.kind} {one.name}: {range_mbps(one.rate_mbps)}" for one in found.slow]
        explained = [f"{one.text}." for one in found.explanations]
        recommended = [f"{one.text}." for one in found.recommendations]
        return [found.verdict, *limits, *slow, *explained, *recommended, *found.differences]
