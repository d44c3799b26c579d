"""A row of a wide table stays a line, so that it can be read and searched for in a narrow terminal."""

import pytest

from weft.faces.cli.tables.layout import plain_table, wide_terminal


def test_a_row_stays_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("COLUMNS", "40")
    row = ["east > west", "not measured", "1.1 min", "37.7 µs", "3.41 Gb/s", "100.000 %", "72"]
    wide_terminal().print(plain_table(*["heading"] * len(row), rows=[row]))
    _, said = capsys.readouterr().out.splitlines()
    assert said.split("  ")[0].strip() == "east > west"
    assert all(cell in said for cell in row)
