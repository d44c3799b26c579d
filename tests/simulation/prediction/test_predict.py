"""Predictions of plans on fabrics that no file holds."""

import pytest

from weft.base.errors import RequestError
from weft.network.fabrics.document import FabricDocument
from weft.runs.folder import RunFolder
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload, predict
from weft.understand.summary.measures import measures

ALL_TO_ALL = PlannedWorkload("aapc", (("steps.aapc.sizes", '["1 MiB"]'),))


def test_the_document_of_the_catalogue_predicts_what_its_run_measures(tmp_path) -> None:
    import weft

    run = weft.run(
        "aapc", "sim:two-racks", out=tmp_path / "run", settings={"steps.aapc.sizes": ["1 MiB"]}
    )
    found = predict(NetworkDraw(FabricDocument.read("two-racks")).open(), ALL_TO_ALL)
    assert found == measures(RunFolder.open(tmp_path / "run"))
    assert [one.size_bytes for one in found] == [1 << 20]
    assert run.status == "complete"


def test_twice_the_trunk_takes_half_the_time_of_phases_that_it_limits() -> None:
    before = FabricDocument.read("two-racks")
    table = before.edited()
    table["links"][0]["rate"] = "8 Gb/s"
    after = before.with_table(table)
    step = {"name": "cut", "pattern": "pairs", "stride": 16, "sizes": ["1 MiB"]}
    cut = PlannedWorkload(
        {"name": "cut", "steps": [step | {"stop": {"rule": "count", "repeats": 1, "trials": 1}}]}
    )
    slow, fast = (predict(NetworkDraw(one).open(), cut)[0] for one in (before, after))
    assert slow.time_s / fast.time_s == pytest.approx(2, rel=0.02)
    assert fast.rate_mbps / slow.rate_mbps == pytest.approx(2, rel=0.02)


def test_a_change_that_makes_no_fabric_is_refused() -> None:
    document = FabricDocument.read("two-racks")
    table = document.edited()
    table["links"][0]["rate"] = "fast"
    with pytest.raises(RequestError, match="rate"):
        document.with_table(table)


def test_a_pair_is_predicted_by_size() -> None:
    found = predict(
        NetworkDraw(FabricDocument.read("gigabit-pair"), {"overhead_s": 5e-6}).open(),
        PlannedWorkload("latency"),
    )
    assert found[0].time_s > 10e-6
    assert [one.size_bytes for one in found] == [1, 8, 64, 1024]
