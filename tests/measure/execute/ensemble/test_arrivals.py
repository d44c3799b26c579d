"""Phases of which some windows measured no rate: they are measured again, but not for ever."""

from pathlib import Path

import pyarrow as pa
import pytest

from support.live.loopback import Cluster, ensemble_step, job, with_cluster
from support.plans import a_plan, a_step
from weft.measure.execute.ensemble.arrivals import TRIES, PhaseCollector
from weft.measure.execute.ensemble.work import Transfers
from weft.measure.execute.logbook import Logbook
from weft.measure.testbed.agent.reply import PhaseOver
from weft.measure.testbed.agent.wire_format import Evidence
from weft.plan.pattern import Ring, Xray
from weft.plan.phases import Phase, expand
from weft.plan.plan import Step, TimeRule
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.runs.folder import RunWriter
from weft.runs.meta import RunMeta
from weft.runs.samples import SCHEMA
from weft.runs.windows import CODE

TRIAL_NS = 10_000_000
STEP = a_step(Ring(nodes=None), stop=TimeRule(trial_ns=TRIAL_NS, trials=1))
WHOLE = {"messages": 5, "elapsed_ns": TRIAL_NS}
EMPTY, SHORT = WHOLE | {"messages": 0}, WHOLE | {"elapsed_ns": TRIAL_NS // 3}


def recorded(elapsed_ns: int) -> Evidence:
    """What a node says of phase 0."""
    row = {"phase": 0, "batch": 0, "batches": 1, "counter": "elapsed_ns", "value": elapsed_ns}
    own = [one for one in SCHEMAS[EVIDENCE_NAME] if one.name not in ("step", "launch", "node")]
    return Evidence(pa.RecordBatch.from_pylist([row], schema=pa.schema(own)))


class Arrivals:
    """A ledger of one phase of two nodes, and the run that it writes to."""

    def __init__(self, directory: Path, *more: Step) -> None:
        meta = RunMeta(a_plan(STEP, *more), {"kind": "lab"}, [{"name": "n1"}, {"name": "n2"}])
        self.writer = RunWriter.create(directory, meta)
        self.logbook = Logbook(self.writer, 0, 0, lambda phases: None)
        self.ledger = PhaseCollector(self.logbook, {}, Transfers(job(STEP)))
        self.phase: Phase = expand(STEP, 2)[0]
        self.ledger.expect([self.phase])

    def attempt(self, *rows: dict[str, int], start_ns: int = 0) -> bool:
        """The phase was measured once more, with a row at each node; whether that settles it."""
        for node, row in enumerate(rows):
            ends = {"src": 1 - node, "dst": node, "size_bytes": 1, "start_ns": start_ns}
            zeros = dict.fromkeys(("step", "phase", "launch", "batch"), 0)
            batch = pa.RecordBatch.from_pylist([zeros | ends | row], schema=SCHEMA)
            self.ledger.recorded(node, recorded(start_ns))
            self.ledger.samples(batch)
            self.ledger.over(node, PhaseOver(0, 1.0), range(2))
        return self.ledger.is_settled(self.phase)

    @property
    def starts_ns(self) -> set[int]:
        return set(self.writer.samples["start_ns"].to_pylist())


@pytest.mark.parametrize("odd", [EMPTY, SHORT])
def test_a_phase_with_an_odd_window_is_measured_again(tmp_path: Path, odd: dict[str, int]) -> None:
    arrivals = Arrivals(tmp_path / "run")
    assert not arrivals.attempt(WHOLE, odd, start_ns=1) and not arrivals.starts_ns
    assert arrivals.attempt(WHOLE, WHOLE, start_ns=2) and arrivals.starts_ns == {2}


def test_nodes_for_which_all_others_waited_are_named_once_a_step(tmp_path: Path) -> None:
    arrivals = Arrivals(tmp_path / "run")
    for pause_s in (2.5, 5.84):
        arrivals.logbook.held_up((1,), pause_s)
    arrivals.logbook.finish()
    (warning,) = arrivals.writer.meta.warnings
    assert warning.code == "held-up"
    assert "nothing moved 2 times, for up to 5.8 s, while others waited for n2" in warning.message


def test_a_plan_that_searches_measures_each_phase_once(tmp_path: Path) -> None:
    arrivals = Arrivals(tmp_path / "run", a_step(Xray(nodes=None, time_ns=1), stop=STEP.stop))
    assert arrivals.attempt(WHOLE, EMPTY, start_ns=1) and arrivals.starts_ns == {1}


def test_of_several_tries_the_best_is_kept(tmp_path: Path) -> None:
    arrivals = Arrivals(tmp_path / "run")
    tries = [(EMPTY, SHORT), (EMPTY, WHOLE), (EMPTY, SHORT)]
    settled = [arrivals.attempt(*rows, start_ns=at) for at, rows in enumerate(tries)]
    assert settled == [False] * (TRIES - 1) + [True] and arrivals.starts_ns == {1}
    run = arrivals.writer.finish("complete")
    assert run.side_table(EVIDENCE_NAME)["value"].to_pylist() == [1, 1]


def test_what_a_lost_session_leaves_of_a_phase_is_not_taken_for_a_whole_try(tmp_path: Path) -> None:
    arrivals = Arrivals(tmp_path / "run")
    arrivals.attempt(WHOLE, EMPTY, start_ns=1)
    assert not arrivals.attempt(WHOLE, start_ns=2)
    arrivals.ledger.give_up()
    assert arrivals.starts_ns == {1} and len(arrivals.writer.samples) == 2


@pytest.mark.timed
def test_messages_too_large_for_any_window_end_in_a_warning(tmp_path: Path) -> None:
    """No window of 1 ms has room for half of a message of 1 GB: every try is empty."""
    stop = '{ rule = "time", trial = "1 ms", trials = 1 }'
    step = ensemble_step("ring", 1_000_000_000, stop)
    cluster = with_cluster(tmp_path / "run", 3, step, Cluster.run)
    assert cluster.meta.incomplete == []
    run = cluster.writer.finish("complete")
    (warning,) = run.meta.warnings
    assert warning.code == CODE and warning.message.startswith("3 of 3 rows")
