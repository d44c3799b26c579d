"""Files of a wheel for shells and man. usage: python -m weft.faces.cli.pages.files SHARE OUTLINE

Writes scripts and pages below the folder SHARE, and the commands' outline to the file OUTLINE.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from weft.faces.cli.main import weft
from weft.faces.cli.pages.man import pages
from weft.faces.cli.shell.completions import script
from weft.faces.cli.shell.outline import outline

SCRIPTS = {
    "bash": "bash-completion/completions/weft",
    "zsh": "zsh/site-functions/_weft",
    "fish": "fish/vendor_completions.d/weft.fish",
}
"""Where each shell looks below a `share` folder."""


def shared() -> Iterator[tuple[str, str]]:
    """Each file below `share`, and its text."""
    for shell, path in SCRIPTS.items():
        yield path, script(shell)
    for name, text in pages(weft):
        yield f"man/man1/{name}", text


def main(share: Path, kept: Path) -> None:
    for name, text in shared():
        path = share / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    kept.write_bytes(msgspec.json.encode(outline(weft, click.Context(weft))))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
