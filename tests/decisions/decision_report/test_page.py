"""The page about twins, what-ifs and decisions."""

from pathlib import Path

import msgspec
import pytest

import weft
from support.here import refusal
from support.here import weft as command
from weft.base.errors import RequestError
from weft.decisions.decision_report.page import DecisionReport
from weft.decisions.twin.twin import (
    SCHEMA,
    HeldOut,
    TwinDocument,
    TwinParameter,
    text_digest,
    write_twin,
)
from weft.decisions.what_if.alternative import alternative
from weft.decisions.what_if.ask import WhatIfRequest, ask
from weft.network.fabrics.document import FabricDocument
from weft.understand.report.table import PageTable

DESIGNS = """
name = "switches"
[[designs]]
name = "narrow"
fabric = "clos(leaves=2,spines=1,hosts=4,rate=1 Gb/s)"

[[designs]]
name = "wide"
fabric = "clos(leaves=2,spines=4,hosts=4,rate=1 Gb/s)"

[[workloads]]
name = "all-to-all"
plan = "aapc"

[prices.cost]
per_port = { value = 100, currency = "USD", year = 2026, source = "an offer" }
per_node = { value = 1000, currency = "USD", year = 2026, source = "an offer" }

[uncertain]
prices = "20 %"
"""


@pytest.fixture
def twin(tmp_path: Path) -> Path:
    """A twin that is known exactly but for one number."""
    text = FabricDocument.read("two-racks").text
    known = TwinParameter(
        "links.rack1.rate", "Mb/s", 4000.0, 3900.0, 4100.0, True, "filled in 9 trials", [], []
    )
    open_ = TwinParameter(
        "links.rack2.rate", "Mb/s", 90.0, 10.0, 900.0, False, "nothing filled it", [], []
    )
    held = [HeldOut(name, 5, 0.04, -0.1, True, False) for name in ("inside", "out")]
    found = TwinDocument(
        schema=SCHEMA,
        name="mine",
        testbed="lab:two-racks",
        scale=1.0,
        nodes=[f"n{i}" for i in range(1, 33)],
        fabric_digest=text_digest(text),
        model={},
        parameters=[known, open_],
        held_out=held,
        discrepancy=[-0.1, 0.0, 0.1],
        rate_discrepancy=[-0.04, 0.0, 0.04],
        sources=[],
        fitted=[],
        alternatives=[],
        warnings=["the lab was late"],
    )
    write_twin(tmp_path / "twin", found, text)
    return tmp_path / "twin"


@pytest.fixture
def what_if(tmp_path: Path) -> Path:
    """A change that brings something, and one that cannot be made."""
    chosen = [alternative([text]) for text in ("links.rack1.rate*=2", "remove n99")]
    ask(WhatIfRequest("two-racks", chosen, out=tmp_path / "what-if"))
    return tmp_path / "what-if"


@pytest.fixture
def decision(tmp_path: Path) -> Path:
    """Two designs of which neither is cheaper and faster."""
    (tmp_path / "designs.toml").write_text(DESIGNS)
    weft.decide(tmp_path / "designs.toml", out=tmp_path / "decision")
    return tmp_path / "decision"


def test_a_page_says_and_draws_all_folders_in_their_order(
    twin: Path, what_if: Path, decision: Path, tmp_path: Path
) -> None:
    report = DecisionReport([twin, what_if, decision])
    html = report.html()
    places = [
        html.index(text) for text in ("Twin: mine", "What if: two-racks", "Decision: switches")
    ]
    assert places == sorted(places)
    assert "The measurements do not fix links.rack2.rate." in html
    assert "remove n99: " in html
    assert "the lab was late" in report.warnings
    names = {figure.name for figure in report.figures}
    assert {
        "twin_1_rate",
        "twin_1_known",
        "what_if_2",
        "frontier_3",
        "prices_3",
        "tornado_3",
    } <= names
    written = report.write_figures(tmp_path / "figures")
    assert all(path.stat().st_size > 1000 for path in written)


def test_the_frontier_joins_what_is_not_dominated(decision: Path) -> None:
    figure = next(one for one in DecisionReport([decision]).figures if one.name == "frontier_1")
    rows = {row["name"]: row for row in figure.tables["frontier_1"]}
    assert rows["narrow"]["cost"] < rows["wide"]["cost"]
    assert rows["narrow"]["time"] > rows["wide"]["time"]
    assert [row["name"] for row in figure.tables["frontier_1_line"]] == ["narrow", "wide"]


def test_a_page_states_no_probability_where_nothing_is_uncertain(tmp_path: Path) -> None:
    certain, _, _ = DESIGNS.partition("[uncertain]")
    (tmp_path / "designs.toml").write_text(certain.replace('name = "switches"', "", 1))
    decided = weft.decide(tmp_path / "designs.toml", out=tmp_path / "decision")
    [part] = DecisionReport([decided.directory]).parts
    assert part.title == "Decision: decision", "without a name, that of the folder"
    designs = PageTable.of(part.tables[0])
    assert not any("Best in" in header for header in designs.headers)
    assert {len(row) for row in designs.rows} == {len(designs.headers)}
    assert "neither a probability nor a regret" in part.verdict[0]
    said = command("decide", str(tmp_path / "designs.toml"), "--out", str(tmp_path / "again"))
    assert "best in" not in said.stdout


def test_the_command_writes_the_page_into_the_first_folder(what_if: Path) -> None:
    assert command("report", str(what_if)).stdout.strip() == str(what_if / "report.html")


def test_runs_beside_twins_are_refused(twin: Path, tmp_path: Path) -> None:
    run = weft.run("latency", "sim:gigabit-pair", out=tmp_path / "run")
    said = refusal("report", str(twin), str(run.folder))
    assert "neither a twin, a what-if, a decision nor recommendations" in said


def test_a_damaged_decision_is_named(decision: Path) -> None:
    (decision / "decision.json").write_bytes(msgspec.json.encode({"schema": 1}))
    with pytest.raises(RequestError, match=r"decision\.json"):
        DecisionReport([decision]).html()
