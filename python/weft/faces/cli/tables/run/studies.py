"""The effect of a setting, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from weft.faces.cli.tables.layout import plain_table, titled
from weft.understand.studies.study import SettingStudy


def print_studies(studies: Sequence[SettingStudy], console: Console) -> None:
    """Print for each study a line for each value, and the result."""
    for one in studies:
        table = plain_table(*one.headers, rows=one.rows)
        table.columns[0].no_wrap = True
        titled(console, one.title, table, one.text)
