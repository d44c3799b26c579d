"""Follows runs while browsers show them, and reports changes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Hashable
from pathlib import Path
from typing import Any

import msgspec

from weft.base.errors import WeftError
from weft.faces.server.folders import State, state_of
from weft.faces.server.views import RunMoment, Views

POLL_S = 0.4
"""Interval at which the folder's state is read. Nothing is computed while it is unchanged."""
REST = 3.0
"""The pause after each reading, as a multiple of its duration, which may be long for a large run."""
ALIVE_S = 15.0
"""Interval of comments, which detect browsers that have left."""

Event = tuple[str, Any]


class RunWatch:
    """One run, for all browsers that show it. `since` gives what has changed after a number; numbers also increase from
    one watch to the next, because they come from the clock."""

    def __init__(self, path: Path, views: Views) -> None:
        self._path, self._views = path, views
        self.number = int(time.time() * 1000)
        self._begin = self.number
        self._parts: dict[Hashable, tuple[int, bytes]] = {}
        self._has_changed = asyncio.Event()
        self.is_gone = False
        self.is_over = False
        self._was_live = False

    async def follow(self) -> None:
        """Follow the run until this is cancelled or the run is gone. However it ends, no stream keeps waiting."""
        try:
            await self._follow()
        finally:
            self.end()

    async def _follow(self) -> None:
        before: State | None = None
        while not self.is_gone:
            state = await asyncio.to_thread(state_of, self._path)
            if not state:
                self.is_gone = True
            elif state != before or self._was_live:
                took_s, before = await self._look(), state
                await asyncio.sleep(max(POLL_S, REST * took_s))
            else:
                await asyncio.sleep(POLL_S)

    async def _look(self) -> float:
        """Read what has changed on disk; returns the duration in s."""
        began_s = time.monotonic()
        try:
            look = await self._views.look(self._path)
        except FileNotFoundError:
            pass
        except WeftError as error:
            self._put("status", {"error": {"message": error.message, "hint": error.hint}})
        except OSError as error:
            self._put("status", {"error": {"message": str(error.strerror), "hint": ""}})
        else:
            self._take(look)
        self._wake()
        return time.monotonic() - began_s

    def _take(self, look: RunMoment) -> None:
        self._was_live = look.is_live
        points = {(point.step, point.size_bytes): point for point in look.points}
        for key, point in points.items():
            self._put(("point", *key), point.to_json())
        for known in self._parts:
            if isinstance(known, tuple) and known[1:] not in points:
                self._put(known, None)
        for name in ("status", "matrix", "xray"):
            self._put(name, getattr(look, name))

    def _put(self, key: Hashable, document: Any) -> None:
        text = encode(document)
        if key not in self._parts or self._parts[key][1] != text:
            self._parts[key] = self.number + 1, text

    def _wake(self) -> None:
        self.number = max(self.number + 1, int(time.time() * 1000))
        self._has_changed.set()
        self._has_changed = asyncio.Event()

    def end(self) -> None:
        """Tell all listeners that there is no more to come."""
        self.is_over = True
        self._wake()

    async def events(self, last: int) -> AsyncIterator[bytes]:
        """Changes after event `last`, and further changes as they happen, as server-sent events."""
        if last > self.number or last < self._begin:
            last = 0
        while True:
            has_changed, number = self._has_changed, self.number
            for name, data in self._since(last):
                yield _event(name, data, number)
            last = number
            if self.is_gone:
                yield _event("gone", b"{}", number)
            if self.is_gone or self.is_over:
                return
            try:
                async with asyncio.timeout(ALIVE_S):
                    await has_changed.wait()
            except TimeoutError:
                yield b": still here\n\n"

    def _since(self, last: int) -> list[tuple[str, bytes]]:
        fresh = {key: text for key, (at, text) in self._parts.items() if at > last}
        points = {key: fresh.pop(key) for key in list(fresh) if isinstance(key, tuple)}
        found = [(str(name), text) for name, text in fresh.items()]
        if points:
            there = [text for text in points.values() if text != b"null"]
            removed = [list(key[1:]) for key, text in points.items() if text == b"null"]
            data = b'{"points":[' + b",".join(there) + b'],"removed":' + encode(removed) + b"}"
            found.append(("points", data))
        return found


class Watches:
    """A watch for each run that a browser shows."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._watches: dict[Path, tuple[RunWatch, asyncio.Task[None], list[int]]] = {}

    async def events(self, path: Path, last: int) -> AsyncIterator[bytes]:
        """The events of a run; its watch ends with the last listener."""
        if path not in self._watches or self._watches[path][0].is_over:
            watch = RunWatch(path, self._views)
            self._watches[path] = watch, asyncio.create_task(watch.follow()), [0]
        entry = self._watches[path]
        watch, task, listeners = entry
        listeners[0] += 1
        try:
            async for event in watch.events(last):
                yield event
        finally:
            listeners[0] -= 1
            if not listeners[0]:
                task.cancel()
                if self._watches.get(path) is entry:
                    del self._watches[path]

    def end(self) -> None:
        """End all streams."""
        for watch, _, _ in self._watches.values():
            watch.end()


def encode(document: Any) -> bytes:
    """A document as JSON; numbers of numpy become Python's."""
    return msgspec.json.encode(document, enc_hook=_plain)


_plain: Callable[[Any], Any] = lambda number: number.item()  # noqa: E731


def _event(name: str, data: bytes, number: int) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), data)
