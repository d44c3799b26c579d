"""An event loop for work with agents, even if one is already running, as in the kernel of a notebook."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


def run_to_end(work: Coroutine[None, None, T]) -> T:
    """The result of the work, run in an event loop of its own. An interrupt cancels the work, waits for its clean-up,
    and is then raised as KeyboardInterrupt.

    If this thread already runs a loop, the new one runs in another thread, for which this one waits.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with _waits_without_threads(), _terminates_as_before():
            return asyncio.run(work)
    return _run_beside(work)


@contextmanager
def _waits_without_threads() -> Iterator[None]:
    """Avoid a thread for each process: before Python 3.12 asyncio waits for processes in threads, one for each of a
    thousand logins. The replacement serves all loops but knows only the main thread's, so it is installed temporarily.
    """
    has_threads = sys.version_info < (3, 12) and hasattr(os, "pidfd_open")
    if not has_threads or not _is_main_thread():
        yield
        return
    before = asyncio.get_child_watcher()
    asyncio.set_child_watcher(asyncio.PidfdChildWatcher())
    try:
        yield
    finally:
        asyncio.set_child_watcher(before)


def _run_beside(work: Coroutine[None, None, T]) -> T:
    started: Future[Callable[[], object]] = Future()

    async def cancellable() -> T:
        task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
        started.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await task

    with _interruptible(), ThreadPoolExecutor(1, "weft") as threads:
        result = threads.submit(asyncio.run, cancellable())
        try:
            return result.result()
        except KeyboardInterrupt:
            # Signals reach the main thread only; leaving the block waits until the work has cleaned up.
            if not result.done():
                started.result()()
            raise


@contextmanager
def _terminates_as_before() -> Iterator[None]:
    """Keep the handling of termination requests: a loop that ends would reset it so that they kill the process."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if _is_main_thread() and before is not None:
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Raise interrupts in this thread: a running loop's handler would only cancel the waiting task."""
    before = signal.getsignal(signal.SIGINT)
    if not _is_main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def cancel_on_terminate() -> None:
    """Let the first termination request to the process cancel this task (main thread only). Further ones are ignored,
    because they would cut off the clean-up; `timeout` signals both the process and its group."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    if task is None or not _is_main_thread():
        return

    def cancel() -> None:
        loop.add_signal_handler(signal.SIGTERM, lambda: None)
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, cancel)
