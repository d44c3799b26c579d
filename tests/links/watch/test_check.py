"""`weft watch check`: the exit code and the lines, from what a coordinator has written."""

import json
import time
from pathlib import Path

import msgspec
import pytest

from support.here import refusal, weft, weft_json
from support.runs import write_run
from weft.links.watch.alerts.event import LinkEvent, LinkName, notice_of
from weft.links.watch.alerts.ledger import AlertLedger, PendingNotice, save_ledger
from weft.links.watch.alerts.now import FILE_NAME, LinkNumbers, Now, write_now
from weft.links.watch.state import STATE_NAME, SiteState, State
from weft.links.watch.store.store import Site, SiteLink, WatchRecord, Writer

LINK = LinkName(src="east", dst="west")
OUTAGE = LinkEvent(
    id="outage-1", kind="outages", what="path", begin_s=1.0, links=[LINK], is_told=True
)


def numbers(is_up: bool = True, newest_s: float | None = None) -> LinkNumbers:
    return LinkNumbers(
        link=LINK,
        is_up=is_up,
        newest_s=newest_s or time.time(),
        alpha_s=1e-3,
        beta_s=None,
        loss=0.0,
        available=1.0,
        round_trips=[],
        counts=[],
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A watch of one link that is collected and fine."""
    folder = tmp_path / "watch"
    sites = [Site(name="east", on="local:"), Site(name="west")]
    link = SiteLink(src="east", dst="west", interval_s=1.0)
    Writer.create(folder, WatchRecord(sites=sites, links=[link], active=[0])).close()
    write_now(folder, [numbers()])
    return folder


def lines(folder: Path) -> list[str]:
    done = weft("watch", "check", str(folder))
    assert done.returncode == 1
    return done.stdout.splitlines()


def test_a_watch_that_is_fine_is_0_and_one_that_collects_nothing_is_1(folder: Path) -> None:
    assert weft("watch", "check", str(folder)).returncode == 0
    assert weft_json("watch", "check", str(folder)) == {"problems": []}
    now = Now(time_s=time.time() - 400, links=[numbers()])
    (folder / FILE_NAME).write_bytes(msgspec.json.encode(now))
    [line] = lines(folder)
    assert "nothing was collected for 6.7 min; no process collects" in line
    assert weft("watch", "check", str(folder), "--max-age", "10min").returncode == 0
    (folder / FILE_NAME).unlink()
    assert "nothing was ever collected" in lines(folder)[0]


def test_each_thing_that_is_wrong_is_a_line(folder: Path) -> None:
    write_now(folder, [numbers(is_up=False)])
    assert "the last three probes were lost" in lines(folder)[0]
    write_now(folder, [numbers(newest_s=time.time() - 400)])
    assert "no probes since" in lines(folder)[0]
    failed = PendingNotice(
        by="webhook", notice=notice_of(OUTAGE, "begin", 2.0), error="it answered 500"
    )
    save_ledger(folder, AlertLedger(open=[OUTAGE], failed=[failed]))
    state = State(sites={"east": SiteState(heard_s=time.time() - 400, trouble="no route")})
    (folder / STATE_NAME).write_bytes(msgspec.json.encode(state))
    said = lines(folder)
    assert said[0].startswith("east > west: outage: path, since 1970")
    assert said[1:] == [
        "east: cannot be reached: no route",
        "webhook: 1 given up, the last: it answered 500",
    ]
    found = json.loads(weft("watch", "check", str(folder), "--json").stdout)["problems"]
    assert [one["kind"] for one in found] == ["outages", "not-measured", "undelivered"]


@pytest.mark.parametrize("command", ["show", "status", "check", "report"])
def test_a_run_is_told_from_a_watch(tmp_path: Path, command: str) -> None:
    run = write_run(tmp_path / "run", []).directory
    said = refusal("watch", command, run)
    assert "a run, not a watch of links" in said and "`weft show`" in said


def test_wrong_requests_are_2(folder: Path, tmp_path: Path) -> None:
    assert "not a watch" in refusal("watch", "check", str(tmp_path))
    assert "not a time" in refusal("watch", "check", str(folder), "--max-age", "0s")
