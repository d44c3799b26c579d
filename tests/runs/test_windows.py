"""Windows of time that measured no rate: what is left out of rates, scales and sums, and what is said of it."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.plans import a_step
from support.runs import MESSAGES, step_rows, write_run
from weft.plan.pattern import AllToAll, Stream, Xray
from weft.plan.plan import Step, TimeRule
from weft.runs.folder import RunFolder
from weft.runs.windows import CODE, are_measured
from weft.understand.comparison.comparison import compare
from weft.understand.ensemble.phases import overall_mbps, phases
from weft.understand.ensemble.rates import MedianRates
from weft.understand.report.ensemble import ensembles_of

TRIAL_NS = 10_000_000
STEP = a_step(AllToAll(nodes=None, mode="phased"), stop=TimeRule(trial_ns=TRIAL_NS, trials=1))
FLOWS = [(0, 1), (1, 2), (2, 3), (3, 0)]


def changed(rows: pa.RecordBatch, **columns: int) -> pa.RecordBatch:
    """The same rows with other values in the first of them."""
    table = rows.to_pydict()
    for name, value in columns.items():
        table[name][0] = value
    return pa.RecordBatch.from_pydict(table, schema=rows.schema)


def a_run(directory: Path, **of_first: int) -> RunFolder:
    """One phase of four routes at 800 Mb/s, the first with other values."""
    flows = [step_rows([1000], np.full((1, 1, 1), 10.0), "alltoall", 0, flow, 0) for flow in FLOWS]
    return write_run(directory, [changed(flows[0], **of_first), *flows[1:]], [STEP], "abcd")


@pytest.mark.parametrize("of_first", [{"messages": 0}, {"elapsed_ns": 27_000}])
def test_empty_and_short_windows_are_in_no_rate(tmp_path: Path, of_first: dict[str, int]) -> None:
    run = a_run(tmp_path / "run", **of_first)
    assert len(run.samples) == 4 and MedianRates.of(run).mbps.tolist() == [800.0] * 3
    (phase,) = phases(run)
    assert (phase.routes, phase.aggregate_mbps, overall_mbps([phase])) == (3, 2400.0, 800.0)
    (ensemble,) = ensembles_of(["run"], [run])
    assert ensemble.steps[0].routes.mbps.max() == 800.0
    assert len(compare(a_run(tmp_path / "whole"), run).pairs) == 3


def test_one_warning_says_how_many_and_is_there_when_the_run_is_read(tmp_path: Path) -> None:
    for run in (a_run(tmp_path / "run", messages=0), RunFolder.open(tmp_path / "run")):
        (warning,) = run.meta.warnings
        assert warning.code == CODE and warning.message.startswith("1 of 4 rows measured no rate")
        assert "first a to b in phase 0 of alltoall" in warning.message
    assert a_run(tmp_path / "whole").meta.warnings == []


@pytest.mark.parametrize(("empty", "warned"), [([0], 0), ([0, 4], 2)])
def test_a_search_warns_only_of_nodes_without_any_rate(
    tmp_path: Path, empty: list[int], warned: int
) -> None:
    """Two rounds of the same routes; what a search lacks of one it asks again."""
    rows = [
        step_rows([1000], np.full((1, 1, 1), 10.0), "alltoall", 0, flow, 0) for flow in FLOWS * 2
    ]
    rows = [changed(one, messages=0) if at in empty else one for at, one in enumerate(rows)]
    search = a_step(Xray(nodes=None, time_ns=1), stop=STEP.stop)
    warnings = write_run(tmp_path / "run", rows, [STEP, search], "abcd").meta.warnings
    assert [one.message.split(" measured")[0] for one in warnings] == (
        [f"{warned} of 8 rows"] if warned else []
    )


@pytest.mark.parametrize(
    ("step", "is_measured"),
    [
        (STEP, False),
        (a_step(AllToAll(nodes=None, mode="phased")), True),
        (a_step(Stream(window=64), stop=TimeRule(trial_ns=TRIAL_NS, trials=1)), True),
    ],
)
def test_only_windows_between_many_nodes_have_a_least_length(step: Step, is_measured: bool) -> None:
    rows = changed(step_rows([1000], np.full((1, 1, 1), 10.0), "alltoall"), elapsed_ns=27_000)
    assert rows["messages"].to_pylist() == [MESSAGES]
    assert are_measured([step], rows).tolist() == [is_measured]
