"""The vendor's page of a simulated acceptance, and JUnit XML, both as the command writes them."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.here import weft_json


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    options = [
        "--on",
        "sim:bad-cable",
        "--out",
        str(folder / "a"),
        "--junit",
        str(folder / "a.xml"),
        "--title",
        "Cluster A, phase 1",
        "--customer",
        "Example AG",
        "--order",
        "4711",
    ]
    found = weft_json("accept", *options, status=1)
    assert found["passed"] is False and found["page"] == str(folder / "a/acceptance.html")
    assert [fault["element"] for fault in found["faults"]] == ["n7"]
    assert {one["code"] for one in found["faults"][0]["causes"][:2]} == {"link-speed", "cable"}
    return folder


def test_the_page_is_whole_and_says_element_cause_and_command(written: Path) -> None:
    html = (written / "a/acceptance.html").read_text()
    assert "Not accepted" in html and html.count("<svg") == 2
    assert "The link negotiated a lower speed." in html and "<code>ethtool IFACE" in html
    assert "Rate of each pair, nodes by" in html and "share of what most others have: 10 %" in html
    assert html.count("First look: every pair once, in one launch, in rounds") == 2
    assert "weft accept --on sim:bad-cable" in html and "weft run again-1.toml" in html
    assert not re.search(r"<script|(?:src|href)=['\"](?!#|data:)", html)


def test_the_page_names_customer_order_and_the_fault_first(written: Path) -> None:
    html = (written / "a/acceptance.html").read_text()
    assert "<h1>Cluster A, phase 1</h1>" in html
    assert "<dd>Example AG</dd>" in html and "<dd>4711</dd>" in html
    heading, _, _ = html.partition("Requirements</h2>")
    assert "n7 sends and receives at 10 % of what the other nodes reach" in heading
    assert re.search(r"<dt>Started</dt><dd>\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC</dd>", html)


def test_the_junit_file_has_the_same_verdicts(written: Path) -> None:
    (suite,) = ElementTree.parse(written / "a.xml").getroot()
    failed = [
        case.get("name", "").split(":")[0] for case in suite if case.find("failure") is not None
    ]
    assert failed == ["nodes.later", "nodes.slower"]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "2", "0")
