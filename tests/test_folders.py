"""Folders that can be read at a glance: few wings, and in none too many files."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_FILES = 20
MOST_WINGS = 14


@pytest.mark.parametrize("tree", ["python/weft", "tests", "bench"])
def test_no_folder_has_too_many_files(tree: str) -> None:
    folders: dict[Path, int] = {}
    for file in (ROOT / tree).rglob("*.py"):
        folders[file.parent] = folders.get(file.parent, 0) + 1
    assert folders
    assert {str(one): count for one, count in folders.items() if count > MOST_FILES} == {}


def test_the_package_has_few_wings() -> None:
    package = ROOT / "python/weft"
    entries = [*package.glob("*.py"), *(one.parent for one in package.glob("*/__init__.py"))]
    assert len(entries) <= MOST_WINGS, sorted(entry.name for entry in entries)
