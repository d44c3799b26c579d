"""What-ifs: what is predicted of a change, and with which interval."""

from pathlib import Path

import pytest

import weft
from weft.base.errors import RequestError
from weft.decisions.twin.twin import (
    SCHEMA,
    TwinDocument,
    TwinParameter,
    step_digest,
    text_digest,
    write_twin,
)
from weft.decisions.what_if.alternative import alternative, read_alternatives
from weft.decisions.what_if.ask import WhatIfRequest, ask, read_what_if
from weft.decisions.what_if.effects import effects, paired
from weft.decisions.what_if.foresee import WhatIfQuestion, foresee
from weft.decisions.what_if.network import Subject, open_subject
from weft.decisions.what_if.result import WhatIfResult
from weft.decisions.what_if.workloads import block_bytes
from weft.network.fabrics.document import FabricDocument
from weft.plan.load import load_plan
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload
from weft.understand.summary.measures import StepMeasure

COUNT = {"rule": "count", "repeats": 1, "trials": 1}
CUT = {"name": "cut", "pattern": "pairs", "stride": 16, "sizes": ["1 MiB"], "stop": COUNT}
ACROSS = PlannedWorkload({"name": "across", "steps": [CUT]})


def of(subject: Subject, *changes: str, workload: PlannedWorkload = ACROSS) -> WhatIfResult:
    return foresee(WhatIfQuestion(subject, [alternative([one]) for one in changes], [workload]))


def drawn(trunks_mbps: list[float], **known: tuple[float, ...]) -> Subject:
    """two-racks with a trunk that is known only so well."""
    document = FabricDocument.read("two-racks")

    def with_trunk(mbps: float) -> NetworkDraw:
        table = document.edited()
        table["links"][0]["rate"] = f"{mbps} Mb/s"  # type: ignore[index]
        return NetworkDraw(document.with_table(table))

    return Subject("mine", with_trunk(4000), tuple(map(with_trunk, trunks_mbps)), **known)


def test_twice_the_trunk_is_twice_as_fast_whatever_the_trunk_is() -> None:
    found = of(drawn([3000, 3500, 4500, 5000]), "links.rack1-rack2.rate*=2").outcomes[0]
    (effect,) = found.effects
    assert effect.speedup.median == pytest.approx(2, rel=0.02)
    # The draws are paired: what is not known of the trunk is in the times and not in their ratio.
    width, of_times = (one.high / one.low for one in (effect.speedup, effect.before_s))
    assert width < 1.12 and of_times > 1.4
    assert effect.difference_s.high < 0 and effect.is_clear


def test_an_absolute_rate_is_worth_what_the_old_one_was_not() -> None:
    found = of(drawn([3000, 3500, 4500, 5000]), "links.rack1-rack2.rate=4.2 Gb/s").outcomes[0]
    (effect,) = found.effects
    assert effect.speedup.low < 1 < effect.speedup.high and not effect.is_clear


def test_what_the_simulator_gets_wrong_widens_the_difference_and_not_the_ratio() -> None:
    wrong = (-0.2, -0.1, 0.0, 0.1, 0.2) * 4
    plain = of(drawn([4000, 4000]), "links.rack1-rack2.rate*=2").outcomes[0].effects[0]
    found = of(
        drawn([4000, 4000], discrepancy=wrong, rate_discrepancy=wrong), "links.rack1-rack2.rate*=2"
    )
    effect = found.outcomes[0].effects[0]
    assert effect.speedup == plain.speedup
    assert plain.speedup.high / plain.speedup.low == pytest.approx(1.10, abs=0.02)
    assert effect.difference_s.low < 1.08 * plain.difference_s.low
    assert effect.difference_s.high > 0.92 * plain.difference_s.high


def test_what_is_taken_as_it_is_said_has_no_interval() -> None:
    (effect,) = of(open_subject("two-racks"), "links.rack1-rack2.rate*=2").outcomes[0].effects
    for value in (effect.speedup, effect.before_s, effect.difference_s, effect.difference_mbps):
        assert value.low == pytest.approx(value.median) == pytest.approx(value.high)


def test_the_best_comes_first_and_what_cannot_be_says_why() -> None:
    subject = open_subject("two-racks")
    names = ("links.rack9.rate=1 Gb/s", "remove n32", "oversubscription 1:1", "remove n[1-31]")
    found = of(subject, *names, workload=PlannedWorkload("aapc"))
    assert [one.name for one in found.outcomes][:2] == ["oversubscription 1:1", "remove n32"]
    assert [bool(one.failed) for one in found.outcomes] == [False, False, True, True]
    assert not found.is_measured and found.draws == 0
    with pytest.raises(RequestError, match="no such link"):
        of(subject, *names[::3])


def test_a_plan_that_needs_more_hosts_than_are_left_is_named() -> None:
    with pytest.raises(RequestError, match="16"):
        of(open_subject("two-racks"), "remove n[17-32]")


def test_hosts_that_have_no_way_to_each_other_are_no_network() -> None:
    with pytest.raises(RequestError, match="no path"):
        of(open_subject("fat-tree-16"), "remove leaf1-spine", workload=PlannedWorkload("aapc"))


def test_more_than_was_measured_is_said() -> None:
    changes = ("add 8 hosts", "links.rack1-rack2.rate=10 Gb/s", "links.rack1-rack2.rate*=0.5")
    found = {one.name: one.notes for one in of(drawn([4000]), *changes).outcomes}
    assert "40 hosts, measured were 32 (+25%)" in found[changes[0]][0]
    assert (
        "10.0 Gb/s, the fastest that was measured has 4.00 Gb/s (2.5 times)" in found[changes[1]][0]
    )
    assert "behind rack1 to rack2, rack2 to rack1 was never asked" in found[changes[1]][1]
    assert found[changes[2]] == ()
    assert of(open_subject("two-racks"), changes[0]).outcomes[0].notes == ()


def test_what_runs_afterwards_may_be_another() -> None:
    step = {
        "name": "image",
        "pattern": "cast",
        "chunk": "64 KiB",
        "sizes": ["4 MiB"],
        "stop": COUNT,
    }
    image = PlannedWorkload({"name": "image", "steps": [step]})
    one = alternative(["second network like rack[1-2]", "steps.image.networks=2"])
    found = foresee(WhatIfQuestion(open_subject("two-racks"), [one], [image])).outcomes[0]
    assert found.speedup == pytest.approx(2, rel=0.25)


def test_steps_are_paired_by_their_sizes_order() -> None:
    before = [
        StepMeasure("a", 8, 1.0, 1.0),
        StepMeasure("b", 8, 2.0, 1.0),
        StepMeasure("b", 16, 4.0, 1.0),
    ]
    after = [
        StepMeasure("b", 4, 1.0, 1.0),
        StepMeasure("b", 8, 2.0, 1.0),
        StepMeasure("c", 8, 9.0, 1.0),
    ]
    assert [(x.size_bytes, y.size_bytes) for x, y in paired(before, after)] == [(8, 4), (16, 8)]


def test_flows_for_a_fixed_time_are_judged_by_their_sum() -> None:
    timed = {**CUT, "stop": {"rule": "time", "trial": "10 ms", "trials": 1}}
    workload = PlannedWorkload({"name": "across", "steps": [timed]})
    sides = [[[StepMeasure("cut", 1 << 20, 1.0, rate)]] for rate in (100.0, 150.0)]
    (effect,) = effects(workload, *sides, ((), ()))
    assert (effect.by, effect.speedup.median) == ("rate", 1.5)


def test_round_trips_are_judged_by_their_time() -> None:
    found = of(
        open_subject("long-fat"), "links.n1-n2.delay*=0.5", workload=PlannedWorkload("latency")
    )
    effects_of = found.outcomes[0].effects
    assert [one.size_bytes for one in effects_of] == [1, 8, 64, 1024]
    assert {one.by for one in effects_of} == {"time"}
    assert effects_of[0].speedup.median == pytest.approx(2, rel=0.01)


def test_generators_that_are_trees_can_be_changed_and_others_replaced() -> None:
    tree = of(open_subject("crossbar(hosts=32)"), "hosts.n1.rate*=0.5").outcomes[0]
    assert tree.speedup == pytest.approx(0.5, rel=0.02)
    loops = open_subject("fat-tree(k=4)")
    wider = of(loops, "topology=fat-tree(k=4,rate=20 Gb/s)", workload=PlannedWorkload("aapc"))
    assert wider.outcomes[0].speedup > 1
    with pytest.raises(RequestError, match="no fabric file"):
        of(loops, "remove n1", workload=PlannedWorkload("aapc"))


def test_hosts_cost_of_a_message_is_a_change_too() -> None:
    step = {"name": "small", "pattern": "ring", "sizes": ["64 B"], "stop": COUNT}
    small = PlannedWorkload({"name": "small", "steps": [step]})
    found = of(open_subject("two-racks"), "overhead=100 us", workload=small).outcomes[0]
    assert found.speedup is not None and found.speedup < 0.4


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], "no changes"),
        (["overhead=much"], "write for example overhead=20 us"),
        (["overhead=1us", "overhead=2us"], "changed twice"),
        (["congestion=cubic"], "not simulated"),
        (["topology=fat-tree(k=4)", "remove n1"], "no fabric file"),
        (["faster please"], "not a change"),
    ],
)
def test_what_is_no_alternative_is_refused(texts: list[str], said: str) -> None:
    with pytest.raises(RequestError) as caught:
        alternative(texts)
    assert said in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "alternative is missing"),
        ("[[alternative]]\nchanges = 'remove n1'", "changes = 'remove n1': must be a list"),
        ("[[alternative]]\nchange = []", "unknown key"),
        ("[[alternative]]\nchanges = []", "must be a list of length >= 1"),
        ("[[alternative]]\nname = 1\nchanges = ['remove n1']", "name = 1: must be text in quotes"),
        ("[[alternative]]\nchanges = ['remove n1']\n" * 2, "there twice"),
        ("[[alternative", "list"),
    ],
)
def test_files_of_alternatives_that_are_wrong(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "list.toml"
    path.write_text(text)
    with pytest.raises(RequestError) as caught:
        read_alternatives(str(path))
    assert "list.toml" in caught.value.message and said in caught.value.message


def test_findings_and_fabrics_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    chosen = [alternative(["remove n32"]), alternative(["remove n[1-32]"], "all")]
    found = ask(WhatIfRequest("two-racks", chosen, ["aapc"], out=out))
    assert read_what_if(out) == found
    assert sorted(one.name for one in out.iterdir()) == [
        "after-1.toml",
        "before.toml",
        "what-if.json",
    ]
    assert len(FabricDocument.read(out / "after-1.toml").resolved()["hosts"]) == 31
    with pytest.raises(RequestError, match="is there already"):
        ask(WhatIfRequest("two-racks", chosen, ["aapc"], out=out))
    with pytest.raises(RequestError, match="not a folder of `weft what-if`"):
        read_what_if(tmp_path)


def test_blocks_suit_the_hosts() -> None:
    sizes = [block_bytes(open_subject(one), 1.0) for one in ("bad-cable", "two-racks", "pair")]
    assert sizes == [1 << 18, 1 << 22, 1 << 22]
    with pytest.raises(RequestError, match="there twice"):
        ask(WhatIfRequest("two-racks", [alternative(["remove n1"])], ["aapc", "aapc"]))
    with pytest.raises(RequestError, match="'remove n1' is there twice"):
        ask(WhatIfRequest("two-racks", [alternative(["remove n1"])] * 2))
    with pytest.raises(RequestError, match="what is to be changed"):
        ask(WhatIfRequest("two-racks", []))


def test_a_change_costs_what_its_parts_do() -> None:
    known = of(
        open_subject("xibalba-e7-32"), "add 8 hosts", workload=PlannedWorkload("aapc")
    ).outcomes[0]
    assert known.price is not None
    assert (known.price.difference, known.price.currency) == (8 * 480, "USD")
    none = of(open_subject("two-racks"), "add 8 hosts", workload=PlannedWorkload("aapc")).outcomes[
        0
    ]
    assert none.price is None
    chosen = [alternative(["add 8 hosts"])]
    found = ask(WhatIfRequest("two-racks", chosen, ["aapc"], prices="slim-fly-2014")).outcomes[0]
    assert found.price is not None and found.price.difference > 0 and found.price.not_priced
    with pytest.raises(RequestError, match="no-such"):
        ask(WhatIfRequest("two-racks", chosen, ["aapc"], prices="no-such"))


def test_a_twin_has_intervals_and_says_what_it_was_fitted_to(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    text = FabricDocument.read("two-racks").text
    rate = TwinParameter(
        name="links.rack1.rate",
        unit="Mb/s",
        median=4000.0,
        low=3000.0,
        high=5000.0,
        is_identified=True,
        why="",
        places=[["links", 0, "rate"]],
        draws=[3000.0, 3500.0, 4000.0, 4500.0, 5000.0],
    )
    seen = load_plan(ACROSS.plan).steps[0]
    twin = TwinDocument(
        schema=SCHEMA,
        name="mine",
        testbed="lab:two-racks",
        scale=1.0,
        nodes=[f"n{number}" for number in range(1, 33)],
        fabric_digest=text_digest(text),
        model={"overhead_s": 1e-5},
        parameters=[rate],
        held_out=[],
        discrepancy=[0.0, 0.1],
        rate_discrepancy=[0.0, -0.1],
        sources=[],
        fitted=[step_digest(seen)],
        alternatives=[],
        warnings=[],
    )
    write_twin(folder, twin, text)
    other = PlannedWorkload("aapc", (("steps.aapc.sizes", '["1 MiB"]'),))
    one = alternative(["links.rack1-rack2.rate=4.2 Gb/s"])
    found = foresee(WhatIfQuestion(open_subject(str(folder)), [one], [ACROSS, other]))
    assert (found.is_measured, found.draws) == (True, 5)
    assert [each.in_sample for each in found.outcomes[0].effects] == [True, False]
    assert not found.outcomes[0].effects[0].is_clear
    table = {
        row["step"]: row for row in weft.foresee(folder, *one.texts).effects.to_arrow().to_pylist()
    }
    assert table["aapc"]["speedup_low"] < 1 < table["aapc"]["speedup_high"]


def test_linpack_computes_as_fast_before_as_after_and_an_allreduce_is_one_step() -> None:
    settings = (("steps.*.nodes", "4"),)
    plans = ("collectives:allreduce", "hpl")
    change = alternative(["links.rack1-rack2.rate*=2"])
    found = ask(WhatIfRequest("two-racks", [change], plans, settings))
    effects_of = {one.step: one for one in found.outcomes[0].effects}
    assert found.plans == ("allreduce", "hpl")
    # Four hosts of one rack do not use the trunk.
    assert effects_of["hpl"].before_s == effects_of["hpl"].after_s
    assert {one.by for one in effects_of.values()} == {"time"}


def test_a_plan_without_a_number_is_refused_before_anything_is_simulated() -> None:
    change = alternative(["links.rack1-rack2.rate*=2"])
    with pytest.raises(RequestError, match=r"interference cannot be asked: step 'interference' c"):
        ask(WhatIfRequest("two-racks", [change], ["interference"]))
    with pytest.raises(RequestError, match="not in the catalogue") as refused:
        ask(WhatIfRequest("two-racks", [change], ["allreduce"]))
    assert refused.value.hint == "it is a step: collectives:allreduce"
