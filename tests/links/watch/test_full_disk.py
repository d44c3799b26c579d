"""A site whose disk is full: it measures on into memory, says so, and writes it when there is room."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from support.live.waiting import wait_for
from support.live.watching import config, one, watch_folder, watched_link, watching

__all__ = ["watch_folder"]
pytestmark = pytest.mark.timed


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_costs_no_probe(watch_folder: Path) -> None:
    with (
        small_disk(watch_folder),
        watching(watch_folder / "full", config(watched_link("127.0.0.1", interval_ms=20))) as site,
    ):
        flush(site.process.pid)
        wait_for(lambda: site.kept()[0].num_rows > 10)
        filler = watch_folder / "filler"
        with filler.open("wb") as file, contextlib.suppress(OSError):
            while True:
                os.write(file.fileno(), bytes(4096))
        wait_for(lambda: flush(site.process.pid) and site.status.is_disk_full)
        before = site.kept()[0].num_rows
        sent = site.status.links[0].sent
        wait_for(lambda: flush(site.process.pid) and site.status.links[0].sent > sent + 50)
        assert site.kept()[0].num_rows == before
        filler.unlink()
        wait_for(lambda: flush(site.process.pid) and not site.status.is_disk_full)
        rows, events = site.end()
        assert rows.num_rows == site.status.links[0].sent
    assert one(events, "disk-full").time_s < one(events, "disk-full-over").time_s
    assert np.diff(rows["time_us"].to_numpy()).max() < 500_000


def flush(pid: int) -> bool:
    """Have it write what it has, as it does every 10 s."""
    os.kill(pid, signal.SIGHUP)
    return True
