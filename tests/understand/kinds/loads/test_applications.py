"""Applications inside simulated nodes, streams under a load and web servers: run, shown, fitted, reported, refused."""

from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json
from support.made.cases import cases
from support.made.computed import compute
from support.refusals import refused
from weft.measure.execute.options.overrides import overrides_of
from weft.measure.execute.options.run_options import RunOptions
from weft.runs.folder import RunFolder
from weft.understand.comparison.comparison import compare
from weft.understand.kinds.loads.gamma_runs import sweep_of_runs
from weft.understand.kinds.loads.loaded import LoadedPoint, loaded_points
from weft.understand.kinds.loads.web import WebPoint
from weft.understand.report.page import write_report
from weft.understand.summary.summary import summarise


def sweep(
    tmp_path: Path, placement: str, gamma: str = "[0, 0.5, 1, 2]", **settings: str
) -> RunFolder:
    settings["steps__stream__gamma"] = gamma
    return compute(tmp_path / placement, "gamma-sweep", f"node:p4-400-{placement}", **settings)


def serve(tmp_path: Path, placement: str, users: str = "[10, 600]") -> list[WebPoint]:
    on, settings = f"node:p4-400-{placement}", {"steps__webserver__users": users}
    return summarise(compute(tmp_path / placement, "webserver", on, **settings)).results["loads"]


def test_no_load_is_the_plain_stream(tmp_path: Path) -> None:
    loaded = sweep(tmp_path, "offload", gamma="[0]", steps__stream__stop__trials="3")
    stop = '{ rule = "time", trial = "100 ms", trials = 3 }'
    settings = {"steps__stream__sizes": '["256 KiB"]', "steps__stream__stop": stop}
    plain = compute(tmp_path / "plain", "stream", "node:p4-400-offload", **settings)
    assert loaded.samples == plain.samples
    simulated, expected = (one.meta.testbed["simulation"] for one in (loaded, plain))
    assert simulated["fingerprint"] == expected["fingerprint"]


def test_throughput_falls_as_the_work_grows_and_stays_under_the_bound(tmp_path: Path) -> None:
    for placement in ("base", "offload", "onload", "hybrid"):
        run = sweep(tmp_path, placement)
        points = loaded_points(run)
        assert [one.gamma for one in points] == [0, 0.5, 1, 2]
        rates = [one.throughput_mbps for one in points]
        assert rates == sorted(rates, reverse=True)
        assert all(one.throughput_mbps < 1.05 * one.laws_mbps for one in points), placement
        assert all(one.gain < one.laws_gain + 0.05 for one in points), placement
        summary = summarise(run)
        assert summary.points == [] and summary.signature is None, "loaded points are no curve"
        assert all(isinstance(one, LoadedPoint) for one in summary.results["loads"])


def test_what_is_before_is_what_base_reaches(tmp_path: Path) -> None:
    base = loaded_points(sweep(tmp_path, "base"))
    onload = loaded_points(sweep(tmp_path, "onload"))
    for one, other in zip(base, onload, strict=True):
        assert one.gain == pytest.approx(0, abs=1e-6)
        assert other.before_mbps == pytest.approx(one.throughput_mbps, rel=0.01)
        assert other.gain > 0.05


def test_a_sweep_is_shown_with_its_bound(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = weft_json(
        "run", "gamma-sweep", "--on", "node:p4-400-offload", "--gamma", "0:1:0.5", "--out", folder
    )
    assert done["status"] == "complete"
    points = weft_json("show", folder)["points"]
    assert [point["gamma"] for point in points] == [0, 0.5, 1]
    for point in points:
        assert point["pattern"] == "stream" and point["size_bytes"] == 1 << 18
        assert point["throughput_mbps"]["median"] <= 1.05 * point["laws_mbps"]
        gain = point["throughput_mbps"]["median"] / point["before_mbps"] - 1
        assert point["gain"] == pytest.approx(gain)
    text = weft("show", folder).stdout
    assert "LAWS at most" in text and "busy at 262144 B and gamma 1," in text


def test_models_are_fitted_to_runs(tmp_path: Path) -> None:
    base, off = (sweep(tmp_path, at, "0:3.5:0.5").directory for at in ("base", "offload"))
    pair = weft_json("fit", base, off, "--model", "laws")
    alone = weft_json("fit", off, "--model", "laws")
    for found in (pair, alone):
        values = {one["name"]: one["value"] for one in found["parameters"]}
        assert 0.1 < values["p"] < 0.9
        assert found["rms_error_pct"] < 10
    modified = weft_json("fit", base, off, "--model", "laws-modified")
    held = {one["name"]: one["value"] for one in modified["parameters"] if one["held"]}
    ratios = sweep_of_runs([RunFolder.open(off)]).ratios
    assert held["p"] == pytest.approx(ratios["p"]) and held["beta"] == pytest.approx(ratios["beta"])
    given = weft_json("fit", off, "--model", "laws-modified", "--hold", "p=0.5", "--hold", "beta=1")
    assert {one["name"]: one["value"] for one in given["parameters"]}["p"] == 0.5


def test_what_cannot_be_fitted_is_refused(tmp_path: Path) -> None:
    base = sweep(tmp_path, "base").directory
    off = sweep(tmp_path, "offload", "[3, 4]").directory
    slow = sweep(tmp_path / "slow", "offload(memory.hit_rate=0.8)").directory
    plain = compute(tmp_path / "plain", "latency", "node:p4-400-base").directory
    for sources, message in (
        ([base], "nothing is gained"),
        ([plain], "no stream of it had an application load"),
        ([base, off], "share no gamma"),
        ([base, slow], "not the same work"),
    ):
        with refused(message):
            sweep_of_runs([RunFolder.open(source) for source in sources])
    with refused("has messages of 262144 B"):
        sweep_of_runs([RunFolder.open(off)], 1024)
    assert "3 sources" in refusal("fit", base, base, base, "--model", "laws")


def test_work_that_lets_nothing_flow_ends_and_is_said(tmp_path: Path) -> None:
    found = sweep(tmp_path, "base", "[0, 1e9, 1e10]")
    assert found.meta.status == "partial"
    assert [one.gamma for one in loaded_points(found)] == [0]
    (warning,) = [one for one in found.meta.warnings if one.code == "no-messages"]
    assert "at 1000000000: nothing flows: the application computes" in warning.message
    assert "nothing flows" in weft("show", found.directory).stdout


@pytest.mark.parametrize(
    ("plan", "message", "on"),
    [
        ("gamma-sweep", "has an application load", "sim:pair"),
        ("webserver", "is a web server", "sim:pair"),
    ],
)
def test_it_is_refused_where_nothing_computes(
    tmp_path: Path, plan: str, message: str, on: str
) -> None:
    said = refusal("run", plan, "--on", on, "--out", tmp_path / "run")
    assert message in said and f"on {on} no application computes" in said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("plan", "key", "value", "message"), cases("plans", "wrong_applications"))
def test_what_cannot_be_planned_is_refused(
    tmp_path: Path, plan: str, key: str, value: str, message: str
) -> None:
    with refused(message):
        compute(tmp_path / "run", plan, "node:p4-400-base", **{key: value})
    assert not (tmp_path / "run").exists()


def test_options_set_the_steps_that_they_are_for() -> None:
    given = RunOptions(users="1:9", page="5KB")
    settings = overrides_of("webserver", given)
    assert settings == [("steps.webserver.users", "1:9"), ("steps.webserver.sizes", '["5kB"]')]
    assert overrides_of("latency", RunOptions()) == []
    with refused("no step of the pattern webserver"):
        overrides_of("latency", given)


def test_users_get_pages_and_laws_of_queues_hold(tmp_path: Path) -> None:
    few, many = serve(tmp_path, "hybrid")
    assert (few.users, many.users) == (10, 600)
    for one in (few, many):
        # Little's law, and that of the response time with 1 s of thinking.
        assert one.waiting == pytest.approx(one.pages_per_s * one.response_us / 1e6, rel=0.1)
        assert (one.users - one.waiting) / one.pages_per_s == pytest.approx(1.0, rel=0.05)
        assert one.median_us <= one.p95_us <= one.p99_us
        assert all(0 <= share <= 1 for part, share in one.busy.items() if part.startswith("cpu"))
    assert few.pages_per_s == pytest.approx(10, rel=0.05)
    assert many.response_us > few.response_us
    assert many.busy["cpu0"] > few.busy["cpu0"]


def test_a_web_server_is_shown_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = ("webserver", "--on", "node:p4-400-offload", "--users", "5:10:5", "--page", "5KB")
    assert weft_json("run", *command, "--out", folder)["status"] == "complete"
    points = weft_json("show", folder)["points"]
    assert [point["users"] for point in points] == [5, 10]
    assert points[0]["size_bytes"] == 5000 and points[0]["requests_per_s"] > 4
    assert points[0]["response_us"]["p95"] >= points[0]["response_us"]["median"]
    assert "pages/s" in weft("show", folder).stdout
    load = sweep(tmp_path, "offload").directory
    page = tmp_path / "report.html"
    assert weft("report", folder, load, "--out", page).returncode == 0
    text = page.read_text()
    for name in ("web-pages", "web-response", "web-interrupts", "gamma-throughput", "gamma-gain"):
        assert f'id="figure-{name}"' in text
    assert "offload gains most at gamma" in text and "nothing was measured" not in text
    base = write_report([sweep(tmp_path, "base", "[0, 1]")], tmp_path / "base.html").read_text()
    assert "nothing is offloaded" in base and 'id="figure-gamma-gain"' not in base


def test_runs_are_compared_load_by_load(tmp_path: Path) -> None:
    base, off = (sweep(tmp_path, at, "[0, 1]").directory for at in ("base", "offload"))
    found = weft_json("compare", off, base)["points"]
    assert [pair["gamma"] for pair in found] == [0, 1]
    assert found[0]["ratio"]["median"] > 1.2
    assert weft("compare", off, base).stdout.count(" stream ") == 2
    plain = compute(tmp_path / "plain", "latency", "node:p4-400-base")
    with refused("share no size"):
        compare(RunFolder.open(str(base)), plain)


def test_a_livelock_is_said(tmp_path: Path) -> None:
    on = "node:p4-400-base(interrupts.timer=1 MHz)"
    found = compute(tmp_path / "run", "webserver", on)
    assert found.meta.status == "failed"
    assert "livelock: cpu0" in weft("show", found.directory).stdout
