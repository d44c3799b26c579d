"""What codes mean: the table has every one that weft gives, and no other."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

from weft.operate.preflight.differences import OF_INTERFACES, OF_NODES
from weft.runs.codes import codes, explained, page

ROOT = Path(__file__).resolve().parents[2]
CALLS = r"(?:\bwarn|Warning|AgentError|Reason|Finding|_about|Fault)"
GIVEN = (
    CALLS + r'\((?:[\w.]+(?:\(\w+\))?, )?f?"([a-z]+(?:-[a-z]+)*)"[,)]',
    r'\bcode(?:: |=)f?"([a-z]+(?:-[a-z]+)*)"',
    r'=> "([a-z]+-[a-z]+)",',
    r'CODE = "([a-z-]+)"',
    r'cause="([a-z-]+)"',
    r'[(,] r?"[^"]+", "(agent-[a-z-]+)", r?"',
)
"""How the sources give codes."""
NOT_CODES = {"tx-checksum", "rx-checksum", "scatter-gather", "tcp-connect", "tcp-echo", "udp-echo"}


def given() -> set[str]:
    files = [*(ROOT / "python/weft").rglob("*.py"), *(ROOT / "crates/probe/src").rglob("*.rs")]
    texts = [re.sub(r"\(\s+", "(", path.read_text()) for path in files]
    return {code for text in texts for one in GIVEN for code in re.findall(one, text)} - NOT_CODES


def test_every_code_that_is_given_is_explained() -> None:
    found = given()
    assert len(found) > 50
    known = [one.code for one in codes()]
    assert [one for one in sorted(found) if not any(fnmatchcase(one, code) for code in known)] == []
    assert all(explained(f"differs-{one.code}") for one in (*OF_NODES, *OF_INTERFACES))


def test_no_code_is_explained_that_nothing_gives() -> None:
    sources = "".join(
        path.read_text()
        for folder in ("python/weft", "crates")
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in (".py", ".rs") and path.name != "codes.py"
    )
    unused = [one.code for one in codes() if f'"{one.code.removesuffix("*")}' not in sources]
    assert unused == []


def test_the_page_is_the_table() -> None:
    assert (ROOT / "docs/codes.md").read_text() == page()


def test_a_code_is_explained_in_each_place_that_has_it() -> None:
    (one,) = explained("differs-mtu")
    assert one.code == "differs-*" and "property" in one.means
    assert explained("drif") == []
