"""Bills and parts are the same on a terminal, on a page and in Arrow."""

import pytest

from base.test_table import check_alone
from weft.network.cost.bill import bill_of
from weft.network.cost.cable_kinds import parts_list
from weft.network.cost.tables import items_table, parts_tables


@pytest.mark.parametrize("name", ["xibalba-e7-config2", "xibalba-dual"])
def test_a_bill_is_told_alike(name: str) -> None:
    bill = bill_of(name)
    items = items_table(bill)
    check_alone(items)
    networks = [None if one.network is None else one.network + 1 for one in bill.items]
    assert items.values("network") == (
        networks if {1, 2} <= {*networks} else [None] * len(networks)
    )
    for table in parts_tables(parts_list(name, None)):
        check_alone(table)
