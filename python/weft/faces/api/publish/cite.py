"""Citations from Python."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import UNSET

from weft.faces.api.columns.text import Said
from weft.faces.api.run import Run, opened
from weft.understand.citation.citation import Citation, cite_published, cite_run, cite_weft
from weft.understand.citation.run_digest import RunDigest


class Reference(Said):
    """How to cite something. Made by `weft.cite`."""

    def __init__(self, found: Citation) -> None:
        self.found = found

    @property
    def text(self) -> str:
        """The line for a list of references."""
        return self.found.text

    @property
    def bibtex(self) -> str:
        """The same as an entry of BibTeX."""
        return self.found.bibtex

    @property
    def methods(self) -> str:
        """Of a run: a paragraph on how it was measured, from what it recorded; otherwise empty."""
        return "" if self.found.methods is UNSET else self.found.methods

    @property
    def digest(self) -> RunDigest | None:
        """Of a run in a folder: the digest of its files, and the command that computes it."""
        return None if self.found.digest is UNSET else self.found.digest

    def lines(self) -> list[str]:
        """The reference, the entry of BibTeX, and the methods."""
        return [self.text, *self.bibtex.splitlines(), *([self.methods] if self.methods else [])]


def cite(what: Run | str | os.PathLike[str] | None = None) -> Reference:
    """How to cite weft, or a run, or a published value: `print(weft.cite("runs/pair").methods)`.

    what: nothing for weft itself, a run or its folder, or the name of a publication or a value in catalog/published,
    such as "xibalba_aapc" or "e7_asic_limit_mbps". Raises RequestError if it is none of these.
    """
    if what is None:
        return Reference(cite_weft())
    if isinstance(what, Run) or Path(what).is_dir():
        return Reference(cite_run(opened(what).stored))
    return Reference(cite_published(os.fspath(what)))
