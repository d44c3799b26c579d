"""Twins, what-ifs and decisions are the same numbers on a terminal, on a page and in Arrow."""

from typing import Literal

import pytest

from base.test_table import check_alone
from weft.base.interval import Interval
from weft.decisions.decision.document import (
    ConstraintResult,
    DesignDecision,
    DesignResult,
    End,
    Sensitivity,
    WorkloadTime,
)
from weft.decisions.decision.document import DesignCost as DesignCost
from weft.decisions.decision.tables import (
    broken_table,
    designs_table,
    dominated_table,
    sensitivity_table,
)
from weft.decisions.recommendations.action import Action, ActionCost, ActionEvidence, ByHand
from weft.decisions.recommendations.action import ActionEffect as Gain
from weft.decisions.recommendations.tables import actions_table
from weft.decisions.twin.tables import left_out_table, parameters_table, sources_table
from weft.decisions.twin.twin import HeldOut, TwinDocument, TwinParameter, TwinSource
from weft.decisions.what_if.result import (
    AlternativeOutcome,
    Check,
    LabVerification,
    PredictedEffect,
    WhatIfResult,
)
from weft.decisions.what_if.tables import checks_tables, effects_table


def test_a_twin_is_told_alike() -> None:
    known = TwinParameter("rate", "Mb/s", 4000.4, 3900.1, 4100.2, True, "9 trials", [], [])
    open_ = TwinParameter("delay", "us", 12.345, 1.0, 90.123, False, "nothing filled it", [], [])
    held = [HeldOut("ring", 1200, 0.0412, -0.1, True, None), HeldOut("out", 5, 0, 0.5, False, True)]
    run = TwinSource("runs/xray", "xray", "0", 5, 1200, ["late", "busy"])
    twin = TwinDocument(
        "", "", "", 1.0, [], "", {}, [known, open_], held, [], [], [run], [], [], []
    )
    for table in (parameters_table(twin), left_out_table(twin), sources_table(twin)):
        check_alone(table)


def test_a_decision_is_told_alike() -> None:
    time = WorkloadTime("ring, 4 KiB", Interval(0.0601, 0.05, 0.07), 0.0, 0.6)
    cost = DesignCost("USD", 2026, 46080.4, None, 0.1264, Interval(46080.4, 40000, 5e4), ())
    broken = ConstraintResult("ring below 1 ms", 0.0601, 0.001, False, 0.25)
    times = ((time,), Interval(1.0, 1.0, 1.0))
    chosen = DesignResult(
        "a", "a", 4, *times, cost, (broken,), True, None, None, 0.9, kept_share=0.8996
    )
    beaten = DesignResult("b", "b", 4, *times, None, (), False, "a", 0.955, 0.1, lacks=("cables",))
    known = Sensitivity(
        "rates", "rate", 1.0, End(0.8, 0.97, "a"), End(1.2, 1.05, "b"), 0.013, "ask"
    )
    found = DesignDecision(
        1, "", (("ring, 4 KiB", 1.0),), "time", "network", 4, 9, (chosen, beaten), ("a",), (),
        "decided", "a", 0.01, 0.02, (known,), None, "", (), (),
    )  # fmt: skip
    designs = designs_table(found, found.designs)
    assert designs.values("kept_share") == [0.899, None], "less than 90 % is not said to be 90 %"
    for table in (designs, broken_table(found), dominated_table(found), sensitivity_table(found)):
        check_alone(table)


@pytest.mark.parametrize(("by", "unit"), [("time", "ms"), ("rate", "mbps")])
def test_a_what_if_is_told_alike(by: Literal["time", "rate"], unit: str) -> None:
    wide, ratio = Interval(0.945, 0.9, 0.99), Interval(1.159, 1.149, 1.163)
    rounded = Interval(80.123, 80.123, 80.123 + 1e-9)
    effect = PredictedEffect("aapc", "all", 262144, by, ratio, True, *(wide,) * 3, *(rounded,) * 3)
    check = Check("aapc", "aapc", 1, by, rounded, ratio, 0.007, False, (1.0, 1.0), (1.0, 1.0))
    outcome = AlternativeOutcome(
        "wider", (), (effect,), 1.0, verification=LabVerification(0.1, 3, (check,))
    )
    found = WhatIfResult(
        1, "twin", True, 9, 1.0, ("aapc",), (outcome, AlternativeOutcome("wrong", ()))
    )
    effects, checks = effects_table(found), list(checks_tables(found))
    shown = {one.name for one in effects.columns if one.shown in ("everywhere", "median")}
    assert shown == {
        "alternative",
        "of",
        "size_bytes",
        "speedup",
        f"before_{unit}",
        f"difference_{unit}",
    }
    assert effects.values("before_ms") == [wide.scaled(1e3)]
    assert effects.values("before_s") == [wide]
    assert effects.values("before_mbps") == [Interval(*[80.123] * 3)], "rounding is no interval"
    for table in (effects, *checks):
        check_alone(table)


def test_recommendations_are_told_alike() -> None:
    ratio = Interval(3.2, 3.1, 3.3)
    paid = Action(
        "link-n3", "fix", "mend it", "n3", ("n3", "n4"), "hours", (ActionEvidence("xray", "slow"),),
        Gain("aapc", ratio, "predicted"), cost=ActionCost(1200.0, "USD"), checks=(ByHand("look"),),
    )  # fmt: skip
    against = Action("no", "do-nothing", "wait", "", (), "minutes", (), checks=(ByHand("look"),))
    table = actions_table("To do", [paid, against], "advice")
    assert table.values("nodes") == [("n3", "n4"), ()]
    assert table.values("verify") == ["weft verify advice link-n3", ""]
    check_alone(table)
