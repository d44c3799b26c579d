"""No regular expression takes long on a text that was made to have it try every way of sharing it out."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import weft
from support.expressions import Expression, attacks, expressions

LENGTH = 5_000
"""At which an expression that backtracks takes tenths of a second, and one that does not takes a millisecond."""
LONGEST_S = 0.05
TRIES = 3
"""The fastest counts: a busy host's processor adds time to a try, never takes any from it."""
FOUND = list(expressions(Path(weft.__file__).parent))


def _seconds(call: Callable[[str], object], text: str) -> float:
    """Of the fastest try; no other follows one that is within the limit."""
    fastest = float("inf")
    for _ in range(TRIES):
        began = time.thread_time()
        call(text)
        fastest = min(fastest, time.thread_time() - began)
        if fastest < LONGEST_S:
            break
    return fastest


def _slowest(one: Expression) -> tuple[float, str]:
    slowest = (0.0, "")
    for text in attacks(one.pattern, LENGTH):
        for call in (
            (one.pattern.search,) if one.scans else (one.pattern.match, one.pattern.fullmatch)
        ):
            slowest = max(slowest, (_seconds(call, text), text[:60]))
        if slowest[0] > LONGEST_S:
            break
    return slowest


def test_all_expressions_are_found() -> None:
    assert len(FOUND) > 150
    assert sum(one.where.startswith("understand/formats/") for one in FOUND) > 60


@pytest.mark.parametrize("one", FOUND, ids=[one.where for one in FOUND])
def test_an_expression_takes_no_longer_than_its_text_is_long(one: Expression) -> None:
    seconds, text = _slowest(one)
    assert seconds < LONGEST_S, (
        f"{one.where}: {one.pattern.pattern} took {seconds:.2f} s on {text!r}..."
    )


@pytest.mark.parametrize("slow", [r"^\d+\.?\d*x", r"^a(.*?) +b", r"\d+x"])
def test_the_attack_finds_what_backtracks(slow: str) -> None:
    """On a shorter text, so that it ends: twice as long takes four times as long, or eight."""
    pattern = re.compile(slow)

    def seconds(length: int) -> float:
        began = time.thread_time()
        for text in attacks(pattern, length):
            pattern.search(text)
        return time.thread_time() - began

    assert seconds(2000) > 2.5 * seconds(1000)
