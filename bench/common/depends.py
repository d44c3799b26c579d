"""What a saved result depends on: digests of the model that it judges, and of the goals that it was held against.

They are made anew for the page, and a result is stale where they differ.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ("machines", "fabrics", "plans", "mpi", "prices", "decisions", "published")
"""Folders of the catalogue that results follow from; the others are texts and lists for readers."""
ARITHMETIC = {"calibration", "watch_series"}
"""Benches that call neither simulators nor testbeds."""
FOLDERS = {"calibrated"}
"""Those of `bench` of which all scripts belong to the bench that imports one."""
OF_ALL = {"common.machine", "common.results"}
"""What all benches print and save with; no value follows from it."""
IMPORTED = re.compile(r"^(?:import|from) ([\w.]+)", re.MULTILINE)
JUDGED = re.compile(r"^from (weft[\w.]+) import", re.MULTILINE)


def digests(bench: str, root: Path = ROOT) -> dict[str, str]:
    """By part: `crates`, `catalog`, and `bench`, the script with others whose values it takes.

    Of a bench that judges Python alone, `weft` (the modules that it imports) instead of the first two.
    """
    scripts = sorted(_scripts(root / "bench", bench))
    model = (
        {"weft": _digest(root, *_modules(root, scripts))} if bench in ARITHMETIC else _model(root)
    )
    return {**model, "bench": _digest(root, *scripts)}


def changed(bench: str, saved: Mapping[str, str] | None, root: Path = ROOT) -> list[str]:
    """The parts that are not as a result says; all, where it says nothing."""
    return [part for part, now in digests(bench, root).items() if (saved or {}).get(part) != now]


def _scripts(folder: Path, bench: str) -> set[Path]:
    """Of a bench and of all that it imports out of `bench`, by whatever way."""
    found, left = set[Path](), [folder / f"{bench}.py"]
    while left:
        script = left.pop()
        if script not in found and script.is_file():
            found.add(script)
            names = {*IMPORTED.findall(script.read_text())} - OF_ALL
            left += [folder / f"{name.replace('.', '/')}.py" for name in names]
            left += [one for name in names & FOLDERS for one in (folder / name).glob("*.py")]
    return found


def _modules(root: Path, scripts: list[Path]) -> list[Path]:
    """Of weft, those that the scripts import by name, and all beside these in folders of their own."""
    names = {name for one in scripts for name in JUDGED.findall(one.read_text())}
    paths = [root / "python" / f"{name.replace('.', '/')}.py" for name in names]
    rooms = {path.parent for path in paths} - {root / "python" / "weft"}
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
    whole = hashlib.sha256()
    for file in files:
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        whole.update(f"{file.relative_to(root)} {content}\n".encode())
    return whole.hexdigest()[:16]
