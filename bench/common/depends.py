"""What a saved result depends on: digests of the model that it judges, and of the goals that it was held against.

They are made anew for the page, and a result is stale where they differ.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from common.benches import benches
from common.checkout import ROOT

MODEL = ("machines", "fabrics", "plans", "mpi", "prices", "decisions", "published")
"""Folders of the catalogue that results follow from; the others are texts and lists for readers."""
ARITHMETIC = {"calibration", "rolling_alerts", "watch_series"}
"""Benches that call neither simulators nor testbeds."""
FOLDERS = {"common.calibrated"}
"""Those of `bench` of which all scripts belong to the bench that imports one."""
OF_ALL = {"common.checkout", "common.machine", "common.results"}
"""What all benches print and save with; no value follows from it."""
IMPORTED = re.compile(r"^(?:import|from) ([\w.]+)(?: import ([\w, ]+))?", re.MULTILINE)
JUDGED = re.compile(r"^from (weft[\w.]+) import", re.MULTILINE)
REASONS = {"expected", "EXPECTED"}
"""Names of what says why a miss is expected, from which no value follows."""


def digests(bench: str, root: Path = ROOT) -> dict[str, str]:
    """By part: `crates`, `catalog`, and `bench`, the script with others whose values it takes.

    Of a bench that judges Python alone, `weft` (the modules that it imports) instead of the first two.
    """
    scripts = sorted(_scripts(root, bench))
    model = (
        {"weft": _code_digest(root, _modules(root, scripts))}
        if bench in ARITHMETIC
        else _model(root)
    )
    return {**model, "bench": _short(sorted(map(_code, scripts)))}


def changed(bench: str, saved: Mapping[str, str] | None, root: Path = ROOT) -> list[str]:
    """The parts that are not as a result says; all, where it says nothing."""
    return [part for part, now in digests(bench, root).items() if (saved or {}).get(part) != now]


def _scripts(root: Path, bench: str) -> set[Path]:
    """Of a bench and of all that it imports out of `bench`, by whatever way."""
    folder, found = root / "bench", set[Path]()
    left = [benches(root)[bench].path]
    while left:
        script = left.pop()
        if script not in found and script.is_file():
            found.add(script)
            names = _imported(script) - OF_ALL
            left += [folder / f"{name.replace('.', '/')}.py" for name in names]
            folders = [folder / name.replace(".", "/") for name in names & FOLDERS]
            left += [one for room in folders for one in room.glob("*.py")]
    return found


def _imported(script: Path) -> set[str]:
    """Modules, and what is imported from one, which may be a module too."""
    found = IMPORTED.findall(script.read_text())
    inner = {
        f"{name}.{part.split()[0]}"
        for name, parts in found
        for part in parts.split(",")
        if part.strip()
    }
    return inner | {name for name, _ in found}


def _modules(root: Path, scripts: list[Path]) -> list[Path]:
    """Of weft, those that the scripts import by name, and all beside these in folders of their own."""
    names = {name for one in scripts for name in JUDGED.findall(one.read_text())}
    paths = [root / "python" / f"{name.replace('.', '/')}.py" for name in names]
    rooms = {path.parent for path in paths} - {root / "python/weft/base"}
    beside = {one for room in rooms for one in room.glob("*.py")}
    return sorted(path for path in beside.union(paths) if path.is_file())


@cache
def _model(root: Path) -> dict[str, str]:
    sources = sorted([*root.glob("crates/**/*.rs"), *root.glob("crates/**/Cargo.toml")])
    crates = [one for one in sources if "tests" not in one.relative_to(root).parts]
    entries = sorted(one for name in MODEL for one in root.glob(f"catalog/{name}/**/*.toml"))
    return {"crates": _digest(root, *crates), "catalog": _digest(root, *entries)}


def _digest(root: Path, *files: Path) -> str:
    """Of names and contents."""
    return _short(
        f"{file.relative_to(root)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n"
        for file in files
    )


def _code_digest(root: Path, modules: Iterable[Path]) -> str:
    """Of names and code: what a module says of itself changes no result."""
    return _short(f"{one.relative_to(root)} {_code(one)}\n" for one in modules)


def _short(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def _code(script: Path) -> str:
    """What a script does, wherever it and what it imports stand: without imports and words for readers."""
    return _plain(ast.parse(script.read_text()))


def _plain(node: object) -> str:
    """The same in all versions of Python, of which some have more fields, empty here."""
    if isinstance(node, list):
        return "[" + ",".join(_plain(one) for one in node if not _is_aside(one)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(key, part) for key, part in ast.iter_fields(node) if part not in (None, [])]
    return f"{type(node).__name__}({','.join(f'{key}={_plain(part)}' for key, part in fields)})"


def _is_aside(node: object) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.keyword(arg=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return name in REASONS
    return False
