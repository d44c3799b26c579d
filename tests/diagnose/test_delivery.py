"""What a run says of messages that got lost: reduced, as a document, as tables."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from support.here import weft
from support.runs import step_plan, step_rows, write_run
from weft.cli.output import plain
from weft.cli.tables.delivery import deliveries_table
from weft.diagnose.delivery import deliveries
from weft.diagnose.summary import summarise
from weft.report.delivery import delivery_table, loss_text
from weft.run.folder import Run

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


def lossy_run(directory: Path, pattern: str = "stream") -> Run:
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


def test_a_ping_pong_has_neither_rate_nor_jitter(tmp_path: Path) -> None:
    (one,) = deliveries(lossy_run(tmp_path / "run", "pingpong"))
    assert one.jitter_us is None and one.offered_mbps is None


def test_it_stands_in_the_document_and_in_both_tables(tmp_path: Path) -> None:
    run = lossy_run(tmp_path / "run")
    (document,) = plain(summarise(run).to_json())["deliveries"]
    assert document["loss_pct"] == {"median": 2.0, "low": 1.0, "high": 3.0}
    assert document["lost"] == 60
    (cells,) = delivery_table(run).rows
    assert "2 % (1 to 3)" in cells
    assert "2.000" in weft("show", run.directory).stdout


def test_counts_that_are_zero_everywhere_have_no_column(tmp_path: Path) -> None:
    (one,) = deliveries(lossy_run(tmp_path / "run"))
    out = io.StringIO()
    whole = replace(one, overrun=0, duplicated=0)
    Console(file=out, width=120).print(deliveries_table([whole, replace(whole, reordered=0)]))
    heading, *_, last = out.getvalue().splitlines()
    assert "out of order" in heading and "overrun" not in heading
    assert last.strip() == "overrun, twice: all 0"


def test_a_run_over_tcp_has_none(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [step_rows([100], np.full((1, 3, 1), 10.0))])
    assert deliveries(run) == []
    assert not delivery_table(run).rows


def test_nothing_lost_is_said_shortly(tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "run",
        [step_rows([100], np.full((1, 3, 1), 10.0), "stream")],
        [step_plan("stream", "udp")],
        deliveries=[row(launch, received=1000) for launch in range(3)],
    )
    (one,) = deliveries(run)
    assert loss_text(one.loss_pct) == "0"


def test_no_heading_is_cut_off_at_80_columns(tmp_path: Path) -> None:
    console = Console(width=80, file=io.StringIO())
    console.print(deliveries_table(deliveries(lossy_run(tmp_path / "run"))))
    text = console.file.getvalue()
    assert "out of" in text and "…" not in text
