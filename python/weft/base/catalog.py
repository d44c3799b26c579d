"""The catalogue: plans, fabrics and other files that come with weft, found by name."""

from __future__ import annotations

import difflib
import os
import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from weft.base.errors import RequestError
from weft.base.files.missing import similar_path
from weft.base.files.text_file import parse_toml, read_text

_PACKAGE = Path(__file__).resolve().parent.parent
_LONGEST_BYTES = 1 << 20
_SUFFIX = ".toml"
MOST_LISTED = 12
"""Names are listed in a message up to so many."""
FEW = 6
"""Examples of more names."""
_SYNONYMS = {
    "throughput": "stream",
    "bandwidth": "stream",
    "iperf": "stream",
    "iperf3": "stream",
    "ping": "latency",
    "pingpong": "latency",
    "roundtrip": "latency",
    "rtt": "latency",
    "allreduce": "collectives",
    "linpack": "hpl",
    "foldedclos": "clos",
}
"""Names that others give to what the catalogue has."""


_FOLDERS = {"publication": "published"}
"""Kinds whose folder is not their plural."""


def folder(kind: str) -> Path:
    """The catalogue's folder of a kind: "plan", "fabric", ...

    An installed weft has its catalogue inside the package, a checkout beside it.
    """
    installed = _PACKAGE / "catalog"
    root = installed if installed.is_dir() else _PACKAGE.parent.parent / "catalog"
    return root / _FOLDERS.get(kind, f"{kind}s")


def names(kind: str) -> list[str]:
    """The catalogue's names of a kind, sorted."""
    return sorted(path.stem for path in folder(kind).glob(f"*{_SUFFIX}"))


def titles(kind: str) -> dict[str, str]:
    """The title of each entry of a kind, by name."""
    return {
        name: parse_toml(read(folder(kind) / f"{name}{_SUFFIX}"), name)["title"]
        for name in names(kind)
    }


def placements() -> dict[str, str]:
    """Titles of the catalogue's machines, by machine name with placement."""
    machines = {name: parse_toml(read(find("machine", name)), name) for name in names("machine")}
    return {
        f"{name}-{row}": machine["title"]
        for name, machine in machines.items()
        for row in machine["placements"]
    }


def find(kind: str, name: str) -> Path:
    """The file of a catalogue name or path; raises RequestError if there is none.

    Anything that ends in .toml or contains a slash is a path.
    """
    if name.endswith(_SUFFIX) or os.sep in name:
        return _existing(kind, Path(name))
    if name in names(kind):
        return folder(kind) / f"{name}{_SUFFIX}"
    raise RequestError(f"{kind} {name!r}: not in the catalogue", _other_names(kind, name))


def read(path: Path, longest_bytes: int = _LONGEST_BYTES) -> str:
    """The text of a catalogue file; raises RequestError if it cannot be read or is too long."""
    try:
        return read_text(path, longest_bytes, or_pipe=True)
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file") from None


def shown(path: Path) -> str:
    """A path for messages: relative to the working directory if that is shorter."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def known_names(wrong: str, known: Sequence[str], listing: str = "") -> str:
    """The hint on a `wrong` name: the known ones most similar to it, then all of them if they are few.

    Many are not listed: `listing` is the command that lists them.
    """
    if len(known) <= MOST_LISTED:
        return f"{did_you_mean(wrong, known)}known: {', '.join(known)}"
    lists = f"`{listing}` lists all {len(known)}" if listing else ""
    guess = did_you_mean(wrong, known)
    some = f"{len(known)} are known, such as {', '.join(known[:FEW])}"
    return f"{guess}{lists}".strip() or some


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """ "did you mean signature? ", or "" where no known name is similar."""
    near = similar(wrong, known)
    return f"did you mean {' or '.join(near)}? " if near else ""


def similar(wrong: str, known: Iterable[str]) -> list[str]:
    """The known names that `wrong` may stand for: those that differ in case and punctuation only, else what it is
    another word for, else the most similar one."""
    plain: dict[str, list[str]] = {}
    for name in known:
        plain.setdefault(_plain(name), []).append(name)
    word = _plain(wrong)
    if word in plain:
        return plain[word]
    other = _plain(_SYNONYMS.get(word, ""))
    near = [other] if other in plain else difflib.get_close_matches(word, plain, n=1)
    return plain[near[0]] if near else []


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())


def _existing(kind: str, path: Path) -> Path:
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file", _other_files(kind, path)) from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror or error}") from None
    if is_folder:
        raise RequestError(f"{path}: is a folder", f"give a {kind}'s {_SUFFIX} file")
    return path


def _other_files(kind: str, path: Path) -> str:
    if near := similar_path(path, _SUFFIX):
        return f"did you mean {near}?"
    return _other_names(kind, path.stem)


def _other_names(kind: str, wrong: str) -> str:
    known = known_names(wrong, names(kind), f"weft list {kind}s")
    return f"{known}; or give the path of a {_SUFFIX} file"
