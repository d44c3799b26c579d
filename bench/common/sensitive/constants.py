"""The constants of packages: numbers that modules name in capitals, and the sentences that give their reasons.

Seeds, and -1 for none, are no constants: any other number would do.

A constant is a name at the top of a module, in capitals, whose expression has a number of its own. What follows from
other constants, such as `min(LOOKS)`, is none, and neither are objects that are made with texts, such as columns.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass

from common.checkout import ROOT
from common.saved import FOLDER

PYTHON = ROOT / "python"
PACKAGES = {
    "xray": "weft.understand.xray",
    "paths": "weft.understand.paths",
    "grey": "weft.understand.grey",
    "explain": "weft.understand.explain",
    "links": "weft.links.analysis",
}
"""By part of the result. Those whose constants must have a reason, and a row in the saved result."""

SEED, NO_PLACE = "SEED", "-1"


@dataclass(frozen=True)
class NamedNumber:
    """A constant where it is defined; `reason` is the text below it, or above it, and empty where there is none."""

    module: str
    name: str
    reason: str


def named_numbers(package: str) -> Iterator[NamedNumber]:
    """Of a package and all below it, by its dotted name."""
    folder = PYTHON / package.replace(".", "/")
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(PYTHON).with_suffix("").parts)
        yield from numbers_of(module, path.read_text())


def numbers_of(module: str, source: str) -> Iterator[NamedNumber]:
    """Of a module by its source."""
    for names, reason in _assigned(source):
        yield from (NamedNumber(module, name, reason) for name in names)


def row_name(one: NamedNumber) -> str:
    """How the saved row of a constant is called."""
    return f"{one.module.removeprefix('weft.')}.{one.name}"


def saved_rows(bench: str, part: str) -> dict[str, float]:
    """The factors of the constants of a part by their rows; empty where nothing is saved."""
    path = FOLDER / f"{bench}-{part}.json"
    goals = json.loads(path.read_text())["goals"] if path.exists() else []
    return {one["what"]: one["measured"] for one in goals if one["unit"] == "times"}


def _assigned(source: str) -> Iterator[tuple[list[str], str]]:
    """Names that are given numbers together, and why: the docstring below, a comment above or beside."""
    lines = source.splitlines()
    body = ast.parse(source).body
    for node, following in zip(body, [*body[1:], None], strict=True):
        names = _names(node)
        if not names or not _is_numeric(node):
            continue
        yield names, _docstring(following) or _comment(lines, node)


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            found = [one.id for one in ast.walk(target) if isinstance(one, ast.Name)]
            return [one for one in found if one.isupper() and one != SEED]
    return []


def _is_numeric(node: ast.stmt) -> bool:
    """Whether an assignment has a number, other than those of objects that are made with texts."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if value is None or ast.unparse(value) == NO_PLACE:
        return False
    return any(
        isinstance(one, int | float) and not isinstance(one, bool) for one in _literals(value)
    )


def _literals(node: ast.AST) -> Iterator[object]:
    if isinstance(node, ast.Constant):
        yield node.value
    found = [one for part in ast.iter_child_nodes(node) for one in _literals(part)]
    is_made = isinstance(node, ast.Call) and any(isinstance(one, str) for one in found)
    if not is_made and not isinstance(node, ast.JoinedStr):
        yield from found


def _docstring(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str() as text)):
            return text
    return ""


def _comment(lines: list[str], node: ast.stmt) -> str:
    above = lines[node.lineno - 2] if node.lineno > 1 else ""
    return above.lstrip("# ") if above.startswith("#") else ""
