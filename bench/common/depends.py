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
IMPORTED = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)


def digests(bench: str, root: Path = ROOT) -> dict[str, str]:
    """By part: `crates`, `catalog`, and `bench`, the script with others whose values it takes."""
    return {**_model(root), "bench": _digest(root, *sorted(_scripts(root / "bench", bench)))}


def changed(bench: str, saved: Mapping[str, str] | None, root: Path = ROOT) -> list[str]:
    """The parts that are not as a result says; all, where it says nothing."""
    return [part for part, now in digests(bench, root).items() if (saved or {}).get(part) != now]


def _scripts(folder: Path, bench: str) -> set[Path]:
    """Of a bench and of all that it imports out of the same folder, by whatever way."""
    found, left = set[Path](), [folder / f"{bench}.py"]
    while left:
        script = left.pop()
        if script not in found and script.is_file():
            found.add(script)
            left += [folder / f"{name}.py" for name in IMPORTED.findall(script.read_text())]
    return found


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
