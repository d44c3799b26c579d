"""weft's consoles print texts as they are: markup of rich in one would be printed too."""

import re

from support.paths import CHECKOUT

MARKUP = re.compile(r"\[(bold|dim|red|green|yellow|cyan|blue|magenta)\]")


def test_no_text_has_markup() -> None:
    sources = (CHECKOUT / "python/weft").rglob("*.py")
    assert [path.name for path in sources if MARKUP.search(path.read_text())] == []
