"""The report of runs between many nodes: figures' tables, findings as text, old and new together."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from altair.vegalite.v6.schema import core
from msgspec.structs import replace

from support.made.synthetic import write_run
from support.made.synthetic_cluster import (
    Cluster,
    CommonLimit,
    Flow,
    Step,
    cards,
    write_cluster_run,
)
from weft.base.interval import Interval
from weft.runs.folder import RunFolder
from weft.understand.drawing.figure import Figure
from weft.understand.limits.findings import LimitFinding, LimitFindings, SlowPart
from weft.understand.limits.networks import on_network, over_networks
from weft.understand.report import limits, routes
from weft.understand.report.ensemble import EnsembleRun, ensembles_of
from weft.understand.report.frame import page_data
from weft.understand.report.page import Report
from weft.understand.report.verdict import verdict

ALL_STEPS = [Step.matrix(), Step.latencies(), Step.alltoall(), Step.cast()]


def interval(middle: float) -> Interval:
    return Interval(middle, middle * 0.98, middle * 1.02)


def known(cluster: Cluster) -> LimitFindings:
    """What a perfect diagnosis would find."""
    names, line = cluster.node_names, cluster.line_mbps
    groups = [tuple(names[i] for i in limit.members) for limit in cluster.shared]
    found = [
        LimitFinding(
            "uplink", group, None, way, interval(limit.mbps), len(group) * line, 0.97, "seen"
        )
        for group, limit in zip(groups, cluster.shared, strict=True)
        for way in ("out", "in")
    ]
    slow = [
        SlowPart("direction", (names[i],), "in", interval(mbps), line, "all routes to it")
        for i, mbps in cluster.slow_in.items()
    ]
    slow += [
        SlowPart("route", (names[a], names[b]), None, interval(mbps), line, "alone")
        for (a, b), mbps in cluster.slow_routes.items()
    ]
    return LimitFindings(
        "4 cards.", groups, found, slow, ["n3 and n4"], full_rate_mbps=interval(line)
    )


def cluster_of(nodes: int, **settings: Any) -> Cluster:
    per_card = nodes // 4
    order = [(7 * i) % nodes for i in range(nodes)]
    shared = tuple(
        CommonLimit(tuple(sorted(order[i] for i in card.members)), card.mbps)
        for card in cards(nodes, per_card, per_card * 25.0)
    )
    return Cluster(nodes, shared=shared, **settings)


@pytest.fixture(scope="module")
def diagnosed() -> Iterator[dict[str, LimitFindings]]:
    """Findings by folder, instead of a diagnosis: the report is tested, not that."""
    found: dict[str, LimitFindings] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "weft.understand.report.ensemble.diagnose", lambda run: found[run.directory.name]
        )
        yield found


def figures_of(*runs: RunFolder) -> dict[str, Figure]:
    return {figure.name: figure for figure in Report(runs).figures}


Diagnosed = Callable[..., RunFolder]
Tables = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def write(
    tmp_path_factory: pytest.TempPathFactory, diagnosed: dict[str, LimitFindings]
) -> Diagnosed:
    """Writes a run and what would be found of it: nothing, unless told."""

    def written(
        name: str,
        cluster: Cluster,
        *steps: Step,
        findings: LimitFindings | None = None,
        **more: Any,
    ) -> RunFolder:
        diagnosed[name] = findings or LimitFindings("Nothing.")
        folder = tmp_path_factory.mktemp("ensemble") / name
        return write_cluster_run(folder, cluster, steps or [Step.matrix()], **more)

    return written


@pytest.fixture(scope="module")
def run16(write: Diagnosed) -> RunFolder:
    """16 nodes on four cards, one slow receiver, one slow route, one cell missing."""
    cluster = cluster_of(16, slow_in={5: 9.4}, slow_routes={(8, 2): 30.0})
    steps, missing = [*ALL_STEPS, Step.streams(range(4), range(4, 8), each=2)], frozenset({(2, 9)})
    return write("c16", cluster, *steps, findings=known(cluster), missing=missing)


@pytest.fixture(scope="module")
def tables16(run16: RunFolder) -> Tables:
    """The tables of its figures."""
    return {name: figure.tables for name, figure in figures_of(run16).items()}


def ensemble(run: RunFolder) -> EnsembleRun:
    (one,) = ensembles_of([run.directory.name], [run])
    return one


def test_a_run_of_many_nodes_has_every_figure(tables16: Tables) -> None:
    assert list(tables16) == [
        "tree-1",
        "pairs-1-by-group",
        "pairs-1-by-name",
        "pairs-1-latency-by-group",
        "pairs-1-latency-by-name",
        "aapc",
        "histogram",
        "streams",
        "cast",
    ]


def test_a_trunk_is_a_limit_of_both_halves(write: Diagnosed) -> None:
    halves = [tuple(f"n{i}" for i in numbers) for numbers in (range(1, 5), range(5, 9))]
    trunk = LimitFinding("trunk", halves[0], halves[1], "out", interval(80.0), 360.0, 0.97, "seen")
    run = write("two", Cluster(8), Step.alltoall(), findings=LimitFindings("", halves, [trunk]))
    boxes = figures_of(run)["tree-1"].tables["tree-1-boxes"]
    halves_drawn = [box for box in boxes if box["text"].startswith("4 nodes")]
    assert ["n[5-8], 4.5x" in box["text"] for box in halves_drawn] == [True, False]
    assert ["in 80.0 Mb/s" in box["text"] for box in halves_drawn] == [False, True]
    assert halves_drawn[0]["fill"] == halves_drawn[1]["fill"] != boxes[0]["fill"]


def test_a_map_of_many_nodes_shows_the_worst_of_each_square(
    write: Diagnosed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.understand.report.figures.heatmap.LARGEST_SIDE", 8)
    run = write("many", Cluster(16, slow_routes={(8, 2): 30.0}), *ALL_STEPS)
    figure = figures_of(run)["pairs-1-by-name"]
    values = {(r["from"], r["to"]): r["value"] for r in figure.tables["pairs-1-name-cells"]}
    assert len(values) == 8 * 8
    assert [ends for ends, value in values.items() if value < 40.0] == [(4, 1)]
    assert "the worst of 2 x 2 routes" in figure.caption


def test_lines_that_lie_on_each_other_are_named(write: Diagnosed) -> None:
    clusters = {"a": Cluster(8), "b": Cluster(8), "slower": Cluster(8, line_mbps=50.0)}
    runs = [write(name, cluster, Step.alltoall()) for name, cluster in clusters.items()]
    caption = figures_of(*runs)["aapc"].caption
    assert " a and b lie on each other." in caption and "slower" not in caption


def test_old_runs_keep_their_figures_and_colours_beside_new_ones(
    run16: RunFolder, tmp_path: Path
) -> None:
    pair = write_run(tmp_path / "fe", sizes=[2**power for power in range(21)])
    report = Report([run16, pair])
    names = [figure.name for figure in report.figures][:3]
    assert names == ["throughput", "signature", "saturation"]
    assert report.labels == ["fe", "c16"]
    html = report.html()
    for text in (" µs latency", "4 cards.", "Between the nodes of c16", "All sizes"):
        assert text in html


def test_the_map_tells_missing_cells_from_slow_ones(tables16: Tables) -> None:
    cells = tables16["pairs-1-by-name"]["pairs-1-cells"]
    values = {(row["from"], row["to"]): row["value"] for row in cells}
    assert len(values) == 16 * 15
    assert [ends for ends, value in values.items() if value is None] == [(2, 9)]
    assert values[8, 2] <= 30.0
    assert all(values[src, 5] < 9.5 for src in range(16) if src != 5)


def test_groups_are_framed_and_slow_routes_and_receivers_marked(tables16: Tables) -> None:
    framed = [{"start": start, "end": start + 4} for start in (0, 4, 8, 12)]
    assert tables16["pairs-1-by-group"]["pairs-1-group-groups"] == framed
    assert tables16["pairs-1-by-name"]["pairs-1-name-groups"] == []
    marks = tables16["pairs-1-by-name"]["pairs-1-name-slow"]
    assert {"left": 5, "right": 6, "top": 0, "bottom": 16} in marks
    assert {"left": 2, "right": 3, "top": 8, "bottom": 9} in marks
    assert tables16["pairs-1-latency-by-name"]["pairs-1-latency-name-slow"] == []


def test_captions_name_what_is_outlined_and_why(run16: RunFolder, write: Diagnosed) -> None:
    captions = {name: figure.caption for name, figure in figures_of(run16).items()}
    slow = "Outlined in red is what is slow: all that n6 receives, n9 to n3."
    assert slow in captions["pairs-1-by-group"] and slow in captions["pairs-1-by-name"]
    assert "red" not in captions["pairs-1-latency-by-name"].replace("measured", "")
    # Nothing was found slow, but one cell stands out.
    odd = write("odd", Cluster(16, slow_routes={(8, 2): 30.0}), Step.matrix())
    caption = figures_of(odd)["pairs-1-by-name"].caption
    assert "slower than its sender and receiver are with others: n9 to n3." in caption
    assert "red" not in figures_of(write("well", Cluster(16)))["pairs-1-by-name"].caption


def test_one_map_is_enough_where_groups_are_in_order(write: Diagnosed) -> None:
    cluster = Cluster(8, shared=cards(8, 4, 94.1))
    figures = figures_of(write("c8", cluster, findings=known(cluster)))
    assert "pairs-1-by-name" in figures and "pairs-1-by-group" not in figures
    assert len(figures["pairs-1-by-name"].tables["pairs-1-name-groups"]) == 2
    # An even network has no tree.
    assert list(figures_of(write("even", Cluster(8)))) == ["pairs-1-by-name", "histogram"]


def test_a_phase_is_drawn_at_its_distance(tables16: Tables) -> None:
    rows = tables16["aapc"]["aapc"]
    assert [row["count"] for row in rows] == list(range(1, 16))
    assert all(row["rate"] <= row["mean"] for row in rows)
    assert max(row["rate"] for row in rows) < 9.5  # every phase has a route to the slow receiver


def incomplete(*phases: int) -> list[dict[str, Any]]:
    lost = {"step": 0, "launch": 0, "nodes": ["n3"], "reason": "n3 is lost"}
    return [lost | {"phase": phase} for phase in phases]


@pytest.mark.parametrize(("phases", "odd"), [((5, 6), [6, 7]), (range(7), [])])
def test_incomplete_phases_are_marked_but_not_when_all_are(
    write: Diagnosed, phases: Sequence[int], odd: list[int]
) -> None:
    run = write("c8", Cluster(8), Step.alltoall(), incomplete=incomplete(*phases))
    rows = figures_of(run)["aapc"].tables["aapc"]
    assert [row["count"] for row in rows if row["odd"]] == odd


def test_the_histogram_marks_the_overall_rate(tables16: Tables) -> None:
    tables = tables16["histogram"]
    shares: dict[str, float] = {}
    for row in tables["histogram"]:
        shares[row["of"]] = shares.get(row["of"], 0.0) + row["share"]
    assert shares == pytest.approx({"routes": 1.0, "phases": 1.0})
    assert tables["overall"][0]["rate"] == pytest.approx(9.3, rel=0.02)


def test_streams_are_counted_and_a_chain_goes_at_the_pace_of_its_slowest_link(
    tables16: Tables,
) -> None:
    rows = tables16["streams"]["streams"]
    assert [row["count"] for row in rows] == [1, 2, 4, 8], "with their parallel connections"
    rows = tables16["cast"]["cast"]
    assert [row["count"] for row in rows] == [2, 4, 8, 16]
    assert rows[0]["rate"] > 50
    assert all(row["rate"] < 9.5 for row in rows[2:])


def test_a_cast_on_two_networks_counts_the_whole_image(write: Diagnosed) -> None:
    step = Step.cast()
    step = Step(replace(step.pattern, networks=2, sweep=False), step.size_bytes)
    run = write("c4", Cluster(4, noise=0.0), step)
    (row,) = figures_of(run)["cast"].tables["cast"]
    times_us = EnsembleRun("c4", run).rates.time_us
    assert row["rate"] == pytest.approx(step.size_bytes * 8 / times_us.max(), rel=1e-5)


def test_the_tree_nests_groups_and_marks_slow_nodes(write: Diagnosed) -> None:
    halves = cards(16, 8, 200.0)
    cluster = Cluster(16, shared=(*halves, *cards(16, 4, 200.0)), slow_in={5: 9.4})
    run = write("tree", cluster, findings=known(cluster))
    boxes = figures_of(run)["tree-1"].tables["tree-1-boxes"]
    extents = [(box["left"], box["top"], box["bottom"]) for box in boxes if not box["leaf"]]
    assert extents == [
        (0, 0, 16),
        *[(1, top, top + 8) for top in (0, 8)],
        *[(2, top, top + 4) for top in (0, 4, 8, 12)],
    ]
    (half,) = [box for box in boxes if box["text"].startswith("8 nodes: n[1-8]\n")]
    assert half["text"].split("\n")[1:] == ["out and in 200 Mb/s, 3.8x", "196 to 204"]
    slow = [box["text"] for box in boxes if box["text"].startswith("n6 in")]
    assert slow == ["n6 in 9.40 Mb/s"]


def test_nodes_without_a_group_stand_beside_the_groups(write: Diagnosed) -> None:
    cluster = Cluster(12, shared=cards(12, 4, 200.0)[:2])
    run = write("c12", cluster, findings=known(cluster))
    boxes = figures_of(run)["tree-1"].tables["tree-1-boxes"]
    lefts = {box["text"]: box["left"] for box in boxes if box["leaf"]}
    assert (lefts["n1"], lefts["n8"], lefts["n9"], lefts["n12"]) == (2, 2, 1, 1)


def test_many_nodes_share_the_row_of_their_group(write: Diagnosed) -> None:
    racks = [tuple(f"n{16 * rack + host}" for host in range(1, 17)) for rack in range(16)]
    rate = Interval(9.4, 9.4, 9.4)
    slow = [SlowPart("node", ("n20",), None, rate, 94.0, "seen")]
    findings = LimitFindings("", groups=racks, slow=slow)
    run = write("c256", Cluster(256), Step.streams([0], [1]), findings=findings)
    boxes = figures_of(run)["tree-1"].tables["tree-1-boxes"]
    leaves = [box["text"] for box in boxes if box["leaf"]]
    assert leaves[:3] == ["n[1-16]", "n[17-19,21-32]", "n20 9.40 Mb/s"] and len(leaves) == 17
    assert boxes[0]["text"].startswith("All 256 nodes\n16 x 16 nodes") and boxes[0]["bottom"] == 17


def test_blocks_order_the_map_where_no_groups_are_known(write: Diagnosed) -> None:
    cluster = cluster_of(16)
    one = ensemble(write("blocks", cluster))
    names = cluster.node_names
    assert {frozenset(block) for block in one.blocks} == {
        frozenset(names[i] for i in limit.members) for limit in cluster.shared
    }
    assert one.by_group[:4] == [names[i] for i in cluster.shared[0].members]


def test_findings_are_told_in_tables(run16: RunFolder) -> None:
    shared, slow = limits.findings_tables(ensemble(run16).findings)
    assert shared.rows[0][1:] == [
        "uplink",
        "out and in",
        "100.0 (98.00 to 102.0)",
        "376.4",
        "3.8",
        "97",
    ]
    assert shared.notes == ["seen"]
    assert [each[0] for each in slow.rows] == ["n6", "n9 to n3"]
    assert verdict(run16) == "16 nodes on c16: 4 cards."


def test_what_is_alike_in_two_networks_has_a_row_for_each(run16: RunFolder) -> None:
    one = ensemble(run16).findings
    both = over_networks([on_network(one, number) for number in (1, 3)])
    for alone, of_both in zip(*map(limits.findings_tables, (one, both)), strict=True):
        assert of_both.headers[1] == "Network"
        assert of_both.rows == [
            [row[0], number, *row[1:]] for number in ("1", "3") for row in alone.rows
        ]


def test_losses_are_told_together(write: Diagnosed) -> None:
    findings = LimitFindings("", undecided=["n1 and n2"])
    lost = [{"node": "n3", "step": 0, "launch": 0, "phase": 2, "reason": "its agent ended"}]
    offsets = {"n1": (0, 0), "n2": (15_300, 9_000), "n4": (-8_000, 9_000)}
    clocks = [{"node": n, "offset_ns": off, "error_ns": err} for n, (off, err) in offsets.items()]
    more = {"lost": lost, "incomplete": incomplete(2, 3, 4, 6), "clocks": clocks}
    run = write("c8", Cluster(8), Step.alltoall(), findings=findings, **more)
    assert limits.remarks(run, findings) == [
        "Undecided: n1 and n2",
        "Lost: n3, step alltoall, phase 2: its agent ended",
        "Incomplete: step alltoall, phases 2-4,6 without n3: n3 is lost",
    ]
    assert limits.clocks_table(run).rows == [["n2", "15.3 µs", "9.00 µs"]]


def test_each_step_is_summed_up(run16: RunFolder) -> None:
    one = ensemble(run16)
    rates, latencies = routes.spread_tables(one)
    assert rates.headers[:4] == ["Step", "What", "Size, B", "Slowest, Mb/s"]
    assert rates.headers[-1] == "Overall, Mb/s"
    rows = {(row[0], row[1]): row for row in rates.rows}
    assert rows["alltoall", "routes"][2] == "1,048,576"
    slowest, *_, fastest = map(float, rows["alltoall", "routes"][3:8])
    assert slowest == pytest.approx(9.4, rel=0.05) and fastest == pytest.approx(94.1, rel=0.05)
    assert [row[:3] for row in latencies.rows] == [["matrix", "routes", "1"]]
    assert float(latencies.rows[0][3]) > float(latencies.rows[0][7])


def test_a_chosen_phase_says_what_it_was_for(write: Diagnosed) -> None:
    chosen = [{"step": 0, "launch": 0, "phase": 1, "purpose": "cross n1 n2", "transfers": []}]
    one = ensemble(write("c4", Cluster(4), phases=chosen))
    assert routes.phases_table(one, one.steps[0]).notes == ["", "cross n1 n2", ""]


def test_settings_of_many_nodes_are_told_by_value(write: Diagnosed) -> None:
    effective = [
        {"step": 0, "launch": 0, "node": f"n{i}", "settings": {"congestion": control}}
        for i, control in enumerate(["cubic"] * 3 + ["reno"] + ["cubic"] * 12, 1)
    ]
    run = write("settings", Cluster(16), effective=effective)
    assert "cubic on n[1-3,5-16]; reno on n4" in Report([run]).html()


def test_two_steps_of_a_kind_have_lines_of_their_own(write: Diagnosed) -> None:
    run = write("c8", Cluster(8), Step.alltoall(), Step.alltoall())
    rows = figures_of(run)["aapc"].tables["aapc"]
    assert {row["series"] for row in rows} == {"c8", "c8 · alltoall (2)"}


def test_where_nothing_arrived_figures_still_draw(write: Diagnosed) -> None:
    every: frozenset[Flow] = frozenset((a, b) for a in range(4) for b in range(4))
    run = write("dead", Cluster(4, dead_routes=every), Step.matrix(), Step.alltoall())
    report = Report([run])
    assert page_data(report.figures)
    assert "rows measured no rate" in report.html()


def test_a_report_of_128_nodes_stays_small(write: Diagnosed) -> None:
    cluster = cluster_of(128)
    run = write("c128", cluster, *ALL_STEPS, findings=known(cluster), trials=1)
    assert len(Report([run]).html().encode()) < 4_000_000


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pairs-1-by-group", {"From", "To", "Mb/s", "n1", "n16"}),
        ("histogram", {"Routes", "Phases"}),
        ("tree-1", {"n1", "n6 in 9.40 Mb/s"}),
        ("aapc", {"c16", "Rate of a route (Mb/s)"}),
    ],
)
def test_figures_are_drawn_for_paper(
    run16: RunFolder, tmp_path: Path, name: str, expected: set[str]
) -> None:
    figure = figures_of(run16)[name]
    alt.VegaLiteSchema.validate(figure.spec(), core.load_schema())
    svg, png = figure.write(tmp_path / "figures")
    assert expected <= _texts(svg)
    assert png.stat().st_size > 20_000


def _texts(svg: Path) -> set[str]:
    drawing = ElementTree.parse(svg).getroot()
    return {"".join(text.itertext()) for text in drawing.iter() if text.tag.endswith("text")}
