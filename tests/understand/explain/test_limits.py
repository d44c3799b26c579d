"""What limits a whole step is read off what the kernel states."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from support.made.evidence import Counter
from support.made.explained import BUSY, SIZES, STREAM, a_run, even, explained
from support.plans import a_step
from support.runs import change_meta, stolen_mark
from weft.plan.plan import Options
from weft.runs.folder import RunFolder

LIMITED = {
    "processor-contention": {(1, "process_waiting_ns", None): 0.5},
    "stolen-time": {(0, "cpu_steal_ns", 1): 0.3},
    "processor-quota": {(0, "process_throttled_ns", None): 0.3},
    "thermal-throttling": {(1, "thermal_throttled_ns", 1): 0.2},
    "send-buffer": {(0, "tcp_send_buffer_limited_ns", None): 0.6},
    "reader-slow": {(0, "tcp_receive_window_limited_ns", None): 0.6},
}
"""Shares of the time."""


@pytest.mark.parametrize("cause", LIMITED)
def test_a_limit_that_the_kernel_states_is_named(tmp_path: Path, cause: str) -> None:
    run, took_ns = a_run(tmp_path, even())
    found = explained(run, BUSY | {key: share * took_ns for key, share in LIMITED[cause].items()})
    assert [(one.kind, one.cause) for one in found] == [("limit", cause)]


def test_a_small_buffer_that_was_set_is_named_and_an_ample_one_is_the_reader(
    tmp_path: Path,
) -> None:
    for name, bytes_ in (("receive-buffer", 16384), ("reader-slow", 64 << 20)):
        step = a_step(STREAM, sizes=SIZES, options=Options(receive_buffer_bytes=bytes_))
        run, took_ns = a_run(tmp_path / name, even(), step)
        full = {(0, "tcp_receive_window_limited_ns", None): 0.6 * took_ns}
        assert [one.cause for one in explained(run, BUSY | full)] == [name]


def test_a_buffer_is_small_or_ample_for_what_is_on_its_way_while_the_window_is_full(
    tmp_path: Path,
) -> None:
    """200 kB of window, and 187 kB on their way at 64 KiB; at the other sizes it is never full."""
    step = a_step(STREAM, sizes=SIZES, options=Options(receive_buffer_bytes=400_000))
    run, took_ns = a_run(tmp_path, even(), step)
    large = run.samples["size_bytes"].to_numpy() == 65536
    counters: dict[Counter, npt.ArrayLike] = {
        (0, "tcp_bytes_sent", None): np.where(large, 10**8, 10**4),
        (0, "tcp_rtt_ns", None): np.where(large, 150_000, 5_000),
        (0, "tcp_receive_window_limited_ns", None): np.where(large, 0.6, 0) * took_ns,
    }
    assert [one.cause for one in explained(run, counters)] == ["receive-buffer"]


def test_a_few_long_round_trips_do_not_make_an_ample_buffer_small(tmp_path: Path) -> None:
    """A busy machine has them; one in ten of 5 ms would have 20 times as much on its way."""
    step = a_step(STREAM, sizes=SIZES, options=Options(receive_buffer_bytes=8 << 20))
    run, took_ns = a_run(tmp_path, even(), step)
    trips = np.where(np.arange(len(took_ns)) % 10 == 0, 5_000_000, 20_000)
    counters: dict[Counter, npt.ArrayLike] = {
        (0, "tcp_bytes_sent", None): took_ns * 4,
        (0, "tcp_rtt_ns", None): trips,
        (0, "tcp_receive_window_limited_ns", None): 0.6 * took_ns,
    }
    assert [one.cause for one in explained(run, counters)] == ["reader-slow"]


@pytest.mark.parametrize(
    ("drops", "causes"),
    [
        (0, ["loss-on-the-way"]),
        (700, ["backlog-drops"]),
        (300, ["backlog-drops", "loss-on-the-way"]),
    ],
)
def test_losses_that_hosts_dropped_are_not_lost_on_the_way(
    tmp_path: Path, drops: int, causes: list[str]
) -> None:
    run, _ = a_run(tmp_path, even())
    lost: dict[Counter, npt.ArrayLike] = {(0, "tcp_retransmits", None): 700, **BUSY}
    dropped = {(node, "softnet_dropped", 1): drops for node in (0, 1)}
    seen = {(1, "interface_rx_dropped", None): drops}
    assert [one.cause for one in explained(run, lost | dropped | seen)] == causes


@pytest.mark.parametrize("counter", ["softnet_dropped", "tcp_retransmits"])
def test_losses_limit_where_tcp_can_have_no_more_segments_on_their_way(
    tmp_path: Path, counter: str
) -> None:
    """One segment of 3,450 is lost: 72 are on their way on average, over 50 us as many as there are, over 5 us more."""
    lost = BUSY | {(0, counter, None): 20}
    short = lost | {(0, "tcp_rtt_ns", None): 5_000}
    stalled = short | {(0, "nstat:TcpExtTCPTimeouts", None): 1}
    for name, counters, limits in (("long", lost, 1), ("short", short, 0), ("stalled", stalled, 1)):
        run, _ = a_run(tmp_path / name, even())
        assert len(explained(run, counters)) == limits, name


def test_without_a_round_trip_time_one_loss_in_a_thousand_is_named(tmp_path: Path) -> None:
    drops = {(0, "softnet_dropped", 0): 20}
    for name, frames, limits in (("many", 10**4, 1), ("few", 10**5, 0)):
        run, _ = a_run(tmp_path / name, even())
        found = explained(run, drops | {(1, "interface_rx_packets", None): frames})
        assert len(found) == limits, name


@pytest.mark.parametrize("window_share", [0.35, 0.55, 0.75])
def test_a_full_window_is_the_reader_where_its_waits_are_too_short_for_it(
    tmp_path: Path, window_share: float
) -> None:
    run, took_ns = a_run(tmp_path, even())
    waits = {(1, "process_waiting_ns", None): 0.3 * took_ns}
    full = {(0, "tcp_receive_window_limited_ns", None): window_share * took_ns}
    expected = {
        0.35: ["processor-contention"],
        0.55: ["processor-contention", "reader-slow"],
        0.75: ["reader-slow", "processor-contention"],
    }
    assert [one.cause for one in explained(run, BUSY | waits | full)] == expected[window_share]


def test_bytes_of_others_are_competing_traffic(tmp_path: Path) -> None:
    own: dict[Counter, npt.ArrayLike] = {
        (1, "tcp_bytes_received", None): 10**7,
        (1, "interface_rx_packets", None): 7000,
    }
    run, _ = a_run(tmp_path / "alone", even())
    assert explained(run, own | {(1, "interface_rx_bytes", None): 10**7 + 7000 * 66}) == []
    run, _ = a_run(tmp_path / "beside", even())
    found = explained(run, own | {(1, "interface_rx_bytes", None): 2 * 10**7})
    assert [(one.cause, one.nodes) for one in found] == [("competing-traffic", ("n2",))]


def test_nodes_that_share_an_interface_have_no_bytes_of_others_on_it(tmp_path: Path) -> None:
    """The loopback interface of local: counts what goes either way for both: a sender receives nothing of its own."""
    run, _ = a_run(tmp_path, even())
    change_meta(run.directory, testbed={"kind": "local", "name": "local"})
    run = RunFolder.open(run.directory)
    counted: dict[Counter, npt.ArrayLike] = {
        (0, "tcp_bytes_sent", None): 10**7,
        (0, "interface_rx_packets", None): 7000,
        (0, "interface_rx_bytes", None): 2 * 10**7,
    }
    assert explained(run, counted) == []


def test_waits_of_a_task_that_is_woken_are_no_contention(tmp_path: Path) -> None:
    run, took_ns = a_run(tmp_path, even())
    waiting = {(1, "process_waiting_ns", None): 0.4 * took_ns}
    woken = {(1, "process_voluntary_switches", None): 0.4 * took_ns / 30_000}
    assert explained(run, waiting | woken) == []
    assert [one.cause for one in explained(run, waiting)] == ["processor-contention"]


@pytest.mark.parametrize(("bursts", "is_harmless"), [(0.3, True), (0.7, False)])
def test_a_cause_that_no_median_hangs_on_is_told_from_one_that_limits(
    tmp_path: Path, bursts: float, is_harmless: bool
) -> None:
    """The agent waits for nine tenths of the time of some stretches."""
    run, took_ns = a_run(tmp_path, even())
    busy = np.arange(len(took_ns)) % 10 < 10 * bursts
    waits = {(1, "process_waiting_ns", None): np.where(busy, 0.9, 0.0) * took_ns}
    (one,) = (each for each in explained(run, BUSY | waits) if each.kind == "limit")
    assert (one.cause, one.is_harmless) == ("processor-contention", is_harmless)
    assert one.text.endswith("; true, but no median hangs on it") == is_harmless


def test_a_wait_in_most_launches_moves_the_median_though_not_most_stretches_have_it(
    tmp_path: Path,
) -> None:
    run, took_ns = a_run(tmp_path, even())
    busy = (np.arange(len(took_ns)) % 10 < 6) & (run.samples["launch"].to_numpy() < 3)
    assert busy.mean() == pytest.approx(0.45)
    waits = {(1, "process_waiting_ns", None): np.where(busy, 0.9, 0.0) * took_ns}
    (one,) = (each for each in explained(run, BUSY | waits) if each.kind == "limit")
    assert not one.is_harmless


def test_a_cause_in_launches_that_count_in_no_median_is_harmless(tmp_path: Path) -> None:
    marks = [stolen_mark(launch) for launch in range(5)]
    done = [[0, launch] for launch in range(8)]
    run, took_ns = a_run(tmp_path, even(launches=8), done=done, disturbed=marks)
    disturbed = run.samples["launch"].to_numpy() < 5
    waits = {(1, "process_waiting_ns", None): np.where(disturbed, 0.9, 0.0) * took_ns}
    (one,) = (each for each in explained(run, BUSY | waits) if each.kind == "limit")
    assert one.is_harmless


def test_what_limits_one_size_is_not_harmless(tmp_path: Path) -> None:
    run, took_ns = a_run(tmp_path, even())
    large = run.samples["size_bytes"].to_numpy() == 65536
    waits = {(1, "process_waiting_ns", None): np.where(large, 0.9, 0.0) * took_ns}
    (one,) = (each for each in explained(run, BUSY | waits) if each.kind == "limit")
    assert not one.is_harmless


def test_what_is_counted_in_steps_of_10_ms_is_judged_by_launch(tmp_path: Path) -> None:
    """Three stretches of ten have all the time of their launch that was stolen."""
    run, took_ns = a_run(tmp_path, even())
    stolen = np.where(np.arange(len(took_ns)) % 10 < 3, 0.9, 0.0) * took_ns
    (one,) = (
        each
        for each in explained(run, BUSY | {(0, "cpu_steal_ns", 1): stolen})
        if each.kind == "limit"
    )
    assert one.cause == "stolen-time" and not one.is_harmless
