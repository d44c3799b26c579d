"""Regular expressions of the package, and texts on which each would take longest if it backtracked."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SCANNING = ("search", "finditer", "findall", "sub", "split")
"""Methods that try an expression at every place."""
CHARACTERS = 'a0 .,-:[](){}\t\n"=/%#<>|_Z1$!'


@dataclass(frozen=True)
class Expression:
    """An expression with its flags, where it is, and whether it is tried at every place of a text."""

    where: str
    pattern: re.Pattern[str]
    scans: bool


def expressions(package: Path) -> Iterator[Expression]:
    """All literal ones of a package."""
    for path in sorted(package.rglob("*.py")):
        source = path.read_text()
        if "re." not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if found := _literal(node):
                method, text, flags, name = found
                used = rf"{name}\.({'|'.join(SCANNING)})\(" if name else ""
                scans = (
                    method in SCANNING or name == "SIGN" or bool(name and re.search(used, source))
                )
                where = f"{path.relative_to(package)}:{node.lineno}"  # type: ignore[attr-defined]
                yield Expression(where, re.compile(text, flags), scans)


def _literal(node: ast.AST) -> tuple[str, str, int, str] | None:
    """Method, text, flags and the name that is given to it."""
    name, call = "", node
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name, call = node.targets[0].id, node.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return None
    if not (isinstance(call.func.value, ast.Name) and call.func.value.id == "re" and call.args):
        return None
    if (call.func.attr == "compile") != bool(name):
        return None
    text = call.args[0]
    if not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
        return None
    said = " ".join(ast.unparse(one) for one in [*call.args[1:], *(k.value for k in call.keywords)])
    flags = sum(
        getattr(re, one) for one in ("MULTILINE", "DOTALL", "IGNORECASE", "ASCII") if one in said
    )
    return call.func.attr, text.value, flags, name


def attacks(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Texts that reach a repetition, give it much to repeat, and then fail."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    for before, pump in sorted(set(_pumps(list(tree)))):
        many = pump * (length // len(pump))
        for tail in ("", "!\n", "\0"):
            yield before + many + tail


def _pumps(items: list[Any], before: str = "") -> Iterator[tuple[str, str]]:
    for index, (kind, value) in enumerate(items):
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            _, most, inner = value
            if most > 20:
                for one in _samples(list(inner)):
                    yield before, one
                    # What two neighbours can both take is shared out in every way.
                    yield before, one + "".join(_samples(items[index + 1 : index + 2])[:1])
            yield from _pumps(list(inner), before)
        elif kind is kinds.SUBPATTERN:
            yield from _pumps(list(value[3]), before)
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                yield from _pumps(list(branch), before)
        before += (_samples([(kind, value)]) or [""])[0]


def _samples(items: list[Any]) -> list[str]:
    """Some texts that match, a few for each part."""
    parts = [_of_item(kind, value) for kind, value in items]
    return ["".join(one) for one, _ in zip(product(*parts), range(12), strict=False)]


def _of_item(kind: Any, value: Any) -> list[str]:
    if kind is kinds.LITERAL:
        return [chr(value)]
    if kind in (kinds.ANY, kinds.IN, kinds.NOT_LITERAL, kinds.CATEGORY):
        return _of_class(kind, value)
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        least, _, inner = value
        return [one * max(least, 1) for one in _samples(list(inner))][:6] or [""]
    if kind is kinds.SUBPATTERN:
        return _samples(list(value[3]))
    if kind is kinds.BRANCH:
        return [one for branch in value[1] for one in _samples(list(branch))[:2]]
    return [""]


def _of_class(kind: Any, value: Any) -> list[str]:
    compiled = re._compiler.compile(_pattern_of(kind, value))  # type: ignore[attr-defined]
    return [one for one in CHARACTERS if compiled.fullmatch(one)] or ["a"]


def _pattern_of(kind: Any, value: Any) -> Any:
    tree = parser.parse("x")
    tree.data[0] = (kind, value)
    return tree
