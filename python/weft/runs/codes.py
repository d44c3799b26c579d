"""What the codes of warnings and findings mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import groupby

from weft.base import catalog
from weft.base.markdown import markdown_table
from weft.base.toml_file import TomlTable, decode


@dataclass(frozen=True)
class Code:
    """A code, which may end in "*"; what it means, and what to `do`; `where` it comes from."""

    code: str
    means: str
    do: str
    where: str


class _Entry(TomlTable, frozen=True):
    means: str
    do: str


class _Section(TomlTable, frozen=True):
    title: str
    codes: dict[str, _Entry]


@cache
def codes() -> tuple[Code, ...]:
    """All there are, in the order of the catalogue's file."""
    sections = decode(catalog.folder("code").parent / "codes.toml", dict[str, _Section]).values()
    return tuple(
        Code(code, entry.means, entry.do, section.title)
        for section in sections
        for code, entry in section.codes.items()
    )


def explained(code: str) -> list[Code]:
    """What a code means, in each place that has it; none for one that there is not."""
    return [one for one in codes() if fnmatchcase(code, one.code)]


def page() -> str:
    """docs/codes.md."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    seen: set[str] = set()
    for where, mine in groupby(codes(), lambda one: one.where):
        yield f"\n## {where}\n"
        yield from markdown_table(
            ("code", "meaning", "what to do"), [_row(one, seen) for one in mine]
        )


def _row(code: Code, seen: set[str]) -> tuple[str, str, str]:
    """Cells of a code, with an anchor where it is not yet among those `seen`, to which it is added."""
    anchor = "" if code.code in seen else f'<a id="{code.code.rstrip("*")}"></a>'
    seen.add(code.code)
    return f"{anchor}`{code.code}`", code.means, code.do


_HEAD = """# What does this warning mean?

```
weft explain buffer-capped
```

Each warning, finding and cause has a code, which JSON documents have as `code` or `cause`. `weft explain`
lists all, `weft explain CODE` explains one."""
