"""Links in a run folder that someone gave us: nothing is written through them."""

from pathlib import Path

import pytest

from support.here import weft, weft_json
from support.runs import change_meta
from weft.links.watch.alerts.event import LinkEvent, notice_of
from weft.links.watch.alerts.ledger import LOG_NAME, log_notices
from weft.links.watch.store.store import EVENTS_NAME, StoreError, WatchRecord, Writer

NAMES = ["run.json.new", "samples.arrows.new", "samples.parquet.new", "evidence.arrows.new"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = tmp_path / "run"
    weft_json("run", "latency", "--on", "node:p4-400-base", "--out", run)
    return run


def test_a_run_that_is_resumed_writes_beside_planted_links(folder: Path, tmp_path: Path) -> None:
    change_meta(folder, status="partial", done=[])
    for name in NAMES:
        victim = tmp_path / f"victim-{name}"
        victim.write_text("mine")
        (folder / name).symlink_to(victim)
    done = weft("run", "--resume", folder)
    assert done.returncode == 0, done.stderr
    assert {path.read_text() for path in tmp_path.glob("victim-*")} == {"mine"}


def test_a_planted_lock_is_not_written_through(folder: Path, tmp_path: Path) -> None:
    change_meta(folder, status="partial", done=[])
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (folder / "writer.lock").symlink_to(victim)
    done = weft("run", "--resume", folder)
    assert done.returncode == 2 and "writer.lock: is a link" in done.stderr
    assert victim.read_text() == "mine"


def test_a_watch_does_not_append_through_planted_links(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    Writer.create(tmp_path / "w", WatchRecord()).close()
    (tmp_path / "w" / EVENTS_NAME).unlink()
    for name in (EVENTS_NAME, LOG_NAME):
        (tmp_path / "w" / name).symlink_to(victim)
    with pytest.raises(StoreError):
        Writer.resume(tmp_path / "w")
    notice = notice_of(LinkEvent(id="a", kind="outages", what="down", begin_s=0.0), "begin", 0.0)
    with pytest.raises(OSError, match="symbolic links"):
        log_notices(tmp_path / "w", [notice])
    assert victim.read_text() == "mine"


def test_a_trace_goes_beside_a_planted_link_unless_the_user_names_it(
    folder: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    link = folder / "trace-64.json"
    link.symlink_to(victim)
    assert weft("trace", folder, "--size", "64").returncode == 0
    assert victim.read_text() == "mine" and not link.is_symlink()
    named = tmp_path / "named"
    named.symlink_to(victim)
    assert weft("trace", folder, "--size", "64", "--out", named).returncode == 0
    assert "traceEvents" in victim.read_text()
