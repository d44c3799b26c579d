"""JUnit XML for CI systems: a test case for each requirement."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as xml

from weft.base.errors import WorkError
from weft.operate.acceptance.verdict import AcceptanceResult, RequirementVerdict
from weft.runs.run_warnings import lines

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow (section 2.2)."""


def write_junit(found: AcceptanceResult, path: Path) -> None:
    """Write the file; raises WorkError."""
    tree = xml.ElementTree(junit(found))
    xml.indent(tree)
    try:
        tree.write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        hint = "choose another file for --junit"
        raise WorkError(f"{path}: cannot write it: {error.strerror}", hint) from None


def junit(found: AcceptanceResult) -> xml.Element:
    """The element `testsuites`. "Not met" becomes a failure, "not decided" is skipped."""
    count = dict.fromkeys(("not met", "not decided"), 0)
    for one in found.verdicts:
        count[one.status] = count.get(one.status, 0) + 1
    about = {
        "name": _text(f"weft accept {found.testbed}"),
        "tests": str(len(found.verdicts)),
        "failures": str(count["not met"]),
        "errors": "0",
        "skipped": str(count["not decided"]),
        "time": f"{found.elapsed_s:.1f}",
        "timestamp": found.started,
    }
    suites = xml.Element("testsuites")
    suite = xml.SubElement(suites, "testsuite", about)
    for one in found.verdicts:
        _case(suite, one)
    if found.warnings:
        told = [f"warning: {line}" for line in lines(found.warnings)]
        xml.SubElement(suite, "system-out").text = _text("\n".join(told))
    return suites


def _case(suite: xml.Element, one: RequirementVerdict) -> None:
    section, _, _ = one.requirement.partition(".")
    about = {"classname": f"weft.{section}", "name": _text(f"{one.requirement}: {one.title}")}
    case = xml.SubElement(suite, "testcase", {**about, "time": "0"})
    if one.status == "not met":
        where = ", ".join(dict.fromkeys(symptom.element for symptom in one.symptoms))
        about = {"message": _text(f"{one.title}: not met by {where}"), "type": "not met"}
        xml.SubElement(case, "failure", about).text = _text("\n".join(_lines(one)))
    elif one.status == "not decided":
        xml.SubElement(case, "skipped", {"message": _text(f"not decided: {one.would_decide}")})
    if one.doubts:
        xml.SubElement(case, "system-out").text = _text("\n".join(map(_doubt, one.doubts)))


def _lines(one: RequirementVerdict) -> list[str]:
    causes = [f"likely: {cause.title}. Check: {cause.check}" for cause in one.causes]
    return [*map(_doubt, one.doubts), *one.evidence, *causes]


def _doubt(text: str) -> str:
    return f"in doubt: {text}"


def _text(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _NOT_XML.sub("?", text)
