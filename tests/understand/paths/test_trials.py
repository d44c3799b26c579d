"""Rounds of connections as a run has them: those that a node's loss cut short are none."""

import pyarrow as pa
import pytest

from weft.plan.phases import Phase, Transfer
from weft.runs.experiment import Experiment, chosen_record
from weft.runs.samples import SCHEMA
from weft.understand.ensemble.leaves import Leaf
from weft.understand.paths.connection import LeafPair, PathConnection
from weft.understand.paths.trials import LeafPairTrials, PathLog

STEP, SIZE, TRIAL_NS = 2, 1000, 100_000_000
FIRST, SECOND = PathConnection(0, 4, 20_000), PathConnection(1, 5, 20_001)
ROUNDS = [[FIRST], [SECOND], [FIRST, SECOND]]
EACH = 100


def read(
    messages: list[dict[PathConnection, int]], sources: tuple[int, ...] = (0, 1)
) -> LeafPairTrials:
    """What is read of ROUNDS, from so many messages of each connection; missing ones were not measured."""
    records, rows = [], []
    for number, (sent, counted) in enumerate(zip(ROUNDS, messages, strict=True)):
        nodes = frozenset(node for one in sent for node in (one.src, one.dst))
        kind = "port" if len(sent) == 1 else "meeting"
        asked = Experiment(kind, frozenset((sent[0].src, sent[0].dst)), nodes)
        transfers = tuple(Transfer(one.src, one.dst, SIZE, port=one.port) for one in sent)
        records.append(chosen_record(STEP, 0, Phase(number, SIZE, "stream", transfers), [asked]))
        rows += [(number, one.src, one.dst, count) for one, count in counted.items()]
    fixed = {"step": STEP, "launch": 0, "batch": 0, "size_bytes": SIZE, "start_ns": 0}
    names = ("phase", "src", "dst", "messages")
    made = [fixed | dict(zip(names, row, strict=True)) | {"elapsed_ns": TRIAL_NS} for row in rows]
    samples = pa.Table.from_pylist(made, schema=SCHEMA)
    pair = LeafPair(0, Leaf(sources, 0), Leaf((4, 5), 1))
    (found,) = PathLog(STEP, [pair]).read(samples, records)
    return found


def test_a_round_has_all_of_its_connections() -> None:
    found = read([{FIRST: EACH}, {SECOND: EACH}, {FIRST: EACH // 2, SECOND: EACH // 2}])
    assert found.alone == {FIRST: [8.0], SECOND: [8.0]}
    (round_,) = found.rounds
    assert (round_.asked, round_.mbps) == (FIRST, {FIRST: 4.0, SECOND: 4.0})


@pytest.mark.parametrize("left, sources", [(FIRST, (0,)), (SECOND, (1,))])
def test_what_a_connection_had_beside_one_of_a_lost_node_is_no_round_and_not_alone(
    left: PathConnection, sources: tuple[int, ...]
) -> None:
    alone = [{one: EACH} if one == left else {} for one in (FIRST, SECOND)]
    for in_round in ({left: EACH // 2}, {FIRST: EACH // 2, SECOND: EACH // 2}):
        found = read([*alone, in_round], sources)
        assert found.alone == {left: [8.0]} and found.rounds == []
