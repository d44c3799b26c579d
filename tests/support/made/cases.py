"""Tables of cases in tests/data/cases, for pytest.mark.parametrize."""

import tomllib
from typing import Any

from support.paths import DATA


def cases(file: str, table: str) -> list[Any]:
    """The rows of a table, each a list of values."""
    return tomllib.loads((DATA / "cases" / f"{file}.toml").read_text())[table]
