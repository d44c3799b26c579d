"""Decisions on small networks, simulated."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.decisions.decision.conclusion import conclude
from weft.decisions.decision.document import DesignDecision, DesignResult
from weft.decisions.decision.folder import simulate
from weft.decisions.decision.prepare import prepare
from weft.decisions.decision.request import parse_request
from weft.measure.testbed.computed.network import open_simulated
from weft.network.fabrics.document import FabricDocument
from weft.simulation.prediction.draws import Draws
from weft.simulation.prediction.predict import NetworkDraw, PlannedWorkload, predict
from weft.simulation.sweep.folder import SweepFolder

PRICES = """
[prices]
title = "test"
[prices.cost.per_port]
value = 100
currency = "USD"
year = 2026
source = "a test"
[prices.cost.per_node]
value = 1000
currency = "USD"
year = 2026
source = "a test"
"""
STARS = '[[designs]]\nname = "star"\nfabric = "star(hosts=16,rate=1 Gb/s,capacity=2 Gb/s|8 Gb/s)"\n'
CLOS = '[[designs]]\nname = "clos"\nfabric = "clos(leaves=4,hosts=4,spines=1|2|4,rate=1 Gb/s)"\n'
SHIFT = """
[[workloads]]
name = "all"
plan = "aapc"
settings = { "steps.aapc.sizes" = ["1 MB"] }
"""
NEIGHBOURS = '[[workloads]]\nname = "ring"\nplan = "ring"\n'


def decided(tmp_path: Path, *parts: str, twin: Draws | None = None) -> DesignDecision:
    prepared = prepare(parse_request("".join(parts), "designs.toml"), twin)
    folder = SweepFolder(tmp_path)
    with ThreadPoolExecutor(1) as executor:
        return conclude(prepared, simulate(prepared, folder, executor))


def named(found: DesignDecision, name: str) -> DesignResult:
    return next(one for one in found.designs if one.name == name)


def test_times_are_what_a_simulation_gives_and_prices_what_a_bill_does(tmp_path: Path) -> None:
    found = decided(tmp_path, STARS, CLOS, SHIFT, PRICES)
    testbed = open_simulated("clos(leaves=4,hosts=4,spines=2,rate=1 Gb/s)")
    [wanted] = predict(testbed, PlannedWorkload("aapc", (("steps.aapc.sizes", '["1 MB"]'),)))
    two = named(found, "clos spines=2")
    assert two.times[0].time_s.median == pytest.approx(wanted.time_s)
    assert two.cost is not None
    assert two.cost.network == 100 * (16 + 2 * 2 * 4)
    assert two.cost.share == pytest.approx(3200 / 19200)


def test_the_frontier_goes_from_cheap_to_fast_and_says_what_beats_the_others(
    tmp_path: Path,
) -> None:
    found = decided(tmp_path, STARS, CLOS, SHIFT, PRICES)
    prices = [named(found, name).cost.counted.median for name in found.frontier]  # type: ignore[union-attr]
    index = [named(found, name).index.median for name in found.frontier]
    assert prices == sorted(prices)
    assert index == sorted(index, reverse=True)
    assert index[-1] == pytest.approx(1)
    for one in found.designs:
        assert one.on_frontier == (one.name in found.frontier) == (one.dominated_by is None)
    # A star of 16 ports costs less than leaves and spines, and 8 Gb/s are half of what its hosts send.
    assert named(found, "clos spines=1").dominated_by == "star capacity=8 Gb/s"


def test_a_weight_moves_the_index(tmp_path: Path) -> None:
    even = decided(tmp_path, STARS, SHIFT, NEIGHBOURS)
    heavy = decided(tmp_path, STARS, SHIFT, "weight = 9\n", NEIGHBOURS)
    slow = "star capacity=2 Gb/s"
    times = [named(even, slow).times[at].time_s.median for at in (0, 1)]
    best = [min(one.times[at].time_s.median for one in even.designs) for at in (0, 1)]
    all_, ring = (time / least for time, least in zip(times, best, strict=True))
    assert named(even, slow).index.median == pytest.approx((all_ * ring) ** 0.5)
    assert named(heavy, slow).index.median == pytest.approx(all_**0.9 * ring**0.1)


def test_constraints_are_kept_and_what_breaks_them_is_named(tmp_path: Path) -> None:
    limit = named(decided(tmp_path, CLOS, SHIFT), "clos spines=2").times[0].time_s.median
    below = f'[[constraints]]\nworkload = "all"\nbelow = "{limit * 1.01} s"\n'
    found = decided(tmp_path, CLOS, SHIFT, below, PRICES)
    assert found.by == "cost"
    assert found.chosen == "clos spines=2"
    [broken] = named(found, "clos spines=1").constraints
    assert (broken.holds, broken.probability) == (False, None)
    found = decided(tmp_path, CLOS, SHIFT, below, PRICES, '[uncertain]\nprices = "20 %"\n')
    [broken] = named(found, "clos spines=1").constraints
    assert (broken.holds, broken.probability) == (False, 0.0)
    budget = '[[constraints]]\nbudget = "18500 USD"\n'
    found = decided(tmp_path, CLOS, SHIFT, budget, PRICES)
    assert (found.by, found.chosen) == ("time", "clos spines=1")
    share = '[[constraints]]\nnetwork_share_below = "12 %"\n'
    found = decided(tmp_path, CLOS, SHIFT, share, PRICES)
    assert (found.verdict, found.chosen) == ("none", None)
    assert "nearest is clos spines=1" in found.text


def test_a_constraint_that_is_kept_in_half_of_the_worlds_is_no_reason_to_buy(
    tmp_path: Path,
) -> None:
    """The time is just below its limit, and is known to 10 %."""
    limit = named(decided(tmp_path, CLOS, SHIFT), "clos spines=2").times[0].time_s.median
    below = f'[[constraints]]\nworkload = "all"\nbelow = "{limit * 1.001} s"\n'
    unsure = PRICES + '[uncertain]\nsimulator = "10 %"\n'
    found = decided(tmp_path, CLOS, SHIFT, below, unsure, '[decision]\nregret_below = "50 %"\n')
    assert (found.verdict, found.chosen) == ("decided", "clos spines=4")
    assert (
        found.kept_share == 1.0
        and "in 90 % of worlds or more; it keeps them in 100 %" in found.text
    )
    close = named(found, "clos spines=2")
    assert close.constraints[0].holds and close.kept_share == pytest.approx(0.51, abs=0.06)
    # In as many worlds the cheaper one would have done, which a measurement tells.
    dearer = named(found, "clos spines=4").cost.counted.median / close.cost.counted.median - 1
    assert found.regret == pytest.approx(dearer * close.kept_share, rel=0.1)
    assert (
        found.learn_first
        == "measure 'all' on 'clos', or build it as a lab: weft run PLAN --on lab:FABRIC"
    )
    two = CLOS.replace("1|2|4", "1|2")
    alone = decided(tmp_path, two, SHIFT, below, unsure)
    assert (alone.verdict, alone.chosen) == ("undecided", "clos spines=2")
    assert f"in {100 * close.kept_share:g} % of worlds only (wanted: 90 %)" in alone.text
    borne = unsure + '[decision]\nkept_in = "40 %"\n'
    assert decided(tmp_path, two, SHIFT, below, borne).verdict == "decided"


def test_no_more_than_all_worlds_can_be_wanted() -> None:
    wanted = '[decision]\nkept_in = "120 %"\n'
    with pytest.raises(RequestError, match="kept_in = '120 %': must be a part above 0 to 1"):
        parse_request(CLOS + SHIFT + wanted, "designs.toml")


def test_a_part_of_a_workload_is_limited(tmp_path: Path) -> None:
    sizes = SHIFT.replace('["1 MB"]', '["1 kB", "1 MB"]')
    part = '[[constraints]]\nworkload = "all"\nstep = "aapc"\nsize = "1 kB"\nbelow = "1 s"\n'
    found = decided(tmp_path, CLOS, sizes, part, PRICES)
    [kept] = named(found, "clos spines=1").constraints
    assert kept.holds
    assert kept.value < 0.1 * named(found, "clos spines=1").times[0].time_s.median
    with pytest.raises(RequestError, match="step 'apc'"):
        decided(tmp_path, CLOS, sizes, part.replace('"aapc"', '"apc"'), PRICES)


TWO = """
[[designs]]
name = "one"
fabric = "star(hosts=16,rate=1 Gb/s,capacity=4 Gb/s)"
[[designs]]
name = "other"
fabric = "star(hosts=16,rate=1 Gb/s,capacity=4100 Mb/s)"
"""


def test_where_two_are_as_good_no_decision_follows_and_a_measurement_is_named(
    tmp_path: Path,
) -> None:
    wide = '[uncertain]\nsimulator = "30 %"\n'
    found = decided(tmp_path, TWO, SHIFT, wide)
    assert found.verdict == "undecided"
    assert found.regret is not None
    assert 0.05 < found.regret < 0.3
    assert found.learn_first is not None
    assert "measure 'all' on" in found.learn_first
    least = min(one.regret_when_known for one in found.sensitivity)
    assert least < 0.9 * found.regret
    assert found.text.startswith("No decision follows yet")
    narrow = decided(tmp_path, TWO, SHIFT, wide.replace("30 %", "0.2 %"))
    assert narrow.verdict == "decided"
    assert narrow.chosen == "other"


def test_hosts_that_are_not_known_are_in_every_interval(tmp_path: Path) -> None:
    slow = '[uncertain]\noverhead = "1 ms..4 ms"\n'
    found = decided(tmp_path, CLOS, SHIFT, slow)
    [tornado] = found.sensitivity
    assert tornado.low.loss < 1 < tornado.high.loss
    time_s = named(found, "clos spines=4").times[0].time_s
    assert time_s.low < time_s.median < time_s.high
    # 15 phases with an overhead at both ends.
    assert time_s.high - time_s.low == pytest.approx(15 * 2 * 3e-3, rel=0.15)


def test_rates_that_are_not_known_are_those_of_an_entry(tmp_path: Path) -> None:
    found = decided(tmp_path, CLOS, STARS, SHIFT, '[uncertain]\nrates = "20 %"\n')
    assert {one.quantity for one in found.sensitivity} == {"rates of clos", "rates of star"}
    time_s = named(found, "clos spines=1").times[0].time_s
    assert time_s.high / time_s.median == pytest.approx(1.2, rel=0.05)


def test_a_twin_gives_hosts_and_the_simulators_error(tmp_path: Path) -> None:
    document = FabricDocument.read("two-racks")
    drawn = tuple(NetworkDraw(document, {"overhead_s": one * 1e-3}) for one in (1, 2, 3))
    twin = Draws(NetworkDraw(document, {"overhead_s": 2e-3}), drawn, (0.05, 0.1, 0.15))
    found = decided(tmp_path, CLOS, SHIFT, twin=twin)
    assert {one.kind for one in found.sensitivity} == {"host", "simulator"}
    certain = decided(tmp_path, CLOS, SHIFT)
    slow, fast = (named(one, "clos spines=4").times[0].time_s.median for one in (found, certain))
    # The twin was 10 % slower than simulated in the median, and its hosts take 2 ms a message instead of 10 us.
    assert slow / 1.105 - fast == pytest.approx(15 * 2 * 1.99e-3, rel=0.05)


def test_prices_that_are_not_known_move_the_price(tmp_path: Path) -> None:
    found = decided(tmp_path, CLOS, SHIFT, '[uncertain]\nprices = "20 %"\n', PRICES)
    cost = named(found, "clos spines=2").cost
    assert cost is not None
    assert (
        cost.counted.low
        < 0.95 * cost.counted.median
        < 1.05 * cost.counted.median
        < cost.counted.high
    )
    assert {one.quantity for one in found.sensitivity} == {"price of switches", "price of nodes"}


def test_computing_beside_makes_networks_alike(tmp_path: Path) -> None:
    pure = decided(tmp_path, CLOS, SHIFT)
    beside = decided(tmp_path, CLOS, SHIFT, 'compute = "100 s"\nrepeat = 2\n')
    assert named(pure, "clos spines=1").index.median > 1.5
    assert named(beside, "clos spines=1").index.median < 1.02
    times = [named(one, "clos spines=1").times[0].time_s.median for one in (pure, beside)]
    assert times[1] == pytest.approx(100 + 2 * times[0])


def test_what_cannot_be_simulated_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    odd = '[[designs]]\nname = "odd"\nfabric = "fat-tree(k=4|5)"\n'
    islands = '[[designs]]\nname = "small"\nfabric = "crossbar(hosts=3)"\n'
    found = decided(tmp_path, "hosts = 4\n", odd, islands, SHIFT)
    assert [one.name for one in found.designs] == ["odd k=4"]
    assert {one.name: one.why for one in found.failed} == {
        "odd k=5": next(one.why for one in found.failed if "even" in one.why),
        "small": "it has 3 hosts",
    }


def test_a_change_makes_another_design(tmp_path: Path) -> None:
    both = '[[designs]]\nname = "as is"\nfabric = "two-racks"\n'
    both += '[[designs]]\nname = "wider"\nfabric = "two-racks"\nchange = ["links.rack1-rack2.rate*=4"]\n'
    found = decided(tmp_path, both, SHIFT)
    assert named(found, "as is").index.median > 1.5
    assert found.chosen == "wider"


def test_without_prices_time_alone_decides(tmp_path: Path) -> None:
    found = decided(tmp_path, CLOS, SHIFT)
    assert (found.by, found.chosen, found.frontier) == ("time", "clos spines=4", ("clos spines=4",))
    with pytest.raises(RequestError, match="no design has a price"):
        decided(tmp_path, CLOS, SHIFT, '[decision]\nby = "cost"\n')


def test_money_is_not_mixed(tmp_path: Path) -> None:
    own = '[[designs]]\nname = "old"\nfabric = "xibalba-e7-config1"\n'
    with pytest.raises(
        RequestError, match="'clos spines=1' are in USD of 2026, of 'old' in USD of 2003"
    ):
        decided(tmp_path, CLOS + 'prices = "PRICES"\n'.replace('"PRICES"', inline()), own, SHIFT)
    with pytest.raises(RequestError, match="the budget is in EUR"):
        decided(tmp_path, CLOS, SHIFT, '[[constraints]]\nbudget = "5 EUR"\n', PRICES)


def inline() -> str:
    price = '{ value = 1, currency = "USD", year = 2026, source = "a test" }'
    return f'{{ title = "test", cost = {{ per_port = {price} }} }}'


def test_too_many_designs_are_refused_with_the_time(tmp_path: Path) -> None:
    many = '[[designs]]\nname = "a"\nfabric = "torus(dims=4x4,a=1..1000,b=1..1000)"\n'
    with pytest.raises(
        RequestError, match="1,000,000 designs with 1 workloads would take about 28 hours"
    ):
        decided(tmp_path, many, SHIFT)


def test_the_rows_of_a_decision_are_those_of_any_other_with_the_same_networks(
    tmp_path: Path,
) -> None:
    decided(tmp_path, CLOS, SHIFT)
    files = len(list((tmp_path / "rows").iterdir()))
    decided(tmp_path, CLOS, SHIFT, "weight = 3\n", PRICES)
    assert len(list((tmp_path / "rows").iterdir())) == files


def test_where_nothing_is_uncertain_neither_probability_nor_regret_is_stated(
    tmp_path: Path,
) -> None:
    limit = '[[constraints]]\nbudget = "30000 USD"\n'
    rule = '[decision]\nby = "time"\n'
    found = decided(tmp_path, CLOS, STARS, SHIFT, PRICES, limit, rule)
    assert (found.verdict, found.chosen, found.regret) == ("unweighed", "clos spines=4", None)
    assert {one.best_share for one in found.designs} == {None}
    assert {one.dominated_in for one in found.designs} == {None}
    assert {kept.probability for one in found.designs for kept in one.constraints} == {None}
    assert "Nothing in this file is uncertain, so neither" in found.text
    assert "%" not in found.text
    # Two spines carry half as much, and all of an all-to-all's phases but few cross them.
    ratio = named(found, "clos spines=2").index.median
    assert f"next is clos spines=2 with {ratio:.3g} times as much" in found.text
    assert any("held for certain: prices, rates of links, hosts" in one for one in found.basis)


def test_a_regret_says_over_what_it_is_drawn(tmp_path: Path) -> None:
    found = decided(tmp_path, CLOS, SHIFT, '[uncertain]\nprices = "20 %"\n', PRICES)
    assert found.regret is not None
    assert "over the draws of prices:" in found.text
    assert any(
        "held for certain: rates of links, hosts and the simul" in one for one in found.basis
    )


TORUS = '[[designs]]\nname = "torus"\nfabric = "torus(dims=4x4,rate=1 Gb/s)"\n'
PORTS = """
[prices]
title = "ports"
[prices.cost]
per_port = { value = 100, currency = "USD", year = 2026, source = "a test" }
per_cable = { kind = "copper", value = 10, currency = "USD", year = 2026, source = "a test" }
"""


def test_a_design_whose_routers_have_no_price_is_not_the_cheapest(tmp_path: Path) -> None:
    found = decided(tmp_path, TORUS, CLOS, SHIFT, PORTS, '[decision]\nby = "cost"\n')
    assert (found.chosen, found.verdict, found.regret) == ("torus", "undecided", None)
    assert named(found, "torus").lacks == ("routers in interfaces",)
    assert {one.lacks for one in found.designs if one.entry == "clos"} == {()}
    # 32 cables; the cheapest clos has 16 + 2 x 4 ports and 16 + 4 cables.
    assert f"cost more than {2400 + 200 - 320:,} USD in all, clos spines=1 is better" in found.text
    assert found.learn_first == "ask for an offer: routers in interfaces"
    slow = named(found, "clos spines=1")
    assert found.dominator(slow) == "torus (without routers in interfaces)"
    [warning] = found.warnings
    assert warning.code == "bill-incomplete" and warning.message.startswith("torus: ")
    assert "without a price in all designs: interfaces" in found.notes


def test_what_no_price_is_for_does_not_matter_where_time_alone_decides(tmp_path: Path) -> None:
    found = decided(tmp_path, TORUS, CLOS, SHIFT, PORTS, '[decision]\nby = "time"\n')
    assert (found.verdict, found.chosen) == ("unweighed", "clos spines=4")
    assert [one.code for one in found.warnings] == ["bill-incomplete"]


def test_a_budget_is_not_kept_by_a_bill_that_is_incomplete(tmp_path: Path) -> None:
    wide = CLOS.replace("1|2|4", "1")
    found = decided(tmp_path, TORUS, wide, SHIFT, PORTS, '[[constraints]]\nbudget = "2000 USD"\n')
    assert (found.chosen, found.verdict) == ("torus", "undecided")
    assert "routers in interfaces have no price" in found.text


UPLINKS = """
[[designs]]
name = "rail"
fabric = "rail(units=4,rails=1,spines=1,hosts=4,rate=1 Gb/s,uplink=1 Gb/s|4 Gb/s)"
"""


def test_faster_links_cost_more_where_prices_say_which_they_are_for(tmp_path: Path) -> None:
    port = '{{ value = {}, rate = "{} Gb/s", currency = "USD", year = 2026, source = "a test" }}'
    both = f"[prices.cost]\nper_port = [{port.format(100, 1)}, {port.format(400, 4)}]\n"
    found = decided(tmp_path, UPLINKS, SHIFT, both)
    networks = [one.cost.network for one in found.designs if one.cost]
    assert networks == [(16 + 8) * 100, 16 * 100 + 8 * 400]
    assert found.warnings == ()
    slow = f"[prices.cost]\nper_port = {port.format(100, 1)}\n"
    found = decided(tmp_path, UPLINKS, SHIFT, slow)
    assert (found.chosen, found.verdict) == ("rail uplink=4 Gb/s", "undecided")
    assert named(found, "rail uplink=4 Gb/s").lacks == ("ports of switches of 4 Gb/s",)


def test_prices_that_name_no_rate_are_not_for_links_of_any_without_a_word(tmp_path: Path) -> None:
    found = decided(tmp_path, UPLINKS, SHIFT, PORTS)
    [warning] = found.warnings
    assert warning.code == "price-at-any-rate"
    assert "links of 1 Gb/s, 4 Gb/s cost the same (ports, cables)" in warning.message
    assert decided(tmp_path, CLOS, SHIFT, PORTS).warnings == ()


def other(plan: str) -> str:
    return f'[[workloads]]\nname = "other"\nplan = "{plan}"\n'


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ("interference", "'interference' compares a victim alone with one beside others"),
        ("hpl", "'hpl' does not say how fast a node computes"),
        ("latency", "'pingpong' is between two nodes"),
        ("xray", "'search' searches"),
    ],
)
def test_a_workload_that_cannot_be_estimated_is_left_out_by_name(
    tmp_path: Path, plan: str, why: str
) -> None:
    found = decided(tmp_path, CLOS, SHIFT, other(plan), '[uncertain]\nsimulator = "5 %"\n')
    alone = decided(tmp_path, CLOS, SHIFT, '[uncertain]\nsimulator = "5 %"\n')
    assert (found.designs, found.regret) == (alone.designs, alone.regret)
    assert found.workloads == (("all", 1.0),)
    [warning] = found.warnings
    assert warning.code == "workload-left-out"
    assert warning.message.startswith(f"workload 'other' is left out: step {why}")
    assert found.text.endswith("Left out, as it cannot be estimated: other.")


def test_a_file_without_a_workload_that_can_be_estimated_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        RequestError, match=r"no workload can be estimated; other: step 'bottleneck'"
    ):
        decided(tmp_path, CLOS, other("traffic"))
    limit = '[[constraints]]\nworkload = "other"\nbelow = "1 s"\n'
    with pytest.raises(RequestError, match=r"'other below 1 s' is about a workload that cannot"):
        decided(tmp_path, CLOS, SHIFT, other("traffic"), limit)


@pytest.mark.parametrize("plan", ["ring", "random-permutations"])
def test_messages_that_do_not_fill_links_are_called_latency_bound(
    tmp_path: Path, plan: str
) -> None:
    """Hosts take 10 us for a message, in which 10 Gb/s carry 12 kB."""
    fast = CLOS.replace("1 Gb/s", "10 Gb/s").replace("1|2|4", "4")
    found = decided(tmp_path, fast, SHIFT, other(plan))
    for one in found.designs:
        assert [each.is_latency_bound for each in one.times] == [False, True]
    [warning] = found.warnings
    assert warning.code == "latency-bound"
    assert warning.message.startswith("workload 'other' is latency-bound on all designs: up to")
    large = 'settings = { "steps.*.sizes" = ["1 MB"] }\n'
    assert large.strip() in warning.hint
    assert decided(tmp_path, fast, SHIFT, other(plan), large).warnings == ()


DRAGONFLY = """
[[designs]]
name = "dragonfly"
fabric = "dragonfly(groups=9,routers=4,hosts=2,global=2,rate=1 Gb/s)"
"""


def test_a_routing_that_keeps_hosts_below_their_rate_is_named_with_what_another_gives(
    tmp_path: Path,
) -> None:
    """In most phases the eight hosts of a group send to two others, over two links: about a quarter of their rate."""
    found = decided(tmp_path, DRAGONFLY, CLOS, SHIFT)
    assert {one.name: one.routing for one in found.designs} == {
        "dragonfly": "minimal",
        **{f"clos spines={spines}": "d-mod-k" for spines in (2, 4)},
        "clos spines=1": "one path",
    }
    [warning] = [one for one in found.warnings if "on dragonfly" in one.message]
    assert warning.code == "static-routing"
    minimal, valiant = map(float, re.findall(r"([\d.]+)%", warning.message))
    assert minimal < 100 / 4
    both = decided(
        tmp_path, DRAGONFLY.replace("1 Gb/s)", "1 Gb/s,routing=minimal|valiant)"), CLOS, SHIFT
    )
    times = [
        named(both, f"dragonfly routing={one}").times[0].time_s.median
        for one in ("minimal", "valiant")
    ]
    assert valiant / minimal == pytest.approx(times[0] / times[1], rel=0.02)
    assert "adaptive routing" in warning.hint and "routing=minimal|valiant" in warning.hint


def test_two_designs_that_differ_in_price_alone_take_as_long_as_one(tmp_path: Path) -> None:
    wide = CLOS.replace("1|2|4", "4")
    [alone] = decided(tmp_path, wide, SHIFT).designs
    both = decided(tmp_path, wide, wide.replace('"clos"', '"offer"'), SHIFT).designs
    assert [one.times[0].time_s.median for one in both] == [alone.times[0].time_s.median] * 2


CLOS_OF_TWO = (
    '[[designs]]\nname = "clos"\nfabric = "clos(leaves=4,hosts=4,spines=1|2,rate=1 Gb/s)"\n'
)


def test_an_allreduce_is_as_fast_as_its_fastest_algorithm(tmp_path: Path) -> None:
    """At the ends of what is uncertain, too."""
    sizes = 'settings = { "steps.allreduce.sizes" = ["64 KiB"] }\n'
    unsure = '[uncertain]\noverhead = "5 us..20 us"\n'
    found = decided(tmp_path, CLOS_OF_TWO, other("collectives:allreduce"), sizes, unsure)
    testbed = open_simulated("clos(leaves=4,hosts=4,spines=2,rate=1 Gb/s)")
    load = PlannedWorkload("collectives:allreduce", (("steps.allreduce.sizes", '["64 KiB"]'),))
    [wanted] = predict(testbed, load)
    time_s = named(found, "clos spines=2").times[0].time_s
    assert time_s.median == pytest.approx(wanted.time_s)
    assert time_s.low < time_s.median < time_s.high


def test_a_halo_linpack_and_a_trace_are_workloads(tmp_path: Path) -> None:
    trace = tmp_path / "app.goal"
    trace.write_text(
        "num_ranks 2\n"
        "rank 0 {\nl1: send 100000b to 1 tag 1\n}\n"
        "rank 1 {\nl1: recv 100000b from 0 tag 1\n}\n"
    )
    speed = '"steps.hpl.dgemm" = "20 GFlop/s", "steps.hpl.panel" = "4 GFlop/s"'
    loads = [
        '[[workloads]]\nname = "halo"\nplan = "halo"\n',
        f'[[workloads]]\nname = "hpl"\nplan = "hpl"\nsettings = {{ {speed}, "steps.hpl.n" = 1000 }}\n',
        f'[[workloads]]\nname = "app"\nplan = "trace"\nsettings = {{ "steps.trace.trace" = "{trace}" }}\n',
    ]
    found = decided(tmp_path, CLOS_OF_TWO, *loads)
    assert [name for name, _ in found.workloads] == ["halo", "hpl", "app"]
    assert all(one.time_s.median > 0 for one in named(found, "clos spines=1").times)
