"""Interference: slow-downs that follow from arithmetic, where the network is shared, and what is refused."""

import re
from pathlib import Path

import pytest

from support.refusals import refused
from weft.faces.api.request import run_request
from weft.faces.cli.tables.run.summary import print_summary
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import start_run
from weft.plan.load import load_plan
from weft.runs.folder import RunFolder
from weft.understand.comparison.comparison import compare
from weft.understand.kinds.interference.slow_down import SlowDown, slow_downs
from weft.understand.report.page import Report
from weft.understand.summary.summary import summarise

DUMBBELL = """
name = "dumbbell"
[[hosts]]
ids = "n[1-8]"
attach = "rack[1-2]"
per_switch = 4
link = { rate = "1 Gb/s", delay = "5 us" }
[[links]]
between = ["rack1", "rack2"]
rate = "1 Gb/s"
"""


def interfere(
    folder: Path,
    on: str,
    victim: str,
    congestors: list[str],
    launches: int | None = None,
    **settings: object,
) -> RunFolder:
    request = run_request(
        "interference",
        on,
        RunOptions(
            out=folder,
            launches=launches,
            settings={f"steps.interference.{key}": value for key, value in settings.items()},
            victim=victim,
            congestors=congestors,
        ),
    )
    return start_run(request)


@pytest.fixture
def dumbbell(tmp_path: Path) -> str:
    path = tmp_path / "dumbbell.toml"
    path.write_text(DUMBBELL)
    return f"sim:{path}(segments_per_ack=0)"


def by_congestor(run: RunFolder) -> dict[str, SlowDown]:
    return {one.congestor: one for one in slow_downs(run)}


def test_a_shared_link_is_halved(tmp_path: Path, dumbbell: str) -> None:
    """A ring over both racks has one flow a direction on the link between them, and so has each congestor."""
    run = interfere(
        tmp_path / "run", dumbbell, "ring", ["incast", "permutation"], sizes='["4 MiB"]', nodes='"1,2,5,6"',
        repeats=4, messages=100,
    )  # fmt: skip
    assert run.meta.status == "complete" and not run.meta.warnings
    found = by_congestor(run)
    # Of either ring's two ways the incast shares one, but each node waits for both.
    for one in found.values():
        for ratio in (one.slow_down, one.mean, one.p99):
            assert ratio.median == pytest.approx(2.0, rel=0.01)
        assert one.covered == 1.0 and one.repeats == 4
    # Two messages of 4 MiB one after the other, each over a link of 1 Gb/s of which frames take 5.8 %.
    alone_us = 2 * 4 * (1 << 20) * 8 / 1e3 * 1538 / 1448
    assert found["incast"].alone_us.median == pytest.approx(alone_us, rel=0.01)
    names = {name: [each.limit for each in one.shared or ()] for name, one in found.items()}
    assert names["incast"] == ["link of rack2, out"]
    assert sorted(names["permutation"]) == ["link of rack2, in", "link of rack2, out"]
    report = Report([run])
    assert [figure.name for figure in report.figures] == ["interference"]
    assert "Most loaded that both share" in report.html()
    pairs = {one.pattern for one in compare(run, run).points}
    assert pairs == {"ring alone", "ring beside incast", "ring beside permutation"}


def test_what_shares_nothing_is_not_slowed_down(tmp_path: Path, dumbbell: str) -> None:
    settings = {"repeats": 3, "sizes": '["256 KiB"]', "messages": 100}
    blocks = interfere(
        tmp_path / "blocks", dumbbell, "alltoall", ["alltoall"], placement='"blocks"', **settings
    )
    crossbar = "sim:crossbar(hosts=8,rate=1 Gb/s)"
    wide = interfere(tmp_path / "wide", crossbar, "halo", ["alltoall"], **settings)
    for run in (blocks, wide):
        for one in slow_downs(run):
            assert one.slow_down.median == pytest.approx(1.0, abs=1e-3) and one.shared == ()
        assert [one.code for one in run.meta.warnings] == ["nothing-shared"]


def test_a_congestor_that_ends_early_is_named(
    tmp_path: Path, dumbbell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"messages": 3, "sizes": '["4 MiB"]', "repeats": 3, "congestor_size": '"64 KiB"'}
    run = interfere(tmp_path / "run", dumbbell, "ring", ["incast"], **settings)
    [warning] = run.meta.warnings
    assert warning.code == "congestor-ended" and "messages=12" in warning.hint
    assert by_congestor(run)["incast"].covered == 0.0
    print_summary(summarise(run))
    assert re.search(r"incast .* ended *\n", capsys.readouterr().out)


def test_wrong_requests_are_refused(tmp_path: Path) -> None:
    for key, value, said in [
        ("victim", '"allreduse"', 'unknown victim, did you mean "allreduce"?'),
        ("congestors", '["incats"]', 'unknown congestor "incats", did you mean "incast"?'),
        ("congestors", "[]", "must be a list of some of: incast, alltoall"),
        ("algorithm", '"bruck"', "unknown algorithm"),
        ("share", "1.5", "must be a number from 0 to 1"),
        ("nodes", "3", "must be at least 4 nodes for this pattern"),
    ]:
        with refused(said):
            load_plan("interference", [(f"steps.interference.{key}", value)])
    with refused("share = 0.9 of 8 nodes leaves 7 to the victim and 1 to the congestors"):
        interfere(tmp_path / "run", "sim:crossbar(hosts=8)", "ring", ["incast"], share=0.9)
    with refused("would take 5 GB of memory"):
        interfere(tmp_path / "run", "sim:crossbar(hosts=64)", "ring", ["incast"], messages=600_000)
    with refused("needs 4 nodes, the testbed has 3"):
        interfere(tmp_path / "run", "sim:crossbar(hosts=3)", "ring", ["incast"])
    with refused("the plan has no step of the pattern interference"):
        run_request("aapc", "sim:two-racks", RunOptions(victim="ring"))
    assert not (tmp_path / "run").exists()


@pytest.mark.timed
def test_agents_stop_a_congestor_when_the_victim_has_ended(tmp_path: Path) -> None:
    sent = 5_000
    settings = {"sizes": '["64 KiB"]', "repeats": 5, "messages": sent, "rounds": 1}
    run = interfere(tmp_path / "run", "local:4", "ring", ["permutation"], launches=2, **settings)
    assert run.meta.status == "complete"
    [one] = slow_downs(run)
    assert (one.units, one.repeats, one.shared) == (2, 10, None)
    assert one.covered == 1.0 and one.congestor_mbps > 0
    assert 0 < one.alone_us.low <= one.alone_us.high
    # Messages that were sent after the stop are empty, and are no samples.
    sizes = run.samples["size_bytes"].to_pylist()
    assert 0 < sizes.count(256 << 10) < 2 * 2 * sent and min(sizes) > 0
