"""What a bond's file in /proc says."""

import pytest

from weft.base.errors import WorkError
from weft.measure.execute.failover import BondState, parse_bond

BOND = """\
Ethernet Channel Bonding Driver: v6.1.0

Bonding Mode: fault-tolerance (active-backup)
Primary Slave: None
Currently Active Slave: member1
MII Status: up
MII Polling Interval (ms): 100
Up Delay (ms): 0

Slave Interface: member0
MII Status: down
Link Failure Count: 1

Slave Interface: member1
MII Status: up
Link Failure Count: 0
"""


def test_the_member_in_use_and_those_that_are_down() -> None:
    assert parse_bond(BOND) == BondState(
        "fault-tolerance (active-backup)", 100, "member1", ["member0"]
    )
    striped = parse_bond(BOND.replace("Currently Active Slave: member1\n", ""))
    assert striped.active == ""


def test_what_is_no_bond_is_refused() -> None:
    with pytest.raises(WorkError, match="not a bond's state: 'cat: "):
        parse_bond("cat: no such file")
