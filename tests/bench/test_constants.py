"""Each constant of what finds things has a reason, and a row that says what it changes."""

import pytest

from common.sensitive.constants import (
    PACKAGES,
    NamedNumber,
    named_numbers,
    numbers_of,
    row_name,
    saved_rows,
)

RUN = "`make bench BENCHES=sensitivity`, or `bench/run.py sensitivity {} --only NAME`"


@pytest.mark.parametrize("part", PACKAGES)
def test_each_constant_has_a_reason(part: str) -> None:
    without = [row_name(one) for one in named_numbers(PACKAGES[part]) if not one.reason]
    assert without == [], "say below a constant why it is what it is, or where it is from"


@pytest.mark.parametrize("part", PACKAGES)
def test_each_constant_was_varied(part: str) -> None:
    saved = saved_rows("sensitivity", part)
    without = [
        name for one in named_numbers(PACKAGES[part]) if (name := row_name(one)) not in saved
    ]
    assert without == [], f"measured by {RUN.format(part)}"


def test_what_is_a_constant() -> None:
    text = '''
ONE = 3
"""Why."""
A, _B = 0.5, {"first": 2}
NO_PLACE = -1
SEED = 7
FOLLOWS = min(ONE, A)
TEXT = f"{ONE} of 3"
TABLE: tuple[float, ...] = (1.0, 2.0)
lower = 4
'''
    found = [(one.name, one.reason) for one in numbers_of("module", text)]
    assert found == [("ONE", "Why."), ("A", ""), ("_B", ""), ("TABLE", "")]
    assert (
        row_name(NamedNumber("weft.links.analysis.hours", "FALSE", ""))
        == "links.analysis.hours.FALSE"
    )
