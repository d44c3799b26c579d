"""What counters say of losses: what was sent again and had not arrived, of what was sent."""

import numpy as np
import pyarrow as pa

from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.understand.grey.observations import ElementMap
from weft.understand.grey.symptoms import lossy, stalled
from weft.understand.host.resent import NEEDLESS, OVERTAKEN, RESENT, SENT, SegmentCounts, segments
from weft.understand.xray.trial import FlowTrial

STEP = 1


def evidence(*rows: tuple[int, int, str, int]) -> pa.Table:
    """Rows of phase, node, counter and value."""
    fixed = {"step": STEP, "launch": 0, "batch": 0, "batches": 1, "cpu": None}
    names = ("phase", "node", "counter", "value")
    made = [fixed | dict(zip(names, row, strict=True)) for row in rows]
    columns = SCHEMAS[EVIDENCE_NAME].names
    return pa.table({name: [one[name] for one in made] for name in columns}).cast(
        SCHEMAS[EVIDENCE_NAME]
    )


def test_what_the_receiver_had_already_is_not_lost() -> None:
    rows = evidence(
        (0, 2, SENT, 1000), (0, 2, RESENT, 12), (0, 2, NEEDLESS, 10), (0, 2, OVERTAKEN[0], 5)
    )
    assert segments(rows, STEP) == {(0, 2): SegmentCounts(1000, 2, 5)}
    assert segments(rows, STEP + 1) == {}


def test_a_look_is_lossy_by_its_share_so_that_fast_links_are_not() -> None:
    trials = [FlowTrial(phase, np.array([0, 1]), np.array([1, 0]), np.ones(2)) for phase in (0, 1)]
    rows = evidence(
        (0, 0, SENT, 80),
        (0, 0, RESENT, 1),
        (1, 0, SENT, 80),
        (1, 1, SENT, 200_000),
        (1, 1, RESENT, 9),
    )
    (seen,) = lossy(trials, segments(rows, STEP), ElementMap(2, []))
    assert seen.shown.tolist() == [True, False, False, False]
    assert lossy(trials, segments(rows[:0], STEP), ElementMap(2, [])) == []


def test_a_look_stalls_by_its_rate_or_by_what_it_lost_at_once() -> None:
    src, dst = np.arange(4), np.roll(np.arange(4), 1)
    trials = [FlowTrial(0, src, dst, np.array([9.0, 4.0, 10.0, 10.0]))]
    rows = evidence((0, 0, SENT, 80), (0, 0, RESENT, 1), (0, 2, SENT, 80), (0, 2, RESENT, 5))
    assert stalled(trials, segments(rows, STEP), ElementMap(4, [])).shown.tolist() == [
        False,
        True,
        True,
        False,
    ]
