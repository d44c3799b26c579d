"""The plan loader under random input: a plan or a RequestError, nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.plan.load import parse_plan
from weft.plan.phases import expand
from weft.plan.plan import Step

PLANS = [catalog.read(catalog.find("plan", name)) for name in catalog.names("plan")]
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NAMES = (
    "steps 0 pingpong sizes stop options max cpus launches x nodes pattern from receivers networks"
)
KEYS = st.lists(st.sampled_from(["", *NAMES.split()]), min_size=1, max_size=5).map(".".join)


def check(text: str, overrides: list[tuple[str, str]]) -> None:
    try:
        plan = parse_plan(text, "fuzz.toml", overrides)
    except RequestError as error:
        assert error.message.startswith("fuzz.toml")
        assert "\n" not in error.message
    else:
        for step in plan.steps:
            check_phases(step)


def check_phases(step: Step) -> None:
    try:
        assert all(phase.size_bytes > 0 for phase in expand(step, 96))
    except RequestError as error:
        assert error.message.startswith(f'step "{step.name}": ')
        assert "\n" not in error.message


@given(TEXT)
def test_any_text(text: str) -> None:
    check(text, [])


@given(st.sampled_from(PLANS), st.integers(min_value=0), st.integers(min_value=0), TEXT)
def test_plan_with_a_piece_replaced(plan: str, start: int, length: int, piece: str) -> None:
    start %= len(plan)
    check(plan[:start] + piece + plan[start + length % 20 :], [])


@given(st.sampled_from(PLANS), st.lists(st.tuples(KEYS | TEXT, TEXT), max_size=3))
def test_any_overrides(plan: str, overrides: list[tuple[str, str]]) -> None:
    check(plan, overrides)


@pytest.mark.parametrize("step", ["", "{}", "[]", "null", '{"name": 1}'])
def test_expanding_what_is_no_step(step: str) -> None:
    with pytest.raises(_core.RefusedError, match=r"line \d+ column \d+"):
        _core.expand_step(step, 2)
