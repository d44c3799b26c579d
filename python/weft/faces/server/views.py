"""The state of recently viewed runs."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from weft.faces.server.folders import is_live
from weft.faces.server.samples import samples_document
from weft.faces.server.view import RunView
from weft.understand.curve.points import CurvePoint

MOST_ROWS = 2_000_000
"""Batches kept for all runs together, 12 to 52 bytes each; the run requested last is always kept."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class RunMoment:
    """A run at one moment; `matrix` and `xray` as in weft.faces.server.content."""

    is_live: bool
    status: dict[str, Any]
    points: list[CurvePoint]
    matrix: dict[str, Any]
    xray: dict[str, Any] | None


class Views:
    """Reads runs in a thread of its own, so that other threads can answer."""

    def __init__(self) -> None:
        self._views: OrderedDict[Path, RunView] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, "looks")

    async def look(self, path: Path) -> RunMoment:
        """The current state of a run; raises RequestError, FileNotFoundError."""
        return await self._do(lambda: self._look(path))

    async def samples(self, path: Path, selected: Mapping[str, int], limit: int) -> dict[str, Any]:
        """The selected batches of a run (weft.faces.server.samples)."""
        return await self._do(lambda: samples_document(path, selected, limit))

    async def _do(self, work: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        self._thread.shutdown(cancel_futures=True)

    def _look(self, path: Path) -> RunMoment:
        view = self._view(path)
        try:
            view.refresh()
        except BaseException:
            del self._views[path]
            raise
        while len(self._views) > 1 and sum(one.rows for one in self._views.values()) > MOST_ROWS:
            self._views.popitem(last=False)
        meta = view.meta
        live = is_live(path, meta.status)
        status = {"status": meta.status, "live": live, "samples": view.rows}
        return RunMoment(
            is_live=live,
            status={**status, "done": len(meta.done), "warnings": meta.warnings},
            points=view.points,
            matrix=view.matrix,
            xray=view.xray(is_over=not live),
        )

    def _view(self, path: Path) -> RunView:
        if path not in self._views:
            self._views[path] = RunView(path)
        self._views.move_to_end(path)
        return self._views[path]
