"""What-ifs that are built: labs before and after."""

from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.decisions.what_if.alternative import alternative
from weft.decisions.what_if.foresee import WhatIfQuestion
from weft.decisions.what_if.labs import LEAST_QUEUE_FRAMES, carried_scale, for_lab
from weft.decisions.what_if.network import GeneratedNetwork, open_subject
from weft.decisions.what_if.verify import Bench, direction, verify
from weft.network.fabrics.changes.wiring import FabricWiring
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.predict import PlannedWorkload

FABRIC = """
name = "four"
[[hosts]]
ids = "n[1-4]"
attach = "left,right"
per_switch = 2
link = { rate = "8 Mb/s", delay = "5 us" }
[[links]]
between = ["left", "right"]
rate = "8 Mb/s"
"""


def test_a_lab_is_as_slow_as_this_machine_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    names = ("fast-ethernet-pair", "fat-tree-16", "two-racks")
    scales = [carried_scale([open_subject(name).median]) for name in names]
    assert scales == [0.6, 0.075, 0.0037]
    assert carried_scale([open_subject(name).median for name in names]) == 0.0037


def test_what_waits_in_a_lab_is_as_much_less_as_its_rates_are() -> None:
    found = FabricWiring.of(for_lab(FabricDocument.read("two-racks"), 0.5))
    assert {one.queue_frames for one in found.cables} == {500}
    least = FabricWiring.of(for_lab(FabricDocument.read("two-racks"), 0.001))
    assert {one.queue_frames for one in least.cables} == {LEAST_QUEUE_FRAMES}


def test_less_than_two_percent_is_no_direction() -> None:
    assert [direction(one) for one in (0.9, 0.99, 1.0, 1.019, 1.03)] == [-1, 0, 0, 0, 1]


def test_a_network_with_loops_is_not_built(tmp_path: Path) -> None:
    subject = open_subject("fat-tree(k=4)")
    assert isinstance(subject.median, GeneratedNetwork)
    one = alternative(["topology=fat-tree(k=4,rate=20 Gb/s)"])
    question = WhatIfQuestion(subject, [one], [PlannedWorkload("aapc")])
    with pytest.raises(RequestError, match="no lab can be built"):
        verify(question, one, Bench(tmp_path, 0.001))


@pytest.mark.timed
def test_a_wider_trunk_is_as_much_faster_in_labs(own_registry: None, tmp_path: Path) -> None:
    file = tmp_path / "four.toml"
    file.write_text(FABRIC)
    stop = {"rule": "count", "repeats": 1, "trials": 1}
    step = {"name": "cut", "pattern": "pairs", "stride": 2, "sizes": ["512 KiB"], "stop": stop}
    one = alternative(["links.left-right.rate*=2"])
    workload = PlannedWorkload({"name": "cut", "steps": [step]})
    question = WhatIfQuestion(open_subject(str(file)), [one], [workload])
    found = verify(question, one, Bench(tmp_path / "labs", 1.0, 1))
    (check,) = found.checks
    assert check.predicted.median == pytest.approx(2, rel=0.05)
    assert check.same_sign and abs(check.error) < 0.25
    runs = sorted(path.name for path in (tmp_path / "labs").iterdir())
    assert runs == ["after.toml", "before.toml", "cut-after-1", "cut-before-1"]
