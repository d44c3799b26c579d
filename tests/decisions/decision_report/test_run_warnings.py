"""What runs warn of goes up to the twin that is made of them, to what-ifs and decisions on it, and to their page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.here import weft, weft_json
from support.made.twins import simulated_runs
from support.runs import change_meta
from weft.base.interval import Interval
from weft.decisions.decision_report.page import DecisionReport
from weft.decisions.twin.build import make_twin
from weft.decisions.twin.twin import read_twin
from weft.decisions.what_if.result import (
    AlternativeOutcome,
    Check,
    LabVerification,
    PredictedEffect,
    WhatIfResult,
    with_outcomes,
)
from weft.faces.cli.tables.what_if import print_what_if
from weft.runs.run_warnings import RunWarning, doubts
from weft.runs.work_document import write_json

LATE = "40.6 % of the frames left late"
DOUBT = "frames left the lab late (lab-late in xray)"
SAID = f"xray: {LATE} (use --scale) [lab-late]"
ONE = Interval(1.0, 1.0, 1.0)
DESIGNS = """
name = "switches"
twin = "{twin}"
[[designs]]
name = "narrow"
fabric = "clos(leaves=2,spines=1,hosts=4,rate=1 Gb/s)"
[[workloads]]
name = "all-to-all"
plan = "aapc"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A twin of a search that was late and of one run that was not."""
    folder = tmp_path_factory.mktemp("late")
    xray, ring = simulated_runs(folder / "runs", plans=("xray", "ring"))
    warning = {"code": "lab-late", "message": LATE, "hint": "use --scale"}
    change_meta(Path(xray), warnings=[warning])
    make_twin([xray, ring], folder / "twin", draws=10)
    return folder


def of_late(document: dict[str, Any], key: str, folder: Path) -> bool:
    run = str(folder / "runs/xray")
    hint = "use --scale"
    return document[key] == [{"code": "lab-late", "message": LATE, "hint": hint, "run": run}]


def test_a_twin_has_the_warnings_of_its_runs_and_a_verdict_in_doubt(folder: Path) -> None:
    twin, _ = read_twin(folder / "twin")
    assert of_late(json.loads((folder / "twin/twin.json").read_text()), "run_warnings", folder)
    assert twin.verdict.endswith(f"; in doubt: {DOUBT}") and twin.warnings.count(SAID) == 1
    assert SAID in weft("twin", "show", folder / "twin").stdout
    report = DecisionReport([folder / "twin"])
    assert report.warnings.count(SAID) == 1 and DOUBT in " ".join(report.parts[0].verdict)


def test_a_what_if_on_a_late_twin_is_in_doubt(folder: Path) -> None:
    out = folder / "what-if"
    shown = weft("what-if", folder / "twin", "--change", "hosts.n4.rate=10 Mb/s", "--out", out)
    assert shown.returncode == 0, shown.stderr
    assert DOUBT in shown.stdout.splitlines()[0] and SAID in shown.stderr
    document = json.loads((out / "what-if.json").read_text())
    assert of_late(document, "warnings", folder) and document["doubts"] == [DOUBT]
    report = DecisionReport([out])
    assert report.warnings.count(SAID) == 1 and DOUBT in " ".join(report.parts[0].verdict)


def test_a_decision_on_hosts_of_a_late_twin_is_in_doubt(folder: Path) -> None:
    file = folder / "designs.toml"
    file.write_text(DESIGNS.format(twin=folder / "twin"))
    document = weft_json("decide", file, "--out", folder / "decision")["decision"]
    assert of_late(document, "warnings", folder)
    assert document["text"].endswith(f"In doubt: {DOUBT}, in the twin's runs.")
    assert SAID in DecisionReport([folder / "decision"]).warnings


def test_what_labs_warn_of_is_said_beside_what_they_measured(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twin, labs = (
        RunWarning("lab-busy", f"{share} % busy", "", f"labs/{name}")
        for name, share in {"xray": 99, "before-1": 98}.items()
    )
    doubt = doubts([labs])
    check = Check("aapc", "aapc", 1, "time", ONE, ONE, 0.0, True, (1.0, 1.0), (1.0, 1.0))
    seen = LabVerification(0.1, 3, (check,), doubts=doubt, run_warnings=(labs,))
    effect = PredictedEffect("aapc", "aapc", 1, "time", ONE, False, *(ONE,) * 6)
    outcome = AlternativeOutcome("wider", (), (effect,), 1.0, verification=seen)
    empty = WhatIfResult(1, "twin", True, 9, 1.0, ("aapc",), (), (twin,))
    found = with_outcomes(empty, [outcome])
    assert found.warnings == (twin, labs)
    write_json(folder / "labs/what-if.json", found)
    report = DecisionReport([folder / "labs"])
    assert f"wider: what labs measured is in doubt: {doubt[0]}." in report.parts[0].verdict
    (said,) = (text for text in report.warnings if "lab-busy" in text)
    assert said == "2 runs (xray, before-1): 98 to 99 % busy [lab-busy]"
    capsys.readouterr()
    print_what_if(found)
    printed = capsys.readouterr()
    assert f"3 launches of each; in doubt: {doubt[0]}" in " ".join(printed.out.split())
    assert printed.err.count(said) == 1
