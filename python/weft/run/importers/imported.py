"""What an importer gives back, and what every importer needs to build it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from weft.errors import RequestError
from weft.run.meta import RunMeta, Status
from weft.run.samples import SCHEMA

MAX_FILE_BYTES = 16 * 2**20
"""No tool that is imported prints more; a larger file is something else."""


@dataclass(frozen=True)
class Options:
    """What a file cannot say about itself.

    `partial` imports the whole lines of a file that was cut. `bidir` says that both directions were
    busy, so that sizes and rates count both. `transport` names what carried the messages.
    """

    partial: bool = False
    bidir: bool = False
    transport: str = "unknown"


@dataclass(frozen=True)
class Row:
    """One timed batch of one size; `elapsed_ns` as in `weft.run.samples`."""

    size_bytes: int
    messages: int
    elapsed_ns: int


@dataclass(frozen=True)
class Imported:
    """A run that is not on disk yet."""

    meta: RunMeta
    samples: pa.RecordBatch
    status: Status


def read_text(path: Path) -> str:
    """The file's text; raises RequestError when there is none."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise RequestError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB, not a result file")
        return path.read_text()
    except UnicodeDecodeError:
        raise RequestError(f"{path}: not a text file") from None
    except OSError as error:
        raise RequestError(f"{path}: cannot read it: {error.strerror}") from None


def table(rows: Sequence[Row]) -> pa.RecordBatch:
    """Samples of a single launch, one phase a row; the tools do not say when they measured."""
    count = len(rows)
    columns: dict[str, list[int]] = {name: [0] * count for name in SCHEMA.names}
    columns["phase"] = list(range(count))
    columns["dst"] = [1] * count
    for name in ("size_bytes", "messages", "elapsed_ns"):
        columns[name] = [getattr(row, name) for row in rows]
    return pa.RecordBatch.from_pydict(columns, schema=SCHEMA)


def pingpong_plan(name: str, title: str, transport: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The resolved plan that describes an imported ping-pong: what it measured, once."""
    options = dict.fromkeys(("send_buffer_bytes", "receive_buffer_bytes", "congestion", "cpus"))
    step = {
        "name": "pingpong",
        "pattern": {"kind": "pingpong"},
        "transport": transport,
        "options": {**options, "nodelay": True, "wait": "auto", "verify": False},
        "sizes": {"schedule": "list", "bytes": [row.size_bytes for row in rows]},
        "stop": {"rule": "count", "repeats": max(row.messages for row in rows), "trials": 1},
        "until_ns": None,
    }
    return {"name": name, "title": title, "launches": 1, "steps": [step]}
