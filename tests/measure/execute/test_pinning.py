"""Jumps that are bisected during a run: a machine of arithmetic answers what is asked."""

import random
from pathlib import Path

import pyarrow as pa
import pytest

from support.here import weft_json
from support.runs import sample_batch
from weft.base.errors import WorkError
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pinning import JumpSearch
from weft.measure.execute.progress import Reporter, StepProgress
from weft.measure.testbed.agent.request import ChosenBatch
from weft.network.model.thresholds import candidates
from weft.plan.load import load_plan
from weft.plan.phases import expand
from weft.runs.folder import RunFolder, RunWriter, lock_folder
from weft.runs.meta import RunMeta
from weft.runs.missing import missing_steps
from weft.runs.samples import SCHEMA
from weft.understand.curve.curve import curves
from weft.understand.curve.pinning import Pin, jumps, pins
from weft.understand.curve.thresholds import thresholds
from weft.understand.report.figures.pair.threshold_marks import threshold_rows
from weft.understand.report.series import series_of

PILOT_BATCHES = 7


class Died(WorkError):
    """The connection."""


class Machine:
    """A connection whose messages take longer from some sizes on; it dies after so many orders."""

    def __init__(
        self, behind: dict[int, float], noise: float = 0.02, dies_after: int = 10**6
    ) -> None:
        self.behind = behind
        self._noise = noise
        self._left = dies_after
        self.random = random.Random(1)

    def time_ns(self, size: int) -> float:
        """A round trip; one in twenty batches is disturbed."""
        longer = 1.0
        for last, height in self.behind.items():
            longer *= 1 + height * (size > last)
        disturbed = 3.0 if self.random.random() < 0.05 else 1.0
        return 2 * (5_000 + 0.5 * size) * longer * disturbed * self.random.gauss(1, self._noise)

    def samples(self, launch: int, batches: list[ChosenBatch]) -> pa.RecordBatch:
        if not self._left:
            raise Died("the peer is gone")
        self._left -= 1
        return sample_batch(
            phase=[one.phase for one in batches],
            launch=launch,
            batch=[one.batch for one in batches],
            dst=1,
            size_bytes=[one.size_bytes for one in batches],
            messages=[one.messages for one in batches],
            elapsed_ns=[one.messages * self.time_ns(one.size_bytes) for one in batches],
        )


def begun(folder: Path, *overrides: tuple[str, str]) -> RunWriter:
    over = [("steps.pingpong.sizes.max", "256 KiB"), *overrides]
    meta = RunMeta(load_plan("thresholds", over), {"kind": "local"}, [{"name": "a"}, {"name": "b"}])
    return RunWriter.create(folder, meta)


def carry_out(writer: RunWriter, machine: Machine) -> RunFolder:
    """What is missing, launch by launch, as far as the connection lives."""
    for missing in missing_steps(writer.meta, writer.samples):
        log = Logbook(writer, missing.step, missing.launch, lambda phases: None)
        pinning = JumpSearch(log, StepProgress(Reporter(), "", 0))
        planned = expand(writer.meta.plan.steps[0], 2)
        wanted = [
            ChosenBatch(one.index, batch, one.size_bytes, 20)
            for one in planned
            if one.index in missing.phases
            for batch in range(PILOT_BATCHES)
        ]
        wanted = wanted or pinning.next_batches()
        while wanted:
            rows = machine.samples(missing.launch, wanted)
            log.phases_measured({one.phase for one in wanted}, [rows])
            wanted = pinning.next_batches()
        log.finish()
    return RunFolder(writer.directory, writer.meta, writer.samples)


def pins_of(run: RunFolder) -> list[Pin]:
    (curve,) = curves(run)
    return pins(run, 0, jumps(curve))


def found(run: RunFolder) -> list[tuple[str, int, int]]:
    return [(one.state, one.before, one.after) for one in pins_of(run)]


def test_jumps_are_found_to_the_byte_and_confirmed(tmp_path: Path) -> None:
    draw = random.Random(7)
    for number in range(12):
        low, high = draw.randrange(300, 3_000), draw.randrange(20_000, 100_000)
        machine = Machine({low: draw.uniform(0.3, 1.0), high: -draw.uniform(0.2, 0.4)})
        run = carry_out(begun(tmp_path / str(number)), machine)
        assert found(run) == [("confirmed", low, low + 1), ("confirmed", high, high + 1)]
        assert [one.launches for one in pins_of(run)] == [(1, 2), (1, 2)]
        first, second = thresholds(run)
        assert first.text.startswith(f"{low + 1:,} B: jump, +") and first.text.endswith("), sure")
        said = second.to_json()
        assert (said["last_before_bytes"], said["first_after_bytes"]) == (high, high + 1)
        assert (said["state"], said["confirmed_by"], said["sure"]) == ("confirmed", (1, 2), 0.99)
        assert first.found.height.low > 0.2 > -0.1 > second.found.height.high
        (one,) = series_of([run])
        assert [row["label"].partition(":")[0] for row in threshold_rows(one)] == [
            f"{size:,} B" for size in (low, high)
        ]


def test_where_there_is_no_jump_the_later_launches_measure_nothing(tmp_path: Path) -> None:
    run = carry_out(begun(tmp_path / "run"), Machine({}))
    assert (found(run), run.meta.phases) == ([], [])
    assert set(run.samples["launch"].to_pylist()) == {0}
    assert not missing_steps(run.meta, run.samples)


def test_more_than_five_jumps_are_all_found(tmp_path: Path) -> None:
    lasts = [20, 70, 250, 900, 3_001, 11_000, 40_000]
    run = carry_out(begun(tmp_path / "run"), Machine(dict.fromkeys(lasts, 0.4)))
    assert found(run) == [("confirmed", last, last + 1) for last in lasts]


class Losing(Machine):
    """One in ten batches arrives nowhere."""

    def samples(self, launch: int, batches: list[ChosenBatch]) -> pa.RecordBatch:
        rows = super().samples(launch, batches).to_pylist()
        for row in rows:
            row["messages"] *= self.random.random() > 0.1
        return pa.RecordBatch.from_pylist(rows, schema=SCHEMA)


def test_rounds_in_which_messages_were_lost_do_not_count(tmp_path: Path) -> None:
    run = carry_out(begun(tmp_path / "run"), Losing({5000: 0.5}))
    assert found(run) == [("confirmed", 5000, 5001)]


class DisturbedLaunch(Machine):
    """All batches of one size were slow in one launch."""

    def samples(self, launch: int, batches: list[ChosenBatch]) -> pa.RecordBatch:
        rows = super().samples(launch, batches).to_pylist()
        for row in rows:
            row["elapsed_ns"] *= 3 if (row["launch"], row["size_bytes"]) == (0, 1024) else 1
        return pa.RecordBatch.from_pylist(rows, schema=SCHEMA)


@pytest.mark.parametrize("launches", ["3", "5"])
def test_what_disturbs_one_launch_for_a_moment_is_no_dip(launches: str, tmp_path: Path) -> None:
    """There is one in the curve of a single launch, as in that of a tool that measures once."""
    run = carry_out(begun(tmp_path / "run", ("launches", launches)), DisturbedLaunch({}))
    (curve,) = curves(run)
    seen = [one.kind for one in candidates(curve.sizes, curve.times_us)]
    assert (seen, thresholds(run)) == (["dip"] if launches == "3" else [], [])


def test_phases_are_recorded_before_they_run_and_are_no_points_of_the_curve(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    writer = begun(folder)
    with pytest.raises(Died):
        carry_out(writer, Machine({5000: 0.5}, dies_after=5))
    recorded = RunMeta.read(folder).phases
    measured = {
        *zip(*(writer.samples[name].to_pylist() for name in ("launch", "phase")), strict=True)
    }
    left = [one for one in recorded if (one["launch"], one["phase"]) not in measured]
    assert len(left) == len(left[0]["bisects"]["sizes"]) == 3
    (curve,) = curves(RunFolder(folder, writer.meta, writer.samples))
    assert len(curve.sizes) == len(expand(writer.meta.plan.steps[0], 2))


@pytest.mark.parametrize("after", [1, 3, 8, 16])
def test_a_connection_that_dies_is_gone_on_from_where_it_was(after: int, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    writer = begun(folder)
    with pytest.raises(Died):
        carry_out(writer, Machine({5000: 0.5}, dies_after=after))
    before = {(one["launch"], one["phase"]) for one in writer.meta.phases}
    writer.finish("partial")
    run = carry_out(
        RunWriter.resume(RunFolder.open(folder), lock_folder(folder)), Machine({5000: 0.5})
    )
    assert found(run) == [("confirmed", 5000, 5001)]
    chosen = [(one["launch"], one["phase"]) for one in run.meta.phases]
    assert before <= set(chosen) and len(set(chosen)) == len(chosen)
    assert not missing_steps(run.meta, run.samples)


def test_a_jump_too_small_for_the_time_is_between_two_sizes(tmp_path: Path) -> None:
    writer = begun(tmp_path / "run", ("steps.pingpong.pin", "5 ms"))
    (pin,) = pins_of(carry_out(writer, Machine({5000: 0.5})))
    assert pin.state == "open" and pin.before <= 5000 < pin.after
    assert pin.measured.spent_ns <= 5e6 * 1.5
    (threshold,) = thresholds(RunFolder(writer.directory, writer.meta, writer.samples))
    assert threshold.text.startswith(f"between {pin.before:,} B and {pin.after:,} B: jump")
    assert "not pinned: nothing more was decided in its time" in threshold.text


def test_on_a_simulator_nothing_is_bisected_and_it_says_so(tmp_path: Path) -> None:
    out = tmp_path / "run"
    said = weft_json("run", "thresholds", "--on", "sim:pair", "--out", out)
    assert (said["status"], [one["code"] for one in said["warnings"]]) == (
        "complete",
        ["not-pinned"],
    )
    assert RunFolder.open(out).meta.phases == []


class Forgetting(Machine):
    """The jump is gone once its place was found."""

    def samples(self, launch: int, batches: list[ChosenBatch]) -> pa.RecordBatch:
        if launch > 0:
            self.behind.clear()
        return super().samples(launch, batches)


def test_a_jump_that_is_not_in_another_launch_is_refuted(tmp_path: Path) -> None:
    run = carry_out(begun(tmp_path / "run"), Forgetting({5000: 0.5}))
    assert found(run) == [("refuted", 5000, 5001)]
    assert "not sure: of the later launches it was not there" in thresholds(run)[0].text


def test_higher_jumps_are_found_with_fewer_messages(tmp_path: Path) -> None:
    messages = {}
    for height in (0.08, 0.15, 3.0):
        run = carry_out(begun(tmp_path / str(height)), Machine({5000: height}, noise=0.002))
        (pin,) = pins_of(run)
        assert (pin.state, pin.before) == ("confirmed", 5000)
        messages[height] = {one["stop"]["repeats"] for one in run.meta.phases}
    assert [min(one) for one in messages.values()] == sorted(map(max, messages.values()))[::-1]
    assert max(messages[3.0]) < min(messages[0.08]) / 4


def test_all_launches_but_two_go_through_all_sizes(tmp_path: Path) -> None:
    run = carry_out(begun(tmp_path / "run", ("launches", "4")), Machine({5000: 0.5}))
    assert [(one.state, one.launches) for one in pins_of(run)] == [("confirmed", (2, 3))]
    (curve,) = curves(run)
    assert curve.launches.tolist() == [0, 1]
