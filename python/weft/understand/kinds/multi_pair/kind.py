"""Several pairs at once as a kind of results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from weft.runs.folder import RunFolder
from weft.understand.kinds.kind import ResultKind, by_name
from weft.understand.kinds.multi_pair.table import pairs_table, short_tables
from weft.understand.multi_pair.multi_pair import MultiPairPoint, multi_pair_points
from weft.understand.multi_pair.pair_order import latency_orders, pair_orders


def _subject(run: RunFolder) -> str:
    return f"Several pairs between {' and '.join(str(node['name']) for node in run.meta.nodes[:2])}"


def _details(found: Sequence[MultiPairPoint]) -> list[str]:
    """The policies in order, for each number of pairs."""
    if found[0].test == "latency":
        return latency_orders(found)
    return [order.text for order in pair_orders(found)]


MULTI_PAIR = ResultKind(
    name="pairs",
    title="All pairs",
    results=multi_pair_points,
    named=partial(by_name, name_of=lambda one, _: one.test),
    subject=_subject,
    details=_details,
    tables=lambda found, _: {"pairs": pairs_table(found)},
    short_tables=lambda _, found, __: short_tables(pairs_table(found)),
    document=lambda found: {"multi_pair": [one.to_json() for one in found]},
    folded="points",
)
