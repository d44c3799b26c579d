"""Damaged files of all kinds end in one message, never in a traceback; `bench/faces/fuzz.py` tries more of them."""

from pathlib import Path

import pytest

from faces.fuzz import SUBJECTS, failures

MUTATIONS = 300


@pytest.mark.parametrize("name", SUBJECTS)
def test_damaged_files_are_refused_with_one_message(name: str, tmp_path: Path) -> None:
    found = list(failures(name, MUTATIONS, 0, tmp_path))
    assert not found, "\n\n".join(found)
