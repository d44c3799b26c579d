"""Slow parts of a run are explained by what moved with them, or not at all."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from support.made.evidence import add_evidence
from support.made.explained import (
    BASE_US,
    BUSY,
    SIZES,
    STREAM,
    a_run,
    even,
    explained,
    noise_counters,
    two_modes,
)
from support.plans import a_step
from support.runs import affine_us, launches_of, step_rows, write_run
from weft.plan.pattern import Pattern, Pingpong
from weft.runs.folder import RunFolder
from weft.understand.explain.explain import explain
from weft.understand.explain.finding import Explanation
from weft.understand.explain.permutation import _shuffled, p_values


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


def test_sizes_of_a_dip_are_told_apart(tmp_path: Path) -> None:
    sizes = [6141, 6144, 6147]
    times = launches_of(np.array([50.0, 80.0, 50.05]), launches=5, batches=5, noise=0.002)
    step = a_step(STREAM, sizes=sizes)
    run = write_run(tmp_path, [step_rows(sizes, times, pattern="stream")], [step])
    [found] = [one.text for one in explained(run, {}) if one.kind == "dip"]
    assert found.startswith("6 KiB: 60 % slower than between its neighbours 6,141 B and 6,147 B;")


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


def a_kink(folder: Path) -> tuple[RunFolder, npt.NDArray[np.float64]]:
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
    slow = random.random(times.shape) < 0.07
    run, took_ns = a_run(tmp_path, np.where(slow, 3 * times, times))
    steal = np.where(slow.ravel(), 0.6, 0.0) * took_ns
    found = explained(run, {(node, "cpu_steal_ns", 0): steal for node in (0, 1)})
    assert [(one.kind, one.cause) for one in found] == [("outliers", "stolen-time")]
    assert found[0].is_harmless and found[0].text.endswith("; true, but no median hangs on it")


def test_of_many_counters_some_differ_by_chance_and_are_not_taken_for_causes() -> None:
    random, strata = np.random.default_rng(5), np.repeat([0, 1], 20)
    slow = random.permutation(np.tile([1, 0], 20))
    false = [
        p_values(random.random((200, 40)), slow, strata, strata).min() < 0.05 for _ in range(60)
    ]
    assert np.mean(false) < 0.15
    alike = random.random((200, 40))
    alike[7] += 2 * slow
    p = p_values(alike, slow, strata, strata)
    assert p[7] < 0.01 and np.sort(p)[1] > 0.05


def in_spells(random: np.random.Generator, rows: int, mean: int) -> npt.NDArray[np.int64]:
    """Rows of five launches of 60 stretches each that are 1 in half of their spells, which last geometrically."""
    changes = random.random((rows, 5, 60)) < 1 / mean
    changes[:, :, 0] = random.random((rows, 5)) < 0.5
    return (np.cumsum(changes, axis=2) % 2).reshape(rows, 300)


def test_counters_that_come_in_spells_as_slow_stretches_do_are_not_taken_for_causes() -> None:
    random, launch = np.random.default_rng(8), np.repeat(np.arange(5), 60)
    courses = [in_spells(random, 21, 10) for _ in range(60)]
    worlds = [(one[1:].astype(float), one[0], launch) for one in courses]
    false = [p_values(*world, launch).min() <= 0.01 for world in worlds]
    assert np.mean(false) <= 0.1
    one_by_one = [p_values(*world, np.arange(300)).min() <= 0.01 for world in worlds]
    assert np.mean(one_by_one) > 0.5


def test_a_counter_that_follows_each_spell_is_told_from_chance() -> None:
    random, launch = np.random.default_rng(9), np.repeat(np.arange(5), 60)
    slow, *counters = in_spells(random, 21, 10)
    values = np.array(counters) + 0.0
    values[3] += 2 * slow
    assert np.flatnonzero(p_values(values, slow, launch, launch) <= 0.01).tolist() == [3]


def test_courses_are_drawn_whole() -> None:
    """Of two launches of eight stretches, each with one slow spell of three, no shuffle breaks a spell."""
    slow = np.tile([0, 0, 1, 1, 1, 0, 0, 0], 2)
    circles = _shuffled(slow, np.repeat([0, 1], 8)).reshape(-1, 2, 8)
    assert (circles.sum(axis=2) == 3).all()
    assert (np.abs(np.diff(circles, axis=2, append=circles[:, :, :1])).sum(axis=2) == 2).all()


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
