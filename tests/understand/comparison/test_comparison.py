import dataclasses
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest
from msgspec.structs import replace

from base.test_table import check_alone
from support.here import weft, weft_json
from support.runs import (
    affine_us,
    change_meta,
    launches_of,
    pingpong_run,
    step_plan,
    step_rows,
    write_run,
)
from weft.base.errors import RequestError
from weft.plan.pattern import Stream
from weft.plan.plan import Goal
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.understand.comparison.comparison import UnmatchedCounts, compare
from weft.understand.comparison.settings import SettingDifference
from weft.understand.comparison.significance import family_p
from weft.understand.comparison.tables import points_table
from weft.understand.curve.curve import curves
from weft.understand.formats.exporters import export_run
from weft.understand.formats.importers import import_file

SIZES = [2**power for power in range(20)]


def made(path: Path, rate_mbps: float = 94.1, launches: int = 5, seed: int = 1) -> RunFolder:
    times_us = launches_of(affine_us(SIZES, 28.0, rate_mbps), launches, noise=0.01, seed=seed)
    return pingpong_run(path, SIZES, times_us)


def codes(comparison: object) -> list[str]:
    return [warning.code for warning in comparison.warnings]  # type: ignore[attr-defined]


def test_a_run_equals_itself_and_json_has_the_documented_keys(tmp_path: Path) -> None:
    run = made(tmp_path / "a")
    found = compare(run, run)
    assert [pair.ratio.median for pair in found.pairs] == [1.0] * len(SIZES)
    assert not any(pair.significant for pair in found.pairs)
    assert found.median_abs_error_pct == found.worst_abs_error_pct == 0.0
    assert codes(found) == codes(compare(run, RunFolder.open(run.directory))) == ["same-run"]
    twin = made(tmp_path / "b")
    assert codes(compare(run, twin)) == []
    document = weft_json("compare", run.directory, run.directory)
    assert {"points", "median_abs_error_pct", "worst_abs_error_pct"} <= set(document)
    keys = {"pattern", "size_bytes", "a", "b", "ratio", "significant", "noise_a", "noise_b"}
    assert set(document["points"][0]) == keys
    assert set(document["points"][0]["ratio"]) == {"median", "low", "high"}
    assert document["unmatched"] == {"a": 0, "b": 0}
    simultaneous = {"level": 0.95, "rows": len(SIZES), "launches": [5, 5], "least_p": 2 / 252}
    assert document["simultaneous"] == simultaneous | {"repeated": "launch"}
    assert document["more_a"] == document["more_b"] == []


def test_the_ratio_is_a_over_b_and_swaps_with_them(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", 188.2), made(tmp_path / "b", 94.1, seed=2)
    there, back = compare(a, b).pairs, compare(b, a).pairs[-1].ratio
    assert there[-1].ratio.median == pytest.approx(2.0, rel=0.02)
    assert back.low == pytest.approx(1 / there[-1].ratio.high)
    assert back.high == pytest.approx(1 / there[-1].ratio.low)
    # What matters is marked, and other differences are not.
    assert (there[-1].significant, there[0].significant) == (True, False)


def test_what_a_run_differs_from_itself_is_beside_the_difference(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", launches=12), made(tmp_path / "b", 94.1 * 1.1, 12, seed=2)
    found = compare(a, b)
    noise = [one for pair in found.pairs for one in (pair.noise_a, pair.noise_b)]
    # Of medians of six launches, each of five batches with 1 % of noise.
    assert 0.002 < min(noise) < np.median(noise) < max(noise) < 0.02  # type: ignore[type-var]
    assert compare(a, b).head() == found.head() and compare(a, b).pairs == found.pairs
    swapped = [(pair.noise_b, pair.noise_a, pair.significant) for pair in compare(b, a).pairs]
    assert swapped == [(pair.noise_a, pair.noise_b, pair.significant) for pair in found.pairs]
    document = weft_json("compare", a.directory, b.directory)
    assert document["points"][-1]["noise_a"] == found.pairs[-1].noise_a
    said = weft("compare", a.directory, b.directory).stdout
    assert "noise" in said
    check_alone(points_table(found.each()))


def test_what_is_significant_exceeds_what_either_run_differs_from_itself(tmp_path: Path) -> None:
    """The launches of one run lie anywhere within 10 % of their median, those of the other within 0.1 %."""
    wide = 100.0 * (1 + np.linspace(-0.1, 0.1, 12))
    a = pingpong_run(tmp_path / "a", [1000], np.repeat(wide[np.newaxis, :, np.newaxis], 5, axis=2))
    b = pingpong_run(tmp_path / "b", [1000], launches_of([108.0], 12, noise=0.001))
    far = pingpong_run(tmp_path / "c", [1000], launches_of([130.0], 12, noise=0.001))
    (near,), (away,) = compare(a, b).pairs, compare(a, far).pairs
    assert family_p(*(by_launch(one) for one in (a, b)))[0] < 0.01
    assert near.ratio.low > 1 and near.noise_b < 0.01
    assert near.ratio.median - 1 < near.noise_a == away.noise_a < 0.2
    assert (near.significant, away.significant) == (False, True)


def by_launch(run: RunFolder) -> np.ndarray:
    return curves(run)[0].rates_mbps


def test_a_run_of_too_few_launches_says_once_that_its_own_noise_is_unknown(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", 188.2, 3), made(tmp_path / "b", launches=4, seed=2)
    found = compare(a, b)
    assert codes(found) == ["noise-unknown"]
    assert found.warnings[0].message.startswith(f"{a.directory} has 3 launches")
    assert found.pairs[-1].significant is True
    assert {pair.noise_a for pair in found.pairs} == {None}
    assert None not in {pair.noise_b for pair in found.pairs}
    said = weft("compare", a.directory, b.directory).stdout
    assert said.count("is not known") == 1


def by_itself(run: RunFolder) -> RunFolder:
    """The run as if half of its sizes had been known after six launches."""
    step = replace(run.meta.plan.steps[0], goal=Goal("decided", 50_000, 10**9))
    meta = dataclasses.replace(run.meta, plan=run.meta.plan.with_step(0, step))
    known = (pc.field("launch") < 6) | (pc.field("size_bytes") > SIZES[9])
    return dataclasses.replace(run, meta=meta, samples=run.samples.filter(known))


def test_sizes_that_ended_by_themselves_are_compared_by_the_launches_that_have_all(
    tmp_path: Path,
) -> None:
    a, b = made(tmp_path / "a", 188.2, launches=12), made(tmp_path / "b", launches=12, seed=2)
    found = compare(by_itself(a), by_itself(b))
    assert found.simultaneous.launches == (6, 6)
    assert [found.pairs[at].significant for at in (0, -2, -1)] == [False, True, True]


def test_equal_networks_rarely_differ(tmp_path: Path) -> None:
    marked = 0
    for seed in range(10):
        a = made(tmp_path / f"a{seed}", seed=seed)
        b = made(tmp_path / f"b{seed}", seed=seed + 100)
        marked += sum(pair.significant is True for pair in compare(a, b).pairs)
    assert marked / (10 * len(SIZES)) < 0.04


@pytest.mark.parametrize(("launches", "known"), [(1, False), (2, False), (3, False), (4, True)])
def test_too_few_launches_prove_nothing(tmp_path: Path, launches: int, known: bool) -> None:
    a, b = made(tmp_path / "a", 900.0, launches), made(tmp_path / "b", 94.1, launches)
    found = compare(a, b)
    assert (found.pairs[-1].significant is not None) is known
    assert (codes(found) == ["too-few-launches"]) is not known
    said = weft("compare", a.directory, b.directory).stdout
    assert "unknown" not in said and ("significant:" in said) is known
    assert said.count("too few launches") == (not known)


def test_what_is_not_alike_comes_first_and_warnings_of_both_runs_with_it(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 28.0, 94.1))
    old = [Warning("cpu-busy", "a processor was busy")]
    late = [Warning("lab-late", "frames left late", "use a smaller --scale")]
    nodelay = [{"step": 0, "launch": 0, "node": "n1", "settings": {"nodelay": False}}]
    more = {"weft_version": "0.2.0", "effective": nodelay, "warnings": late}
    a = pingpong_run(tmp_path / "a", SIZES, times_us, weft_version="0.1.0", warnings=old)
    b = pingpong_run(tmp_path / "b", SIZES, times_us, **more)
    found = compare(a, b)
    differences = [
        SettingDifference("weft", "0.1.0", "0.2.0"),
        SettingDifference("nodelay", "-", "False"),
    ]
    assert found.differences == differences
    assert [(one.code, one.message) for one in found.warnings] == [
        ("cpu-busy", "a: a processor was busy"),
        ("lab-late", "b: frames left late"),
    ]
    lines = weft("compare", a.directory, b.directory).stdout.splitlines()
    assert lines[2:4] == ["differs  weft: 0.1.0 | 0.2.0", "differs  nodelay: - | False"]


def test_of_different_plans_curves_are_compared_and_not_keys_of_steps(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a"), made(tmp_path / "b")
    [step] = b.meta.plan.steps
    steps = (replace(step, transport="udp"), replace(step, name="more", pattern=Stream(window=1)))
    b.meta.plan = replace(b.meta.plan, name="udp", steps=steps)
    found = compare(a, b)
    assert found.differences[:2] == [
        SettingDifference("transport", "tcp", "udp, tcp"),
        SettingDifference("plan", a.meta.plan.name, "udp"),
    ]
    assert not any(one.what.startswith("step") for one in found.differences)
    assert len(found.pairs) == len(SIZES)


def test_what_drives_the_measured_interface_is_told_beside_the_difference(tmp_path: Path) -> None:
    def run(name: str, version: str, gro: bool) -> RunFolder:
        run = pingpong_run(tmp_path / name, SIZES, launches_of(affine_us(SIZES, 28.0, 94.1)))
        devices = {
            "eth0": {"driver": "e1000", "driver_version": version, "offloads": {"gro": gro}},
            "eth1": {"driver": "of another interface", "driver_version": version * 2},
        }
        interfaces = [{"name": each, "addresses": [f"192.0.2.{each[-1]}"]} for each in devices]
        nodes = [
            {"name": f"n{end}", "address": "192.0.2.0", "facts": facts}
            for end, facts in enumerate([{"interfaces": interfaces, "devices": devices}] * 2)
        ]
        change_meta(run.directory, nodes=nodes)
        return RunFolder.open(run.directory)

    old, new = run("a", "5.7.6", False), run("b", "6.0.54", True)
    assert compare(old, new).differences == [
        SettingDifference("node's driver_version", "5.7.6", "6.0.54"),
        SettingDifference("node's offloads.gro", "False", "True"),
    ]
    last = weft("compare", old.directory, new.directory).stdout
    assert "the nodes differ in driver_version 5.7.6 | 6.0.54, offloads.gro False | True" in last


def test_fabrics_of_one_name_and_other_rates_are_told(tmp_path: Path) -> None:
    def run(name: str, rate: int) -> RunFolder:
        link = {"ends": ["n1", "n2"], "forward": {"rate_bits_per_s": rate}, "mtu_bytes": 1500}
        fabric = {"name": "pair", "hosts": [{}, {}], "switches": [], "links": [link]}
        times_us = launches_of(affine_us(SIZES, 28.0, 94.1))
        run = pingpong_run(tmp_path / name, SIZES, times_us)
        run.meta.testbed["fabric"] = fabric
        return run

    first = run("a", 10**8)
    (told,) = compare(first, run("b", 10**9)).differences
    what = "fabric's link forward.rate_bits_per_s"
    assert told == SettingDifference(what, "100000000", "1000000000")
    imported = run("c", 10**9)
    imported.meta.testbed["fabric"] = None
    assert [one.what for one in compare(first, imported).differences] == ["fabric"]


def test_an_imported_best_is_compared_with_the_best(tmp_path: Path) -> None:
    run = made(tmp_path / "a")
    path = tmp_path / "np.out"
    path.write_text(export_run(run, "netpipe"))
    imported = import_file("netpipe", path, tmp_path / "b")
    found = compare(run, imported)
    assert found.statistic == "best"
    assert codes(found) == ["one-launch", "statistics-reconciled", "too-few-launches"]
    assert found.worst_abs_error_pct < 5
    assert all(pair.ratio.high == pytest.approx(1.0, rel=1e-4) for pair in found.pairs)


def test_the_interval_combines_both_but_best_and_mean_cannot_be_reconciled(tmp_path: Path) -> None:
    times_us = launches_of(affine_us(SIZES, 28.0, 94.1))
    best = pingpong_run(tmp_path / "a", SIZES, times_us, statistic="best")
    mean = pingpong_run(tmp_path / "b", SIZES, times_us, statistic="mean")
    assert codes(compare(best, mean)) == ["statistics-differ"]
    a = pingpong_run(tmp_path / "c", [1000], np.array([[[8.0], [10.0], [16.0]]]))
    b = pingpong_run(tmp_path / "d", [1000], np.array([[[4.0], [5.0], [6.0]]]))
    (pair,) = compare(a, b).pairs
    assert (pair.a.median, pair.b.median) == (800.0, 1600.0)
    assert pair.ratio.median == 0.5
    assert (pair.ratio.low, pair.ratio.high) == pytest.approx((4 / 16, 6 / 8))


def test_sizes_without_partner_are_counted_and_steps_of_one_pattern_matched_in_order(
    tmp_path: Path,
) -> None:
    a = pingpong_run(tmp_path / "a", [1, 2, 3], launches_of([10.0, 20.0, 30.0]))
    b = pingpong_run(tmp_path / "b", [2, 4], launches_of([20.0, 40.0]))
    found = compare(a, b)
    assert [pair.size_bytes for pair in found.pairs] == [2]
    assert found.unmatched == UnmatchedCounts(2, 1)
    assert codes(found) == ["sizes-unmatched"]
    rows = [
        step_rows([64], launches_of([time]), step=step) for step, time in enumerate((10.0, 20.0))
    ]
    both = write_run(tmp_path / "both", rows, [step_plan(), step_plan()])
    assert [pair.ratio.median for pair in compare(both, both).pairs] == [1.0, 1.0]


def test_runs_that_share_nothing_are_refused(tmp_path: Path) -> None:
    a = pingpong_run(tmp_path / "a", [1, 2], launches_of([10.0, 20.0]))
    rows = step_rows([1, 2], launches_of([10.0, 20.0]), "stream")
    b = write_run(tmp_path / "b", [rows], [step_plan("stream")])
    with pytest.raises(RequestError, match="pingpong of 1 to 2 bytes against stream of 1 to 2"):
        compare(a, b)
    with pytest.raises(RequestError, match="against no samples"):
        compare(a, write_run(tmp_path / "c", []))
