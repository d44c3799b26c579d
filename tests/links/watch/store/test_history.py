"""Events of an agent as marks of its links."""

from pathlib import Path

import pyarrow as pa

from weft.links.analysis.series import Mark
from weft.links.watch.store.history import history
from weft.links.watch.store.store import Site, SiteLink, StoredWatch, WatchRecord
from weft.runs.probes import DAY_SCHEMA, HostEvent


def test_a_mark_lasts_from_its_begin_and_a_step_of_the_clock_does_not_last() -> None:
    links = [SiteLink(src="a", dst="b"), SiteLink(src="b", dst="a")]
    times = [*range(3700, 3704), *range(104, 110)], range(100, 110)
    rows = [{"time_us": at * 1_000_000, "link": link} for link in (0, 1) for at in times[link]]
    events = [
        HostEvent(time_s=3701.0, what="pressure", site="a", seconds=2.5),
        HostEvent(time_s=104.0, what="unreachable", site="a"),
        HostEvent(time_s=104.0, what="clock-step", site="a", seconds=-3600.0),
        HostEvent(time_s=105.0, what="carrier-down", site="b", link=1, seconds=4.0),
        HostEvent(time_s=106.0, what="suspend", site="a", seconds=1.0),
    ]
    day = pa.Table.from_pylist(
        [{"kind": 1, "size_bytes": 8, "rtt_ns": 1000, "stands": 1} | row for row in rows],
        schema=DAY_SCHEMA,
    )
    record = WatchRecord(sites=[Site(name="a"), Site(name="b")], links=links)
    out, back = history(StoredWatch(Path(), record, {"1970-01-01": day}, events, []))
    assert out.time_s.tolist() == back.time_s.tolist()
    assert out.marks == (
        Mark("pressure", 101.0, 103.5),
        Mark("unreachable", 104.0, 104.0),
        Mark("clock-step", 104.0, 104.0),
        Mark("suspend", 106.0, 107.0),
    )
    assert back.marks == (Mark("carrier-down", 105.0, 109.0),)
