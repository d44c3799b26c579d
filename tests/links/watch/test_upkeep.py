"""Days that are too old are removed, old ones thinned, and summaries are of the day's file as it is now."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.made.watched import DAY_S, MONDAY_S, probes, record
from weft.links.watch.sites import Settings, Thinning
from weft.links.watch.store.store import Writer, open_watch
from weft.links.watch.store.summary import read_summary
from weft.links.watch.upkeep import Upkeep
from weft.runs.probes import HostEvent

NOW_S = MONDAY_S + 10.5 * DAY_S


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten days, of each its first hour, and the day that goes on."""
    writer = Writer.create(tmp_path / "watch", record())
    for day in range(10):
        writer.append(probes(MONDAY_S + day * DAY_S, 3600, 0, seed=day))
    writer.close()
    return tmp_path / "watch"


def all_steps(folder: Path, settings: Settings, now_s: float = NOW_S) -> list[HostEvent]:
    upkeep = Upkeep(folder)
    return [event for _ in range(30) for event in upkeep.step(settings, now_s)]


def names(folder: Path, part: str) -> list[str]:
    return sorted(path.stem for path in (folder / part).glob("*.parquet"))


def test_old_days_go_older_ones_are_thinned_and_the_folder_says_so(folder: Path) -> None:
    events = all_steps(folder, Settings(retain_s=7 * DAY_S, thin=Thinning(after_s=3 * DAY_S)))
    assert names(folder, "samples")[0] == "2024-10-07"
    assert [one.what for one in events] == ["days-removed"] + 4 * ["thinned"]
    rows = [table.num_rows for table in open_watch(folder).days.values()]
    assert all(count < 1200 for count in rows[:4])
    assert rows[4:] == [3600, 3600, 3600]
    assert open_watch(folder).probes(0)["stands"].to_numpy().sum() == 7 * 3600
    assert names(folder, "summary") == ["2024-10-11", "2024-10-12", "2024-10-13"]
    assert all_steps(folder, Settings(retain_s=7 * DAY_S, thin=Thinning(after_s=3 * DAY_S))) == []


def test_without_keys_nothing_is_thinned_or_removed(folder: Path) -> None:
    assert all_steps(folder, Settings(), NOW_S + 1000 * DAY_S) == []
    assert open_watch(folder).samples().num_rows == 36_000


def test_what_comes_late_for_a_thinned_day_stays_whole(folder: Path) -> None:
    all_steps(folder, Settings(thin=Thinning(after_s=3 * DAY_S)))
    before = open_watch(folder).probes(0)["stands"].to_numpy().sum()
    late = Writer.resume(folder)
    late.append(probes(MONDAY_S + 7200, 500, 1))
    assert Upkeep(folder).step(Settings(thin=Thinning(after_s=3 * DAY_S)), NOW_S) == []
    late.close()
    assert all_steps(folder, Settings(thin=Thinning(after_s=3 * DAY_S))) == []
    watched = open_watch(folder)
    assert watched.probes(0)["stands"].to_numpy().sum() == before
    assert watched.probes(1).num_rows == 500


def test_a_damaged_day_is_not_thinned(folder: Path) -> None:
    path = folder / "samples/2024-10-04.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    events = all_steps(folder, Settings(thin=Thinning(after_s=9 * DAY_S)))
    assert [one.what for one in events] == ["not-thinned"]


def test_a_summary_is_made_again_when_its_day_changes(folder: Path) -> None:
    first = read_summary(folder, "2024-10-04").table
    assert first.num_rows < 1200
    late = Writer.resume(folder)
    late.append(probes(MONDAY_S + 7200, 500, 1))
    late.close()
    again = read_summary(folder, "2024-10-04").table
    assert again["stands"].to_numpy().sum() == 4100
    assert open_watch(folder, is_summary=True).days["2024-10-04"].equals(again)


KILLED = """
import os, sys
from pathlib import Path
from weft.links.watch import sites, upkeep
from weft.links.watch.store import days
written = days.write_table
def kill(table, path, **encoding):
    written(table, path.with_name(path.name + ".new"), **encoding)
    os.kill(os.getpid(), 9)
days.write_table = kill
upkeep.Upkeep(Path(sys.argv[1])).step(sites.Settings(thin=sites.Thinning(after_s=86400.0)))
"""


def test_killed_while_it_thins_a_day_is_as_it_was(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, folder], check=False)
    assert done.returncode == -9
    assert open_watch(folder).samples().num_rows == 36_000
    assert len(all_steps(folder, Settings(thin=Thinning(after_s=DAY_S)))) == 9
