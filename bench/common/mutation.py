"""Damaged files: JSON, TOML and bytes changed at random, and things that are no files in their place."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

ODD = (
    *(None, True, False, -1, 0, 1, 7, 1.5, 2**31, 2**63, 10**30, -1e308, 1e308),
    *(
        "",
        "x",
        "\0",
        "\ud800",
        "n1",
        "../..",
        "A" * 5000,
        "tcp",
        "xray",
        [],
        {},
        [[]],
        [{}],
        {"": None},
    ),
)
"""What a value is replaced with."""
ODD_TOML = (
    *('""', '"x"', "-1", "0", "1.5", "inf", "nan", "true", "[]", "{}", '["x"]', "[[[[1]]]]"),
    *('"\\u0000"', "99999999999999999999", "9223372036854775807", '"1 EiB"', "1979-05-27", "'"),
)
DEEP = "[" * 100_000


def change_file(path: Path, chance: Random) -> None:
    """Damage one file: its content as what it is, its bytes, or the file itself."""
    kind = {".json": change_json, ".toml": change_toml}.get(path.suffix, change_bytes)
    chance.choice([kind, kind, kind, kind, change_bytes, inflate, replace_file])(path, chance)


def change_json(path: Path, chance: Random) -> None:
    """Remove, replace, double or nest some values."""
    document = json.loads(path.read_text())
    for _ in range(chance.choice([1, 1, 1, 3])):
        _change_value(document, chance)
    path.write_text(json.dumps(document).replace('"DEEP"', DEEP))


def _change_value(document: Any, chance: Random) -> None:
    at = document
    while isinstance(at, dict | list) and at:
        key = chance.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[key], dict | list) or not at[key] or chance.random() < 0.15:
            return _change_at(at, key, chance)
        at = at[key]
    return None


def _change_at(holder: Any, key: Any, chance: Random) -> None:
    what = chance.randrange(8)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, list):
        holder.append(deepcopy(holder[key]))
    elif what == 2:
        holder[key] = "DEEP"
    elif what == 3 and isinstance(holder[key], int):
        holder[key] += chance.choice([-1, 1, 100])
    else:
        # Of the same type more often than not: that goes further.
        alike = [one for one in ODD if type(one) is type(holder[key])]
        # A copy: what is changed next may lie in it.
        holder[key] = deepcopy(chance.choice(alike if alike and what > 4 else ODD))


def change_toml(path: Path, chance: Random) -> None:
    """Remove, double or swap some lines, or give a key another value."""
    lines = path.read_text().splitlines()
    for _ in range(chance.choice([1, 1, 1, 3])):
        at = chance.randrange(len(lines))
        what = chance.randrange(6)
        if what == 0:
            lines[at] = ""
        elif what == 1:
            lines.insert(at, chance.choice(lines))
        elif what == 2:
            lines[at] = f"x = {DEEP}"
        else:
            lines[at] = f"{lines[at].partition('=')[0]}= {chance.choice(ODD_TOML)}"
    path.write_text("\n".join(lines))


def change_bytes(path: Path, chance: Random) -> None:
    """Flip bits, cut it short, or write something else."""
    content = bytearray(path.read_bytes())
    what = chance.randrange(5)
    if what == 0 or not content:
        content = bytearray(chance.randbytes(chance.randrange(200)))
    elif what == 1:
        del content[chance.randrange(len(content)) :]
    elif what == 2:
        at = chance.randrange(len(content))
        content[at:at] = chance.choice([b"\0", b"\xff\xfe", b"\n", b"9" * 40])
    else:
        for _ in range(chance.choice([1, 1, 20])):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


_PIECES = (b"9", b" ", b"[", b"{", b"(", b"a,", b"\t", b"\n", b"-", b'"', b"<a>")


def inflate(path: Path, chance: Random) -> None:
    """A part of it so many times over that it has less than a megabyte: a line, a field, a character; or one number or
    a run of blanks that long."""
    content = path.read_bytes()
    if not content:
        return
    lines = content.splitlines(keepends=True)
    line = chance.choice(lines)
    field = chance.choice(line.split() or [b"9"])
    start = chance.randrange(len(content))
    piece = chance.choice(
        [line, field, field + b" ", content[start : start + chance.randrange(1, 20)], *_PIECES]
    )
    many = piece * (chance.choice([5000, 100_000, 900_000]) // len(piece))
    at = content.find(field) if chance.random() < 0.7 else start
    path.write_bytes((content[:at] + many + content[at:])[: 1 << 20])


def replace_file(path: Path, chance: Random) -> None:
    """Something else in its place: a pipe that nothing writes to, a folder, a device, nothing."""
    path.unlink()
    made: list[Callable[[], object]] = [
        lambda: os.mkfifo(path),
        path.mkdir,
        lambda: path.symlink_to("/dev/zero"),
        lambda: path.symlink_to("/nowhere/at-all"),
        lambda: path.symlink_to(path),
        lambda: None,
    ]
    chance.choice(made)()


def remove(path: Path) -> None:
    """Whatever it is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
