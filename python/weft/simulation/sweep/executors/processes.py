"""Worker processes on this machine, which end with their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait


def open_processes(count: int) -> ProcessPoolExecutor:
    """A pool of `count` processes, forked from a server process that has already imported what they need."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["weft.simulation.sweep.work_list"])
    return ProcessPoolExecutor(count, context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """Leaves interrupts to the parent, and ends this process with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent() -> None:
    """Ends this process if its parent was killed, because it would otherwise wait for work forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
