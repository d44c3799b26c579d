"""Recommendations as a table."""

from __future__ import annotations

from collections.abc import Sequence

from weft.base.interval import Interval
from weft.base.table import ResultColumn, ResultTable
from weft.decisions.recommendations.action import Action


def actions_table(title: str, actions: Sequence[Action], folder: str = "DIR") -> ResultTable:
    """Actions, each with the factor by which the workload improves (`ratio`), if known."""

    def verified(one: Action) -> str:
        can_be = one.checks and one.kind != "do-nothing"
        return f"weft verify {folder} {one.id}" if can_be else ""

    columns = (
        ResultColumn("id", "id", str, shown="data"),
        ResultColumn("do", "what", str),
        ResultColumn("kind", "kind", str),
        ResultColumn("element", "element", str, shown="data"),
        ResultColumn("nodes", "nodes", tuple, shown="data"),
        ResultColumn("effort", "effort", str),
        _of("effect", "workload", "workload", "workload", str),
        _of("effect", "ratio", "ratio", "times as good", Interval),
        _of("effect", "basis", "basis", "known as", str),
        _of("cost", "amount", "cost", "price", float),
        _of("cost", "currency", "currency", "currency", str),
        ResultColumn("because", "because", str, _because),
        ResultColumn("verify", "verify afterwards", str, verified),
    )
    return ResultTable.of(title, columns, actions)


def _because(one: Action) -> str:
    return "; ".join(f"{each.text} ({each.source})" for each in one.evidence)


def _of(part: str, key: str, name: str, label: str, type_: type) -> ResultColumn:
    return ResultColumn(name, label, type_, lambda one: getattr(getattr(one, part), key, None))
