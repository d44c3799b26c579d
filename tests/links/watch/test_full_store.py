"""A full disk loses nothing: what was not stored is written again, and a watch says so once and goes on."""

import contextlib
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from support.live.waiting import wait_for
from support.made.watched import MONDAY_S, probes, record
from weft.links.watch.state import State, read_state
from weft.links.watch.storage import Storage
from weft.links.watch.store.store import HostEvent, StoreError, Writer, open_watch
from weft.links.watch.tell import Level

SITES = """
[watch]
interval = "100 ms"
rate = "10 Gb/s"
timeout = "500 ms"
kinds = ["tcp-connect", "tcp-echo", "udp-echo"]
[[sites]]
name = "east"
on = "local:"
[[sites]]
name = "west"
on = "local:"
"""


def pids(folder: Path) -> list[int]:
    """The processes that watch."""
    said = [site.status for site in read_state(folder).sites.values()]
    return [one.pid for one in said if one]


@contextmanager
def no_file_beyond(size_bytes: int) -> Iterator[None]:
    """Writes beyond fail, as on a full disk, and may be cut in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill(filler: Path) -> bool:
    """Take what room there is, also what came free since."""
    with contextlib.suppress(OSError), filler.open("ab", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    return True


def test_a_full_disk_is_said_in_the_same_words_whatever_it_keeps_from_being_written(
    tmp_path: Path,
) -> None:
    folder, said = tmp_path / "watch", list[str]()
    writer = Writer.create(folder, record())
    storage = Storage(writer, lambda text, level=Level.INFO: said.append(text))
    with no_file_beyond(1):
        storage.save(State())
        storage.save(State())
    assert len(said) == 1
    assert said[0].startswith(f"{folder}: cannot be written: File too large;")
    storage.save(State())
    writer.close()
    assert [one.what for one in open_watch(folder).events] == ["store-full"]


@pytest.mark.parametrize("room_bytes", [1, 50, 500, 1500])
def test_a_write_that_failed_is_written_again_and_nothing_before_is_lost(
    tmp_path: Path, room_bytes: int
) -> None:
    folder = tmp_path / "watch"
    writer = Writer.create(folder, record())
    writer.append(probes(MONDAY_S, 100))
    writer.add_event(HostEvent(time_s=MONDAY_S, what="before"))
    writer.sync()
    stream = next((folder / "samples").iterdir()).stat().st_size
    with no_file_beyond(stream + room_bytes):
        for _ in range(3):
            with pytest.raises(StoreError, match="cannot be written"):
                writer.append(probes(MONDAY_S + 100, 1000))
        assert open_watch(folder).samples().num_rows == 100
    with no_file_beyond((folder / "events.jsonl").stat().st_size + 20):
        for _ in range(3):
            writer.add_event(HostEvent(time_s=MONDAY_S + 1, what="while the disk was full"))
        with pytest.raises(StoreError):
            writer.sync()
    writer.append(probes(MONDAY_S + 100, 1000))
    writer.add_event(HostEvent(time_s=MONDAY_S + 2, what="after"))
    writer.sync()
    watched = open_watch(folder)
    assert [one.what for one in watched.events] == ["before", "while the disk was full", "after"]
    assert watched.samples().num_rows == 1100
    writer.close()
    assert open_watch(folder).samples().num_rows == 1100
    assert not open_watch(folder).damage


@pytest.mark.timed
@pytest.mark.cluster
@pytest.mark.skipif(os.getuid() != 0, reason="mounts a small disk: only root can")
def test_a_watch_on_a_full_disk_goes_on_and_catches_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "disk").mkdir()
    sites, folder, log = tmp_path / "sites.toml", tmp_path / "disk/watch", tmp_path / "log"
    sites.write_text(SITES)
    start = f'mount -t tmpfs -o size=2m none {tmp_path}/disk && exec "$@"'
    watch = [sys.executable, "-m", "weft", "watch", "start", str(sites), "--out", str(folder)]
    with log.open("wb") as file:
        command = ["unshare", "-m", "sh", "-c", start, "sh", *watch]
        coordinator = subprocess.Popen(command, stderr=file)
    stop = ["nsenter", "-m", "-t", str(coordinator.pid), *watch[:4], "stop", str(folder)]
    seen = Path(f"/proc/{coordinator.pid}/root{folder}")
    filler = seen.parent / "filler"
    try:
        wait_for(lambda: len(pids(seen)) == 2, 120)
        wait_for(lambda: fill(filler) and "cannot be written" in log.read_text(), 120)
        stored = open_watch(seen).samples().num_rows
        time.sleep(8)
        assert open_watch(seen).samples().num_rows - stored < 100
        assert coordinator.poll() is None
        filler.unlink()
        wait_for(lambda: "store-full-over" in log.read_text(), 120)
        watched = open_watch(seen)
        assert log.read_text().count("cannot be written") == 1
        assert re.search(r"store-full-over \d", log.read_text())
        assert {"store-full", "store-full-over"} <= {one.what for one in watched.events}
        for link in (0, 1):
            time_s = watched.probes(link)["time_us"].to_numpy() / 1e6
            assert np.diff(time_s).max() < 2
    finally:
        print(log.read_text())
        filler.unlink(missing_ok=True)
        is_stopped = subprocess.run(stop).returncode == 0
        if not is_stopped:
            coordinator.kill()
    assert is_stopped
    assert coordinator.wait(60) == 0
