"""Limits of a network are the same on a terminal, on a page and in Arrow."""

from base.test_table import check_alone
from weft.faces.api.fabric import fabric
from weft.network.fabrics.describe import Hop
from weft.network.fabrics.tables import limits_table, rates_table


def test_limits_are_told_alike() -> None:
    table = limits_table([Hop("n1 out", 1000.0, 5.0), Hop("rack1", None, 0.125)])
    assert table.values("is_free") == [False, True]
    check_alone(table)
    check_alone(rates_table(fabric("two-racks").description))
