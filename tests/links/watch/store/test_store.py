"""The folder of a watch: survives kills, a file a day, few bytes a probe."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.made.watched import DAY_S, MONDAY_S, probes, record
from weft.base.errors import RequestError
from weft.links.watch.store.days import standing_for_one
from weft.links.watch.store.store import HostEvent, Writer, open_watch

WRITES = """
import sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from support.made.watched import MONDAY_S, probes, record
from weft.links.watch.store.store import HostEvent, Writer
writer = Writer.create(Path({folder!r}), record())
for flush in range(10_000):
    writer.append(probes(MONDAY_S + 10 * flush, 10))
    writer.add_event(HostEvent(time_s=float(flush), what="flush"))
    print(flush, flush=True)
"""


def test_a_kill_loses_nothing_that_was_flushed(tmp_path: Path) -> None:
    folder = tmp_path / "watch"
    tests = str(Path(__file__).parents[3])
    code = WRITES.format(tests=tests, folder=str(folder))
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert writer.stdout
    for _ in range(20):
        flushed = int(writer.stdout.readline())
    writer.kill()
    flushed = max([flushed, *map(int, writer.stdout.read().split())])
    writer.wait()
    watched = open_watch(folder)
    assert watched.samples().num_rows >= 10 * (flushed + 1)
    assert len(watched.events) >= flushed + 1
    assert not watched.damage


@pytest.mark.parametrize("cut", [1, 7, 100, 1000])
def test_cut_anywhere_the_folder_is_read_and_goes_on(tmp_path: Path, cut: int) -> None:
    writer = Writer.create(tmp_path / "watch", record())
    for flush in range(5):
        writer.append(probes(MONDAY_S + 10 * flush, 10))
        writer.add_event(HostEvent(time_s=MONDAY_S + flush, what="flush"))
    writer._lock.release()
    for path in (*(tmp_path / "watch").glob("samples/*"), tmp_path / "watch" / "events.jsonl"):
        whole = path.read_bytes()
        path.write_bytes(whole[: max(0, len(whole) - cut)])
    before = open_watch(tmp_path / "watch").samples().num_rows
    assert 20 <= before < 50
    resumed = Writer.resume(tmp_path / "watch")
    resumed.append(probes(MONDAY_S + 100, 10))
    resumed.add_event(HostEvent(time_s=MONDAY_S + 100, what="last"))
    resumed.close()
    watched = open_watch(tmp_path / "watch")
    assert watched.samples().num_rows == before + 10
    assert watched.events[-1].what == "last"


def test_each_day_is_one_small_parquet_file(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "watch", record())
    for link in (0, 1):
        for start_s in range(MONDAY_S + 43_200, MONDAY_S + DAY_S + 43_200, 3600):
            writer.append(probes(start_s, 3600, link, seed=start_s + link))
    writer.close()
    days = sorted((tmp_path / "watch" / "samples").iterdir())
    assert [day.name for day in days] == ["2024-10-04.parquet", "2024-10-05.parquet"]
    rows = open_watch(tmp_path / "watch").samples().num_rows
    assert rows == 2 * DAY_S
    assert sum(day.stat().st_size for day in days) / rows < 6


def test_what_is_fetched_twice_or_late_is_kept_once_and_in_order(tmp_path: Path) -> None:
    rows = probes(MONDAY_S, 100)
    writer = Writer.create(tmp_path / "watch", record())
    writer.append(rows.slice(50))
    writer.close()
    late = Writer.resume(tmp_path / "watch")
    late.append(rows.slice(0, 60))
    assert open_watch(tmp_path / "watch").probes(0).equals(standing_for_one(rows))
    late.close()
    assert open_watch(tmp_path / "watch").probes(0).equals(standing_for_one(rows))
    part = open_watch(tmp_path / "watch", since=MONDAY_S + 30).probes(0)
    assert part.num_rows == pytest.approx(70, abs=1)


def test_one_writer_at_a_time_and_the_token_is_private(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "watch", record())
    with pytest.raises(RequestError, match="still running"):
        Writer.resume(tmp_path / "watch")
    assert (tmp_path / "watch" / "run.json").stat().st_mode & 0o077 == 0
    writer.close()
    with pytest.raises(RequestError, match="already exists"):
        Writer.create(tmp_path / "watch", record())
