"""Twins, what-ifs and decisions are the same numbers on a terminal, on a page and in Arrow."""

from test_table import check_alone
from weft.twin.tables import left_out_table, parameters_table, sources_table
from weft.twin.twin import HeldOut, Parameter, Source, Twin


def test_a_twin_is_told_alike() -> None:
    known = Parameter("rate", "Mb/s", 4000.4, 3900.1, 4100.2, True, "9 trials", [], [])
    open_ = Parameter("delay", "us", 12.345, 1.0, 90.123, False, "nothing filled it", [], [])
    held = [HeldOut("ring", 1200, 0.0412, -0.1, True, None), HeldOut("out", 5, 0, 0.5, False, True)]
    run = Source("runs/xray", "xray", "0", 5, 1200, ["late", "busy"])
    twin = Twin("", "", "", 1.0, [], "", {}, [known, open_], held, [], [], [run], [], [], [])
    for table in (parameters_table(twin), left_out_table(twin), sources_table(twin)):
        check_alone(table)
