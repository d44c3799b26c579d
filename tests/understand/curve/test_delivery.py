"""What a run says of messages that got lost: reduced, as a document, as tables."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from support.here import weft
from support.runs import step_plan, step_rows, write_run
from weft.faces.cli.output import plain
from weft.faces.cli.tables.layout import drawn
from weft.runs.folder import RunFolder
from weft.understand.curve.delivery import DeliveryCounts, deliveries
from weft.understand.report.facts import delivery_table
from weft.understand.summary.summary import summarise
from weft.understand.tables.points import deliveries_table

LOST = (10, 20, 30)
"""Of 1000 in each launch."""


def row(launch: int, **changes: Any) -> dict[str, Any]:
    return {
        "step": 0,
        "launch": launch,
        "phase": 0,
        "batch": 0,
        "sent": 1000,
        "received": 1000 - LOST[launch],
        "duplicated": 1,
        "reordered": 2,
        "overrun": 3,
        "jitter_ns": 4000 * (launch + 1),
        "span_ns": 10_000_000,
        "sending_ns": 10_000_000,
    } | changes


def lossy_run(directory: Path, pattern: str = "stream") -> RunFolder:
    steps = [step_plan(pattern, "udp")]
    times = np.full((1, 3, 1), 10.0)
    found = [row(launch) for launch in range(3)]
    return write_run(directory, [step_rows([100], times, pattern)], steps, deliveries=found)


def test_loss_has_its_interval_over_launches_and_counts_are_of_all(tmp_path: Path) -> None:
    (one,) = deliveries(lossy_run(tmp_path / "run"))
    assert (one.size_bytes, one.launches, one.sent, one.lost) == (100, 3, 3000, 60)
    assert (one.duplicated, one.reordered, one.overrun) == (3, 6, 9)
    assert (one.loss_pct.low, one.loss_pct.median, one.loss_pct.high) == (1, 2, 3)
    assert one.jitter_us is not None and one.jitter_us.median == 8
    # 1000 messages of 800 bits in 10 ms.
    assert one.offered_mbps is not None and one.offered_mbps.median == 80
    # A ping-pong has neither rate nor jitter.
    (one,) = deliveries(lossy_run(tmp_path / "pingpong", "pingpong"))
    assert one.jitter_us is None and one.offered_mbps is None


def test_it_stands_in_the_document_and_in_both_tables(tmp_path: Path) -> None:
    run = lossy_run(tmp_path / "run")
    (document,) = plain(summarise(run).to_json())["deliveries"]
    assert document["loss_pct"] == {"median": 2.0, "low": 1.0, "high": 3.0}
    assert document["lost"] == 60
    (cells,) = delivery_table(run).rows
    assert "2.000 (1.000 to 3.000)" in cells
    assert "2.000" in weft("show", run.directory).stdout


def printed(width: int, *rows: DeliveryCounts) -> str:
    out = io.StringIO()
    table = deliveries_table(list(rows)).without_zeros(int)
    Console(file=out, width=width).print(drawn(table, width), *table.remarks)
    return out.getvalue()


def test_counts_that_are_zero_everywhere_have_no_column(tmp_path: Path) -> None:
    (one,) = deliveries(lossy_run(tmp_path / "run"))
    whole = replace(one, overrun=0, duplicated=0)
    heading, *_, last = printed(120, whole, replace(whole, reordered=0)).splitlines()
    assert "out of order" in heading and "overrun" not in heading
    assert last.strip() == "overrun, twice: all 0"
    assert "out of" in printed(80, one) and "…" not in printed(80, one), "a heading is cut off"


def test_a_run_over_tcp_has_none_and_nothing_lost_is_said_shortly(tmp_path: Path) -> None:
    times = np.full((1, 3, 1), 10.0)
    run = write_run(tmp_path / "tcp", [step_rows([100], times)])
    assert deliveries(run) == []
    assert not delivery_table(run).rows
    whole = [row(launch, received=1000) for launch in range(3)]
    rows, step = step_rows([100], times, "stream"), step_plan("stream", "udp")
    (one,) = deliveries(write_run(tmp_path / "udp", [rows], [step], deliveries=whole))
    assert deliveries_table([one]).values("loss_pct")[0].median == 0
