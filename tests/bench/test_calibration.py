"""What weft says of its errors in words is what `bench/understand/calibration.py` held it to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from common.calibrated import cases
from common.case import Case, Said

ROOT = Path(__file__).resolve().parents[2]
SAVED = ROOT / "bench" / "results" / "calibration.json"
CASES = [case for mine in cases().values() for case in mine]
SPELLED = {"nine times of ten": 0.1, "one in ten": 0.1, "one of ten": 0.1, "one in a hundred": 0.01}


def plain(text: str) -> str:
    """Without line breaks and marks of Markdown, docstrings and f-strings' seams."""
    return re.sub(r"[\s*`#]+", " ", text)


def shares(words: str) -> set[float]:
    """That words state: a percentage of errors, or of right answers."""
    stated = {float(one) / 100 for one in re.findall(r"(\d+(?:\.\d+)?) ?%", words)}
    stated |= {share for name, share in SPELLED.items() if name in words}
    return stated | {round(1 - share, 6) for share in stated}


@pytest.mark.parametrize(
    ("case", "said"),
    [(case, said) for case in CASES for said in case.said],
    ids=lambda one: one.what if isinstance(one, Case) else one.file,
)
def test_words_state_what_the_bench_claims(case: Case, said: Said) -> None:
    assert plain(said.words) in plain((ROOT / said.file).read_text())
    assert case.claimed is not None and case.claimed in shares(said.words)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_a_saved_result_holds_each_claim(case: Case) -> None:
    """A miss is known, with its reason; one that is met by now is none any more."""
    saved = {goal["what"]: goal for goal in json.loads(SAVED.read_text())["goals"]}
    met = saved[case.goal(0).what]["met"]
    assert met is False if case.expected else met is not False
