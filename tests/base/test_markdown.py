"""Tables in Markdown."""

from weft.base.markdown import markdown_table


def test_a_table_has_a_line_for_each_row_and_escapes_bars() -> None:
    lines = list(markdown_table(("code", "check"), [("cable", "`a | b`"), ("port", "")]))
    assert lines == ["|code|check|", "|---|---|", r"|cable|`a \| b`|", "|port||"]
