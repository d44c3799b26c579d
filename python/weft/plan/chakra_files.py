"""Files of a Chakra trace: NAME.RANK.et, one for each rank from 0 on."""

from __future__ import annotations

import re
from pathlib import Path

from weft.base.errors import RequestError

SUFFIX = ".et"
_NAMED = re.compile(r"(?P<name>.+)\.(?P<rank>0|[1-9]\d*)\.et")


def is_chakra(path: Path) -> bool:
    """Whether a path refers to a Chakra trace."""
    return path.suffix == SUFFIX or path.is_dir()


def files_of(path: Path) -> list[Path]:
    """The files of all ranks, given their folder or one of the files; raises RequestError if one is missing."""
    found = _by_rank(path)
    missing = next(rank for rank in range(len(found) + 1) if rank not in found)
    if missing < len(found):
        one = next(iter(found.values()))
        absent = one.with_name(re.sub(r"\.\d+\.et$", f".{missing}.et", one.name))
        raise RequestError(
            f"{absent}: no such file, and there is one of rank {max(found)}",
            "a trace of Chakra has a file for each rank from 0 on",
        )
    return [found[rank] for rank in range(len(found))]


def _by_rank(path: Path) -> dict[int, Path]:
    folder, wanted = (path, None) if path.is_dir() else (path.parent, _name(path))
    names: dict[str, dict[int, Path]] = {}
    for file in folder.glob(f"*{SUFFIX}"):
        if named := _NAMED.fullmatch(file.name):
            names.setdefault(named["name"], {})[int(named["rank"])] = file
    if wanted is None and len(names) > 1:
        listed = ", ".join(f"{name}.0{SUFFIX}" for name in sorted(names))
        raise RequestError(
            f"{path}: has the traces of several applications",
            f"give the file of a rank of one: {listed}",
        )
    found = next(iter(names.values()), None) if wanted is None else names.get(wanted)
    if found is None:
        raise _wrong(path, f"has no file NAME.RANK{SUFFIX}" if wanted is None else "no such file")
    return found


def _name(path: Path) -> str:
    named = _NAMED.fullmatch(path.name)
    if named is None:
        raise _wrong(path, "its name says no rank")
    return named["name"]


def _wrong(path: Path, why: str) -> RequestError:
    return RequestError(f"{path}: {why}", "a trace of Chakra is NAME.0.et, NAME.1.et, ...")
