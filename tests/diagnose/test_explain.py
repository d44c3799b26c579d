"""Slow parts of a run are explained by what moved with them, whole steps by what the kernel states, or not at all."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from support.evidence import Counter, add_evidence
from support.plans import a_step
from support.runs import affine_us, launches_of, step_rows, write_run
from weft.diagnose.explain.explain import explain
from weft.diagnose.explain.finding import Explanation
from weft.diagnose.explain.permutation import p_values
from weft.plan.pattern import Pattern, Pingpong, Stream
from weft.plan.plan import Options, Step
from weft.run.folder import Run

SIZES = [1024, 8192, 65536]
BASE_US = np.array([20.0, 25.0, 80.0])
STREAM = Stream(window=64)
BUSY = {(0, "tcp_bytes_sent", None): 10**8, (0, "tcp_rtt_ns", None): 50_000}


def a_run(
    folder: Path, times_us: npt.NDArray[np.float64], step: Step | None = None
) -> tuple[Run, npt.NDArray[np.float64]]:
    """A run of a stream, and the time of each of its batches in ns."""
    step = step or a_step(STREAM, sizes=SIZES)
    run = write_run(folder / "run", [step_rows(SIZES, times_us, pattern=step.pattern.kind)], [step])
    return run, run.samples["elapsed_ns"].to_numpy().astype(float)


def even(noise: float = 0.01, seed: int = 1) -> npt.NDArray[np.float64]:
    return launches_of(BASE_US, launches=4, batches=10, noise=noise, seed=seed)


def two_modes(seed: int = 1) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Times with two modes at 8 KiB, and which rows of the samples are slow."""
    times, random = even(seed=seed), np.random.default_rng(seed)
    slow = np.zeros(times.shape, dtype=bool)
    slow[1] = random.random(times.shape[1:]) < 0.4
    return np.where(slow, 1.6 * times, times), slow.ravel()


def noise_counters(run: Run, seed: int = 1) -> dict[Counter, npt.NDArray[np.float64]]:
    """Counters that move by themselves, alike for both nodes of the lab's host where they are the host's."""
    random, rows = np.random.default_rng(seed), len(run.samples)
    time_ns = run.samples["elapsed_ns"].to_numpy()
    counters: dict[Counter, npt.NDArray[np.float64]] = {}
    for name in ("softirq_net_rx", "softirq_timer", "softirq_sched", "softnet_processed"):
        for cpu in range(4):
            values = time_ns / 1e5 * random.lognormal(0, 0.5, rows)
            counters |= {(node, name, cpu): values for node in (0, 1)}
    for node in (0, 1):
        counters[node, "process_waiting_ns", None] = time_ns * 0.01 * random.lognormal(0, 0.5, rows)
        counters[node, "process_faults", None] = random.poisson(2, rows)
    return counters


def explained(run: Run, counters: Mapping[Counter, npt.ArrayLike]) -> list[Explanation]:
    add_evidence(run, {**noise_counters(run), **counters})
    return explain(run)


def test_a_run_without_evidence_is_not_explained(tmp_path: Path) -> None:
    run, _ = a_run(tmp_path, two_modes()[0])
    assert explain(run) == []


@pytest.mark.parametrize("seed", range(8))
def test_where_nothing_is_slow_nothing_is_named(tmp_path: Path, seed: int) -> None:
    run, _ = a_run(tmp_path, even(noise=0.05, seed=seed))
    add_evidence(run, {**noise_counters(run, seed), **BUSY})
    assert [one for one in explain(run) if one.cause] == []


@pytest.mark.parametrize("seed", range(8))
def test_modes_that_nothing_moved_with_are_said_to_be_unexplained(
    tmp_path: Path, seed: int
) -> None:
    run, _ = a_run(tmp_path, two_modes(seed)[0])
    add_evidence(run, noise_counters(run, seed))
    (one,) = explain(run)
    assert one.cause is None and one.text.endswith("slow; nothing recorded explains it")
    assert one.kind == "modes" and one.sizes_bytes == (8192,)


def test_softirqs_of_slow_batches_are_named_with_the_numbers_of_a_message(tmp_path: Path) -> None:
    times, slow = two_modes()
    run, _ = a_run(tmp_path, times)
    softirqs = np.where(slow, 410.0, 12.0) * 1000
    (one,) = explained(run, {(node, "softirq_net_rx", 1): softirqs for node in (0, 1)})
    assert one.cause == "interrupts" and one.nodes == ("n1", "n2"), (
        "the host's counters are of both"
    )
    share = 100 * slow[len(slow) // 3 : 2 * len(slow) // 3].mean()
    assert one.text == (
        f"8 KiB: 2 modes, {share:.0f} % slow; slow ones have interrupts on n[1-2], processor 1 "
        "(net_rx 410 against 12 a message)"
    )
    assert one.p_value is not None and one.p_value < 0.01
    assert one.to_json()["evidence"][0]["counter"] == "softirq_net_rx"


def test_a_cause_is_named_before_what_it_brings_about(tmp_path: Path) -> None:
    times, slow = two_modes()
    run, took_ns = a_run(tmp_path, times)
    waiting = {(1, "process_waiting_ns", None): np.where(slow, 0.36, 0.001) * took_ns}
    softirqs = {(node, "softirq_net_rx", 1): np.where(slow, 9000, 100) for node in (0, 1)}
    (one,) = explained(run, softirqs | waiting)
    assert one.cause == "processor-contention" and one.nodes == ("n2",)


def test_a_time_that_is_too_short_to_be_the_cause_is_not_named(tmp_path: Path) -> None:
    times, slow = two_modes()
    run, took_ns = a_run(tmp_path, times)
    (one,) = explained(
        run, {(1, "process_waiting_ns", None): np.where(slow, 0.03, 0.001) * took_ns}
    )
    assert one.cause is None


@pytest.mark.parametrize(
    ("pattern", "cause"), [(Pingpong(), "processor-contention"), (STREAM, None)]
)
def test_times_of_nodes_that_take_turns_are_added(
    tmp_path: Path, pattern: Pattern, cause: str | None
) -> None:
    """Each node waits for two fifths of what slow messages take longer."""
    times, slow = two_modes()
    run, took_ns = a_run(tmp_path, times, a_step(pattern, sizes=SIZES))
    waits = np.where(slow, 0.15, 0.001) * took_ns
    (one,) = explained(run, {(node, "process_waiting_ns", None): waits for node in (0, 1)})
    assert one.cause == cause and one.nodes == (("n1", "n2") if cause else ())


def test_events_that_are_too_short_to_be_the_cause_are_not_named(tmp_path: Path) -> None:
    times, slow = two_modes()
    run, _ = a_run(tmp_path, times)
    (one,) = explained(run, {(0, "softirq_sched", 1): np.where(slow, 30, 3)})
    assert one.cause is None


def test_waits_of_a_task_that_is_woken_are_no_contention(tmp_path: Path) -> None:
    run, took_ns = a_run(tmp_path, even())
    waiting = {(1, "process_waiting_ns", None): 0.4 * took_ns}
    woken = {(1, "process_voluntary_switches", None): 0.4 * took_ns / 30_000}
    assert explained(run, waiting | woken) == []
    assert [one.cause for one in explained(run, waiting)] == ["processor-contention"]


def test_modes_of_whole_launches_are_no_more_than_so_many_observations(tmp_path: Path) -> None:
    """What differs between two launches and two others by chance is not told from a cause."""
    times = launches_of(BASE_US, launches=4, batches=30, noise=0.01)
    times[1, 2:] *= 1.6
    run, took_ns = a_run(tmp_path, times)
    late = run.samples["launch"].to_numpy() >= 2
    found = explained(run, {(1, "process_waiting_ns", None): np.where(late, 0.4, 0.001) * took_ns})
    assert [one.cause for one in found if one.kind == "modes"] == [None]


def test_a_dip_is_explained_by_what_its_neighbours_lack(tmp_path: Path) -> None:
    times = launches_of(np.array([20.0, 100.0, 80.0]), launches=5, batches=5, noise=0.01)
    run, took_ns = a_run(tmp_path, times)
    slow = run.samples["phase"].to_numpy() == 1
    found = explained(run, {(1, "process_waiting_ns", None): np.where(slow, 0.5, 0.001) * took_ns})
    assert [(one.kind, one.cause) for one in found if one.kind == "dip"] == [
        ("dip", "processor-contention")
    ]
    assert "% slower than between its neighbours 1 KiB and 64 KiB" in found[-1].text


def test_a_jump_is_explained_by_what_the_sizes_on_both_sides_differ_in(tmp_path: Path) -> None:
    middles = [2**power for power in range(6, 16)]
    sizes = sorted(size for middle in middles for size in (middle - 3, middle, middle + 3))
    smooth = affine_us(sizes, 20, 1000)
    high = np.array(sizes) > 4096
    times = launches_of(np.where(high, 1.5 * smooth, smooth), launches=6, batches=6, noise=0.005)
    step = a_step(STREAM, sizes=sizes)
    run = write_run(tmp_path, [step_rows(sizes, times, pattern="stream")], [step])
    above = run.samples["size_bytes"].to_numpy() > 4096
    took_ns = run.samples["elapsed_ns"].to_numpy()
    found = explained(run, {(0, "cpu_steal_ns", 0): np.where(above, 0.3, 0.0) * took_ns})
    (one,) = (each for each in found if each.kind == "threshold")
    assert one.cause == "stolen-time" and one.sizes_bytes == (4096, 4099)
    assert one.text.startswith("between 4,096 B and 4,099 B: jump, +")


def a_kink(folder: Path) -> tuple[Run, npt.NDArray[np.float64]]:
    """A run whose messages take 8 ns for each byte, 12 ns above 16 KiB, and how much longer each batch is for that."""
    sizes = sorted(size for power in range(6, 20) for size in (2**power, 3 * 2 ** (power - 1)))
    excess_us = np.maximum(np.array(sizes) - 2**14, 0) * 4e-3
    step = a_step(STREAM, sizes=sizes)
    times = launches_of(affine_us(sizes, 100, 1000) + excess_us, launches=6, batches=6, noise=0.005)
    run = write_run(folder, [step_rows(sizes, times, pattern="stream")], [step])
    size, messages = (run.samples[name].to_numpy() for name in ("size_bytes", "messages"))
    return run, np.maximum(size - 2**14, 0) * 4.0 * messages


def of_thresholds(found: list[Explanation]) -> list[str | None]:
    return [one.cause for one in found if one.kind == "threshold"]


def test_a_kink_is_explained_by_what_grows_faster_above_it(tmp_path: Path) -> None:
    run, excess_ns = a_kink(tmp_path)
    found = explained(run, {(1, "process_waiting_ns", None): excess_ns})
    assert of_thresholds(found) == ["processor-contention"]
    (one,) = (each for each in found if each.kind == "threshold")
    assert ": kink, +" in one.text and "; larger ones have the agent waiting" in one.text
    assert min(one.sizes_bytes) > 2**14 and one.strength > 0.8


def test_a_kink_is_not_explained_by_what_grows_alike_below_and_above_it(tmp_path: Path) -> None:
    """Softirqs have a larger share of the time of larger messages, for each byte as much time on both sides."""
    run, _ = a_kink(tmp_path)
    size, messages = (run.samples[name].to_numpy() for name in ("size_bytes", "messages"))
    found = explained(run, {(0, "cpu_softirq_ns", 1): 6 * size * messages})
    assert of_thresholds(found) == [None]
    (one,) = (each for each in found if each.kind == "threshold")
    assert one.text.endswith("nothing recorded explains it")


def test_outliers_of_all_sizes_are_explained_together(tmp_path: Path) -> None:
    times, random = even(), np.random.default_rng(3)
    slow = random.random(times.shape) < 0.05
    run, took_ns = a_run(tmp_path, np.where(slow, 3 * times, times))
    steal = np.where(slow.ravel(), 0.6, 0.0) * took_ns
    found = explained(run, {(node, "cpu_steal_ns", 0): steal for node in (0, 1)})
    assert [(one.kind, one.cause) for one in found] == [("outliers", "stolen-time")]


LIMITED = {
    "processor-contention": {(1, "process_waiting_ns", None): 0.5},
    "stolen-time": {(0, "cpu_steal_ns", 1): 0.3},
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


def test_drops_explain_losses_and_losses_without_drops_are_on_the_way(tmp_path: Path) -> None:
    lost: dict[Counter, npt.ArrayLike] = {(0, "tcp_retransmits", None): 700, **BUSY}
    drops = {(node, "softnet_dropped", 1): 700 for node in (0, 1)}
    run, _ = a_run(tmp_path / "way", even())
    assert [one.cause for one in explained(run, lost)] == ["loss-on-the-way"]
    run, _ = a_run(tmp_path / "backlog", even())
    assert next(one.cause for one in explained(run, lost | drops)) == "backlog-drops"


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


def test_of_many_counters_some_differ_by_chance_and_are_not_taken_for_causes() -> None:
    random, strata = np.random.default_rng(5), np.repeat([0, 1], 20)
    slow = np.tile([1, 0], 20)
    false = [p_values(random.random((200, 40)), slow, strata).min() < 0.05 for _ in range(60)]
    assert np.mean(false) < 0.15
    alike = random.random((200, 40))
    alike[7] += 2 * slow
    p = p_values(alike, slow, strata)
    assert p[7] < 0.01 and np.sort(p)[1] > 0.05


@pytest.mark.parametrize(("count", "cause"), [(3, "processor-contention"), (20, None)])
def test_the_more_is_to_be_explained_in_a_step_the_surer_each_cause_must_be(
    tmp_path: Path, count: int, cause: str | None
) -> None:
    """Waits come with five of ten launches, by chance once in 252: of 20 sizes one in ten runs would have a cause."""
    sizes = [64 * 2**power for power in range(count)]
    times = launches_of(affine_us(sizes, 20, 1000), launches=10, batches=4, noise=0.01)
    times[:, 5:] *= 1.6
    step = a_step(STREAM, sizes=sizes)
    run = write_run(tmp_path, [step_rows(sizes, times, pattern="stream")], [step])
    launch, took_ns = (run.samples[name].to_numpy() for name in ("launch", "elapsed_ns"))
    waits = np.where(launch >= 5, 0.4, 0.001) * took_ns
    found = explained(run, {(1, "process_waiting_ns", None): waits})
    assert [one.cause for one in found if one.kind == "modes"] == [cause] * count
