"""What phases that were chosen during a run are for: as run.json has it now, and as earlier builds wrote it."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.plans import a_plan, a_step
from weft.base.errors import RequestError
from weft.plan.pattern import Ring
from weft.plan.phases import Phase, Transfer
from weft.runs.experiment import MOST_NODES, Experiment, chosen_record, experiments_of
from weft.runs.meta import FILE_NAME, RunMeta
from weft.runs.records.records import ChosenPhase, Kind

MEMBERS = st.frozensets(st.integers(0, 200), min_size=1)
EXPERIMENTS = st.builds(
    lambda kind, group, others: Experiment(kind, group, group | others),
    st.sampled_from(get_args(Kind)),
    MEMBERS,
    st.just(frozenset[int]()) | MEMBERS,
)
GROUP, ALL_NODES = frozenset({0, 1}), frozenset(range(4))
OUT = Experiment("out", GROUP, ALL_NODES)


def record_of(*experiments: Experiment) -> ChosenPhase:
    return chosen_record(0, 0, Phase(3, 1000, "stream", (Transfer(0, 2, 1000),)), experiments)


def text_only(purpose: str) -> ChosenPhase:
    """An entry of an earlier build."""
    record = record_of() | {"purpose": purpose}
    del record["experiments"]
    return record


@given(st.lists(EXPERIMENTS, min_size=1, max_size=3))
def test_experiments_survive_their_record_and_their_text(about: list[Experiment]) -> None:
    record = json.loads(json.dumps(record_of(*about)))
    assert experiments_of(record) == experiments_of(text_only(record["purpose"])) == tuple(about)


def test_the_text_counts_nodes_from_one_and_folds_runs() -> None:
    assert str(Experiment("inside", GROUP, GROUP)) == "inside 1-2"
    assert str(OUT) == "out 1-2 within 1-4"
    assert str(Experiment("subset", ALL_NODES, ALL_NODES | {6, 8, 10, 11})) == (
        "subset 1-4 within 1-4,7,9,11-12"
    )


@pytest.mark.parametrize(
    "purpose", ["", "to see", "inside one", "inside 0-2", f"inside 1-{MOST_NODES + 1}", "guess 1-2"]
)
def test_a_damaged_text_is_refused(purpose: str) -> None:
    with pytest.raises(RequestError, match="phase 3 of step 0: its purpose"):
        experiments_of(text_only(purpose))


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ({"kind": "guess"}, "invalid enum value 'guess'"),
        ({"group": [4]}, "group: must be below 4, is 4"),
        ({"within": [-1]}, "expected `int` >= 0"),
    ],
)
def test_a_damaged_record_is_refused(
    tmp_path: Path, damage: dict[str, Any], complaint: str
) -> None:
    nodes: Any = [{"name": f"n{i}"} for i in range(4)]
    meta = RunMeta(a_plan(a_step(Ring(nodes=None))), {}, nodes, phases=[record_of(OUT)])
    meta.write(tmp_path)
    assert experiments_of(RunMeta.read(tmp_path).phases[0]) == (OUT,)
    document = json.loads((tmp_path / FILE_NAME).read_text())
    document["phases"][0]["experiments"][0].update(damage)
    (tmp_path / FILE_NAME).write_text(json.dumps(document))
    with pytest.raises(RequestError, match="phases.*" + complaint):
        RunMeta.read(tmp_path)
