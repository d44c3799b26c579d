"""The report without a browser: sentences, tables, figures, and what must not break the page."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pytest
from altair.vegalite.v6.schema import core
from msgspec.structs import replace

from support.command import WEFT
from support.here import refusal, weft_json
from support.made.computed import compute
from support.made.synthetic import (
    FAST_ETHERNET,
    GIGABIT,
    Network,
    netpipe_sizes,
    run_meta,
    write_run,
)
from support.plans import a_step
from support.runs import affine_us, launches_of, pingpong_run, step_rows
from support.runs import write_run as write_samples
from weft.base.errors import RequestError, WorkError
from weft.base.interval import Interval
from weft.base.quantity import (
    exact_bytes,
    format_bytes,
    format_mbps,
    format_us,
    range_bytes,
    range_mbps,
    range_us,
)
from weft.plan.pattern import Stream
from weft.plan.plan import Entrant, Race
from weft.runs.folder import RunFolder, RunWriter
from weft.runs.meta import RunMeta
from weft.understand.report import facts
from weft.understand.report.figures.pair.curves import (
    DIP,
    HALF_POWER,
    MODES,
    SATURATION,
    curve_tables,
    thinned,
)
from weft.understand.report.frame import page_data, page_path, script_json
from weft.understand.report.page import Report, write_report
from weft.understand.report.series import run_names, series_of
from weft.understand.report.verdict import standouts, verdict

FEW_SIZES = [2**power for power in range(21)]
ROUGH_TEXT = """</script><script>alert("n1")</script><!-- <b>'&amp;\u2028"""

Runs = Callable[..., RunFolder]


@pytest.fixture
def make(tmp_path: Path) -> Runs:
    """Writes a run of a few sizes into a folder of that name."""

    def write(
        folder: str = "fe", network: Network = FAST_ETHERNET, **settings: object
    ) -> RunFolder:
        settings.setdefault("sizes", FEW_SIZES)
        return write_run(tmp_path / folder, network, **settings)  # type: ignore[arg-type]

    return write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_bytes(480), "480 B"),
        (format_bytes(2150), "2.1 KiB"),
        (format_bytes(2**23), "8 MiB"),
        (format_bytes(1023.9), "1 KiB"),
        (exact_bytes(6141), "6,141 B"),
        (exact_bytes(6144), "6 KiB"),
        (exact_bytes(1536), "1.5 KiB"),
        (exact_bytes(2**20 + 512), "1,049,088 B"),
        (exact_bytes(2**20), "1 MiB"),
        (format_us(28.31), "28.3 µs"),
        (format_us(0.0225), "22.5 ns"),
        (format_us(999.9), "1.00 ms"),
        (format_us(2_500_000), "2.50 s"),
        (format_mbps(94.12), "94.1 Mb/s"),
        (format_mbps(42_300), "42.3 Gb/s"),
        (format_mbps(0.284), "0.284 Mb/s"),
        (range_us(Interval(28.3, 27.9, 28.6)), "28.3 µs (27.9 to 28.6)"),
        (range_us(Interval(28.3, 28.3, 28.3)), "28.3 µs"),
        (range_mbps(Interval(941.2, 941.1, 941.34)), "941.2 Mb/s (941.1 to 941.3)"),
        (range_bytes(Interval(480.2, 468.4, 495)), "480 B (468 to 495)"),
        (range_bytes(Interval(2150, 2100, 2200)), "2.10 KiB (2.05 to 2.15)"),
    ],
)
def test_quantities_read_well(text: str, expected: str) -> None:
    assert text == expected


def test_verdict_says_where_what_and_how_sure(make: Runs) -> None:
    run = make()
    sentence = verdict(run)
    number = r"[\d.]+ \S+"
    ranged = rf"{number}( \w+)? \([\d.]+ to [\d.]+\)"
    assert re.fullmatch(
        rf"n1 to n2 over TCP on fast-ethernet-pair: {ranged}, {ranged}, half of it from {ranged}, "
        rf"saturates at {ranged}; 5 launches, ranges cover the median with 94 %\.",
        sentence,
    ), sentence
    assert " latency (" in sentence and " peak (" in sentence
    run.meta.status = "partial"
    assert "The run is partial" in verdict(run)


def best(meta: RunMeta) -> None:
    meta.statistic = "best"


@pytest.mark.parametrize(
    ("settings", "said", "unsaid"),
    [
        ({"launches": 1}, "1 launch, so nothing is known about the spread", " to "),
        ({"pattern": "stream"}, "streaming one way", "latency"),
        ({"change": best, "batches": 1}, "each value is the best of several trials", "mean"),
    ],
)
def test_verdict_says_what_was_measured(
    make: Runs, settings: dict[str, Any], said: str, unsaid: str
) -> None:
    sentence = verdict(make(**settings))
    assert said in sentence
    assert unsaid not in sentence.split(":")[1].split(";")[0]


def test_a_run_without_samples_is_reported_as_such(tmp_path: Path) -> None:
    RunWriter.create(tmp_path / "r", run_meta("fast-ethernet-pair", "pingpong", 5)).sync()
    run = RunFolder.open(tmp_path / "r")
    assert "nothing was measured" in verdict(run)
    html = Report([run]).html()
    assert "nothing was measured" in html
    assert "<figure" not in html


def test_dips_and_modes_stand_out(make: Runs) -> None:
    network = Network(28.0, 94.1, dip_bytes=65536, two_modes_bytes=8192)
    [one] = series_of([make(network=network, launches=7)])
    dip, modes = standouts(one)
    assert dip.startswith("Dips: 64 KiB (65,536 B) reaches ")
    assert modes.startswith("Several modes: 8 KiB (8,192 B) takes ")
    marks = {row["kind"]: row["size"] for row in curve_tables([one])["marks"]}
    assert marks[DIP] == 65536
    assert marks[MODES] == 8192
    assert marks.keys() == {DIP, MODES, HALF_POWER, SATURATION}


def test_thresholds_are_lines_with_size_height_and_name(tmp_path: Path) -> None:
    sizes = netpipe_sizes()
    times_us = launches_of(affine_us(sizes, 28.0, 9410.0), noise=0.005)
    times_us[np.array(sizes) > 65536] *= 1.38
    report = Report([pingpong_run(tmp_path / "r", sizes, times_us)])
    [row] = page_data(report.figures)["tables"]["thresholds"]["label"]
    assert re.fullmatch(r"65,536 B: \+3[78][.\d]* %, jump", row)
    for figure in report.figures[:3]:
        assert row in figure.write(tmp_path)[0].read_text(), figure.name
    assert "Thresholds: between 65,536 B and 65,539 B: jump" in report.html()


def test_every_launch_is_drawn_and_every_batch_of_a_size_with_modes(make: Runs) -> None:
    [one] = series_of([make(launches=7, batches=5)])
    several = [point.size_bytes for point in one.points if point.modes.count > 1]
    assert several == [8192]
    counts = dict.fromkeys(FEW_SIZES, 0)
    for seen in one.observations:
        counts[seen.size_bytes] += 1
    assert counts == {size: 35 if size == 8192 else 7 for size in FEW_SIZES}


def test_a_race_shows_how_each_candidate_did_and_what_was_confirmed(tmp_path: Path) -> None:
    sizes, launches = [1024, 65536], 60
    steps = [a_step(Stream(window=64), name=name, sizes=sizes) for name in ("usual", "good", "bad")]
    rows = [
        step_rows(sizes, launches_of(np.array([20.0, 80.0]) * factor, launches), "stream", index)
        for index, factor in enumerate((1.0, 0.8, 1.3))
    ]
    run = write_samples(tmp_path / "raced", rows, steps)
    entrants = tuple(Entrant(one.name, (index,)) for index, one in enumerate(steps))
    race = Race("usual", "throughput", 10_000, 10**9, "winner", entrants)
    run.meta.plan = replace(run.meta.plan, race=race)
    run.meta.race = {"blocks": [], "failed": [], "seconds": 1}
    run.meta.done = [[step, launch] for step in range(3) for launch in range(launches)]
    run.meta.write(run.directory)
    page = Report([RunFolder.open(run.directory)]).html()
    assert "race against usual, over 1 is better" in page
    assert re.search(r"good</th><td>\d+</td><td>1\.2[45]", page)
    assert re.search(r"bad</th><td>\d+</td><td>0\.7\d+.*dropped after block", page)
    assert "confirmed: good is" in page


def test_thinning_keeps_the_extremes() -> None:
    rows = [{"series": "a", "size": 1, "rate": float(i % 997)} for i in range(50_000)]
    kept = thinned(rows, 1000)
    assert len(kept) <= 1002
    rates = [row["rate"] for row in kept]
    assert (min(rates), max(rates)) == (0.0, 996.0)


def test_runs_and_steps_are_named_by_what_tells_them_apart(make: Runs, tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "fe", tmp_path / "b" / "fe", tmp_path / "b" / "ge"]
    assert run_names(paths) == ["a/fe", "b/fe", "ge"]
    assert run_names([paths[2], paths[2]]) == ["ge", "ge (2)"]

    def twice(meta: RunMeta) -> None:
        meta.plan = replace(meta.plan, steps=2 * meta.plan.steps)

    assert [one.label for one in series_of([make(change=twice)])] == ["fe (1)"]


def parsed(html: str) -> tuple[list[str], int]:
    """What is in each script, which ends as a browser sees it, and how many <b> are outside."""
    script = re.compile(r"<script[^>]*>(.*?)</script", re.DOTALL | re.IGNORECASE)
    return script.findall(html), len(re.findall(r"<b[\s>]", script.sub("", html)))


def roughen(meta: RunMeta) -> None:
    for node in meta.nodes:
        node["name"] = node["facts"]["kernel"] = ROUGH_TEXT
    step = replace(meta.plan.steps[0], name=ROUGH_TEXT)
    meta.plan = replace(meta.plan, title=ROUGH_TEXT, steps=(step,))
    meta.testbed["name"] = ROUGH_TEXT
    meta.effective[0]["settings"]["congestion"] = ROUGH_TEXT
    meta.command = ["weft", "run", ROUGH_TEXT]
    meta.source = {"file": ROUGH_TEXT}
    meta.warn(ROUGH_TEXT, ROUGH_TEXT, ROUGH_TEXT)


def test_rough_names_stay_text(make: Runs) -> None:
    plain, rough = make("plain"), make("<b>&'\"rough", change=roughen)
    expected, bold = parsed(Report([plain, make("plain2")]).html())
    found, bolder = parsed(Report([plain, rough]).html())
    assert len(found) == len(expected) == 3
    assert bolder == bold + 1  # the warning's own
    assert "<b>&'\"rough" in json.loads(found[0])["tables"]["points"]["series"]
    # Nothing is left to break out with.
    text = script_json({"name": ROUGH_TEXT})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"name": ROUGH_TEXT}


def test_tables_are_embedded_once_for_all_figures(make: Runs) -> None:
    data = page_data(Report([make()]).figures)
    names = [figure["name"] for figure in data["figures"]]
    assert names == ["throughput", "signature", "saturation", "modes-1"]
    assert {"points", "observations", "marks"} < data["tables"].keys()
    assert all("datasets" not in figure["spec"] for figure in data["figures"])


def test_page_holds_settings_facts_command_and_notes(make: Runs) -> None:
    run = make()
    html = Report([run]).html()
    for text in ("6.8.0-45", "Test CPU", "cubic", "22.5 ns", "128 KiB (131,072 B)", "10.0.0.1"):
        assert text in html
    assert facts.repeat_command(run) in html
    assert "The unit of repetition is the launch".lower() in html.lower()


def test_a_setting_that_changed_shows_every_value(make: Runs) -> None:
    def change(meta: RunMeta) -> None:
        meta.effective[0]["settings"]["congestion"] = "reno"

    rows = {row[0]: row for row in facts.settings_table(make(change=change)).rows}
    changed = "reno in launch 0; cubic in launch 1, 2, 3, 4"
    assert rows["Congestion"][2:] == ["default", changed, "cubic"]


def test_ten_runs_stay_below_five_megabytes(make: Runs) -> None:
    runs = [make(f"run{i}", GIGABIT, sizes=None, seed=i, launches=10) for i in range(10)]
    assert len(Report(runs).html().encode()) < 5_000_000


def test_figures_are_whole_svg_and_png(make: Runs, tmp_path: Path) -> None:
    report = Report([make(), make("ge", GIGABIT, name="gigabit-pair")])
    for figure in report.figures:
        alt.VegaLiteSchema.validate(figure.spec(), core.load_schema())
    written = report.write_figures(tmp_path / "figures")
    names = ("throughput", "signature", "saturation", "modes-1")
    expected = [f"{name}.{format}" for name in names for format in ("svg", "png")]
    assert [path.name for path in written] == expected
    for svg in written[:6:2]:
        drawing = ElementTree.parse(svg).getroot()
        texts = {"".join(text.itertext()) for text in drawing.iter() if text.tag.endswith("text")}
        assert {"fe", "ge", DIP} <= texts
    axes = written[0].read_text()
    for label in ("1 KiB", "1 MiB", "Throughput (Mb/s)", "Message size"):
        assert label in axes
    for png in written[1::2]:
        assert png.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        assert png.stat().st_size > 20_000


@pytest.mark.parametrize(
    ("slower", "texts"),
    [
        (False, ["Throughput (Gb/s)", ">40<"]),
        # Far apart: on a logarithmic axis.
        (True, [">1 Mb/s<", ">100 Mb/s<", ">10 Gb/s<"]),
    ],
)
def test_fast_runs_are_counted_in_gigabit(
    make: Runs, tmp_path: Path, slower: bool, texts: list[str]
) -> None:
    report = Report([*([make()] if slower else []), make("fast", Network(5.0, 40_000.0))])
    svg = report.figures[0].write(tmp_path)[0].read_text()
    assert all(text in svg for text in texts)


def test_an_import_is_repeated_by_importing_it(make: Runs) -> None:
    def imported(meta: RunMeta) -> None:
        meta.command, meta.effective = [], []
        meta.source = {"format": "netpipe-3", "file": "np.out"}
        meta.nodes = [{"name": "transmitter", "address": "", "facts": {}}]

    run = make(change=imported)
    assert facts.repeat_command(run) == "weft import netpipe np.out"
    assert facts.settings_table(run).rows == []
    assert facts.nodes_table(run).headers == ["Node"]


def test_figures_need_no_network(make: Runs, tmp_path: Path) -> None:
    alone = ["unshare", "--user", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("this machine does not allow network namespaces")
    command = [*WEFT, "report", make().directory, "--out", tmp_path / "report.html"]
    subprocess.run([*alone, *command, "--figures", tmp_path / "out"], check=True, timeout=120)
    assert len(list((tmp_path / "out").iterdir())) == 8


def test_report_says_where_it_cannot_be_written(make: Runs, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="is a folder"):
        write_report([make()], tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkError, match="cannot write the report"):
        write_report([make("b")], tmp_path / "file" / "report.html")
    assert "not a run folder" in refusal("report", tmp_path)


def test_a_page_wanted_without_a_suffix_goes_into_a_folder(tmp_path: Path) -> None:
    assert page_path(tmp_path / "rep") == tmp_path / "rep" / "report.html"
    assert page_path(tmp_path / "rep.html") == tmp_path / "rep.html"
    (tmp_path / "a.b").mkdir()
    assert page_path(tmp_path / "a.b") == tmp_path / "a.b" / "report.html"


def test_command_prints_one_json_document(make: Runs, tmp_path: Path) -> None:
    run = make(change=lambda meta: meta.warn("cpu-shared", "took turns", "pin them"))
    figures = tmp_path / "figures"
    document = weft_json("report", run.directory, "--figures", figures)
    assert document["report"] == str(run.directory / "report.html")
    assert Path(document["report"]).stat().st_size > 500_000
    assert sorted(document["figures"]) == sorted(str(path) for path in figures.iterdir())
    told = {"run": "fe", "code": "cpu-shared", "message": "took turns", "hint": "pin them"}
    assert document["warnings"] == [told]


def test_facts_that_are_tables_are_written_as_text() -> None:
    caches = [{"level": 1, "bytes": 49152}]
    assert facts.value_text("caches", caches) == "level 1 bytes 48 KiB (49,152 B)"


def test_a_halo_says_how_long_it_takes(tmp_path: Path) -> None:
    run = compute(tmp_path / "halo", "halo", "sim:two-racks")
    assert "1 KiB takes" in verdict(run) and "nothing was measured" not in verdict(run)
    assert "Communicating, %" in Report([run]).html()
