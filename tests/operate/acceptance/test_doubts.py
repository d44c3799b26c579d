"""What the runs of an acceptance warn of stands beside its verdicts: in JSON, terminal, page, mail and JUnit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support.here import weft, weft_json
from support.runs import change_meta
from weft.operate.acceptance.verdict import AcceptanceResult, RequirementVerdict

HINT = "leave the machine alone"
LATE = "of the frames left late"
DOUBT = "frames left the lab late (lab-late in pairs, again-1)"


def warn(folder: Path, **shares: str) -> None:
    """Give runs of an acceptance the warning of a lab that was late."""
    for name, share in shares.items():
        warning = {"code": "lab-late", "message": f"{share} % {LATE}", "hint": HINT}
        change_meta(folder / name.replace("_", "-"), warnings=[warning])


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An acceptance of a network with a bad cable and of one without a fault, whose pairs were measured late."""
    folder = tmp_path_factory.mktemp("late")
    for name, status in {"bad-cable": 1, "two-racks": 0}.items():
        place = folder / name
        assert weft("accept", "--on", f"sim:{name}", "--out", place).returncode == status
        warn(place, pairs="40.6", again_1="3.1")
    return folder


def resumed(folder: Path, *more: str | Path) -> str:
    return weft("accept", "--resume", folder, *more).stdout


def test_json_has_each_warning_with_its_run_and_each_verdict_its_doubts(late: Path) -> None:
    folder = late / "two-racks"
    found: dict[str, Any] = weft_json("accept", "--resume", folder)
    assert [one for one in found["warnings"] if one["code"] == "lab-late"] == [
        {"code": "lab-late", "message": f"{share} % {LATE}", "hint": HINT, "run": str(folder / run)}
        for run, share in {"pairs": "40.6", "again-1": "3.1"}.items()
    ]
    doubted = {one["requirement"]: one["doubts"] for one in found["verdicts"]}
    assert doubted["rate.below_declared"] == doubted["nodes.slower"] == [DOUBT]
    # The search for limits was not late.
    assert doubted["network.limits"] == doubted["network.places"] == []


def test_the_terminal_says_it_beside_the_verdict_and_once_below(late: Path) -> None:
    shown = resumed(late / "two-racks")
    assert re.search(r"sim:two-racks: accepted \(5 met; 3 in doubt\)", shown)
    assert re.search(r"^ met, in doubt +no pair more than 10 % below", shown, re.MULTILINE)
    assert re.search(r"^ met  +no limit", shown, re.MULTILINE)
    assert f"\nin doubt: {DOUBT}\n" in shown
    said = f"2 runs (pairs, again-1): 3.1 to 40.6 % {LATE} ({HINT}) [lab-late]"
    assert shown.count(LATE) == shown.count(said) == 1


def test_page_and_mail_say_it_at_the_top_and_at_each_verdict(late: Path) -> None:
    resumed(late / "bad-cable")
    html = (late / "bad-cable/acceptance.html").read_text()
    heading, _, rest = html.partition("Requirements</h2>")
    assert f"In doubt: {DOUBT}." in heading and "1 met, 2 not met; 3 in doubt" in heading
    assert f"40.6 % {LATE} <code>lab-late</code>" in heading and HINT in heading
    assert rest.count('scope="row">not met, in doubt</th>') == 2
    mail = re.search(r'<pre class="mail">(.*?)</pre>', html, re.DOTALL)
    assert mail and f"In doubt: {DOUBT}." in mail.group(1)


def test_junit_says_it_of_met_and_of_not_met(late: Path) -> None:
    for name, status in {"bad-cable": "failure", "two-racks": "system-out"}.items():
        file = late / f"{name}.xml"
        resumed(late / name, "--junit", file)
        (suite,) = ElementTree.parse(file).getroot()
        (case,) = (one for one in suite if "nodes.slower" in one.get("name", ""))
        assert DOUBT in (case.findtext(status) or "")
        assert LATE in (suite.findtext("system-out") or "")


def test_nothing_is_said_of_runs_without_warnings(late: Path, tmp_path: Path) -> None:
    shown = weft("accept", "--on", "sim:fast-ethernet-pair", "--out", tmp_path / "a").stdout
    assert "doubt" not in shown and "warning" not in shown
    html = (tmp_path / "a/acceptance.html").read_text()
    assert "In doubt" not in html and "warnings-title" not in html


def test_counts_name_those_in_doubt() -> None:
    verdicts = (
        RequirementVerdict("a", "a", "met", doubts=("late",)),
        RequirementVerdict("b", "b", "met"),
    )
    assert AcceptanceResult("sim:x", (), "", (), verdicts).counts == "2 met; 1 in doubt"
