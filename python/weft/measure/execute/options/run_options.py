"""The options of a run besides its plan and its testbed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct


class RunOptions(Struct, frozen=True, kw_only=True):
    """The keywords of `weft.run`, whose page explains them, and the options of `weft run`, by the same names.

    Those from `launches` to `compress` change keys of the plan (see `overrides_of`). The default `scale` is 1, or for a
    lab the largest that this machine carries.
    """

    out: str | os.PathLike[str] | None = None
    scale: float | None = None
    nodes: int | None = None
    ports: str | None = None
    cpus: str | Sequence[int] | None = None
    patience_s: float = 10.0
    against: str | os.PathLike[str] | None = None
    launches: int | None = None
    until: str | None = None
    transport: str | None = None
    mpi: str | None = None
    interfaces: str | Sequence[str] | None = None
    settings: Mapping[str, object] | None = None
    gamma: str | None = None
    users: str | None = None
    page: str | None = None
    server: str | None = None
    trace: str | os.PathLike[str] | None = None
    victim: str | None = None
    congestors: Sequence[str] = ()
    file: str | os.PathLike[str] | None = None
    to: str | os.PathLike[str] | None = None
    overwrite: bool = False
    compress: str | None = None


USUAL_OPTIONS = RunOptions()
