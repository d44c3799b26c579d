"""Checked TOML: messages have file, line, key, and what would be right."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from weft.base.amount import Seconds
from weft.base.errors import RequestError
from weft.base.toml_file import TomlTable, Word, WordList, WrongKey, decode


class Link(TomlTable):
    rate: int
    kind: Literal["copper", "fibre"] = "copper"


class Fabric(TomlTable):
    name: Word
    links: tuple[Link, ...] = ()
    gap: Seconds | None = None
    nodes: WordList = WordList()

    def __post_init__(self) -> None:
        if self.name == "wrong":
            raise WrongKey("name", "contradicts itself", "choose another")


def read(tmp_path: Path, text: str) -> Fabric:
    path = tmp_path / "fabric.toml"
    path.write_text(text)
    return decode(path, Fabric, "docs/fabric-files.md has the keys")


def test_a_file_becomes_its_struct(tmp_path: Path) -> None:
    found = read(
        tmp_path, 'name = "f"\ngap = "5 ms"\nnodes = "n1"\n[[links]]\nrate = 3\nkind = "fibre"\n'
    )
    assert found == Fabric(
        name="f", links=(Link(rate=3, kind="fibre"),), gap=Seconds(0.005), nodes=WordList(["n1"])
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('\nnaem = "f"', 2, "naem"),
        ('name = "f"\n[[links]]\nrate = "3"', 3, "must be a whole number"),
        ('name = "f"\n[[links]]\nrate = 3\nkind = "fiber"', 4, "did you mean fibre"),
        ('name = "f"\n\ngap = "5 parsec"', 3, "must be a time above 0"),
        ('name = "f"\ngap = 5', 2, "must be a time above 0"),
        ("name = 5", 1, "must be text in quotes"),
        ('name = ""', 1, "must be text in quotes"),
        ('name = "f"\nnodes = [1]', 2, "must be a list of texts"),
        ('name = "f"\nlinks = 5', 2, r"must be tables, each below \[\[links\]\]"),
        ('\n\nname = "wrong"', 3, "contradicts itself"),
        ('name = "f"\n[[links]]\nkind = "copper"', None, r"links\[0\].rate is missing"),
        ("name = ", None, "not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    with pytest.raises(RequestError, match=said) as refused:
        read(tmp_path, text)
    where = f"fabric.toml:{line}" if line else "fabric.toml"
    assert where in refused.value.message
    assert "\n" not in refused.value.message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"missing\.toml"):
        decode(tmp_path / "missing.toml", Fabric)
