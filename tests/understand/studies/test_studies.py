"""What a setting did, from recorded samples with a known answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from support.here import weft
from support.runs import launches_of, step_plan, step_rows, write_run
from weft.plan.plan import Options, Over
from weft.runs.folder import RunFolder
from weft.understand.limits.diagnosis import diagnose
from weft.understand.report.page import Report
from weft.understand.studies.find import studies
from weft.understand.studies.spread import spread_ratio
from weft.understand.studies.study import SettingStudy

SIZES = [1, 2**16, 2**20]
ROUND_TRIP_US = 1000.0
LINE_MBPS = 1000.0
"""Together a bandwidth-delay product of 125,000 bytes."""
CAP = 2**18


def varied_run(
    folder: Path,
    key: str,
    values: Sequence[tuple[str, Options, dict[str, Any]]],
    times_us: Sequence[npt.NDArray[np.float64]],
    sizes: Sequence[int] = SIZES,
) -> RunFolder:
    """A run of one step repeated for these values: as written, what was asked, what the kernel had at either node."""
    steps = [
        replace(step_plan(), name=f"it-{at}", options=options, over=Over("it", {key: value}))
        for at, (value, options, _) in enumerate(values)
    ]
    rows = [step_rows(sizes, times, step=at) for at, times in enumerate(times_us)]
    effective = [
        {"step": at, "launch": 0, "node": node, "settings": settings}
        for at, (_, _, settings) in enumerate(values)
        for node in ("n1", "n2")
    ]
    return write_run(folder, rows, steps, effective=effective)


def buffers_run(
    folder: Path, asked: Sequence[int], lines: Sequence[float] = (LINE_MBPS,) * 5
) -> RunFolder:
    """Messages go as fast as a buffer a round trip, and a launch's line, let them; the kernel gives at most CAP."""
    limits = [None, *asked]
    values = []
    times = []
    for buffer in limits:
        given = min(buffer or CAP, CAP)
        rates = np.minimum(lines, given * 8 / ROUND_TRIP_US)
        each = ROUND_TRIP_US / 2 + np.array(SIZES)[:, np.newaxis] * 8 / rates
        times.append(np.repeat(each[:, :, np.newaxis], 5, axis=2))
        kernel = {"send_buffer_bytes": 2 * given, "receive_buffer_bytes": 4 * given}
        options = Options(send_buffer_bytes=buffer, receive_buffer_bytes=buffer)
        values.append(("default" if buffer is None else f"{buffer >> 10} KiB", options, kernel))
    return varied_run(folder, "options.send_buffer", values, times)


def only(run: RunFolder) -> SettingStudy:
    (found,) = studies(run)
    return found


def test_the_knee_is_at_the_buffer_that_fills_the_line(tmp_path: Path) -> None:
    run = buffers_run(tmp_path / "run", [2**power for power in range(13, 21)])
    found = only(run)
    knee, product = found.numbers["knee_bytes"], found.numbers["bandwidth_delay_bytes"]
    assert knee and product
    # The best message rate is a little below the line's, for the half round trip that each takes.
    assert product.median == pytest.approx(125_000, rel=0.07)
    assert knee.median == pytest.approx(product.median, rel=0.1)
    assert knee.low == knee.high
    granted = [one.granted_bytes for one in found.values]
    assert granted == [None, *(2**power for power in range(13, 19)), CAP, CAP]
    assert [one.note for one in found.values] == ["autotuned", *[""] * 6, "capped", "capped"]
    assert "From 512 KiB on the kernel gave 256 KiB" in found.text
    assert diagnose(run).verdict == f"it over send_buffer: {found.text}"
    assert found.text in weft("show", run.directory).stdout


def test_launches_with_knees_far_apart_have_none_together(tmp_path: Path) -> None:
    asked = [2**power for power in range(12, 19)]
    found = only(buffers_run(tmp_path, asked, (LINE_MBPS, LINE_MBPS / 8) * 3))
    assert found.text.startswith("Launches do not agree from which socket buffer on")
    assert "stops growing at" not in found.text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([2**18, 2**19], "does not grow with socket buffers from 256 KiB"),
        ([2**13, 2**14], "No socket buffer that the kernel gave reaches 90 % of the best rate"),
    ],
)
def test_a_knee_that_is_not_between_buffers_is_not_made_up(
    asked: list[int], said: str, tmp_path: Path
) -> None:
    found = only(buffers_run(tmp_path, asked))
    assert found.numbers["knee_bytes"] is None
    assert said in found.text


def test_the_figure_has_knee_product_and_autotuning_and_its_table_the_buffers(
    tmp_path: Path,
) -> None:
    run = buffers_run(tmp_path / "run", [2**power for power in range(13, 19)])
    (figure,) = [one for one in Report([run]).figures if one.name == "study-0"]
    marks = [row["kind"] for row in figure.tables["study-0-marks"]]
    assert marks == ["knee", "bandwidth-delay product", "autotuning"]
    assert len(figure.tables["study-0-buffers"]) == 6
    drawn = next(path for path in figure.write(tmp_path) if path.suffix == ".svg").read_text()
    assert "Socket buffer at both ends" in drawn and "knee: " in drawn


@pytest.mark.parametrize("key", ["options.mss", "options.knobs.mtu"])
def test_times_of_a_frame_and_of_a_byte_are_found_again(key: str, tmp_path: Path) -> None:
    segments = [1448, 244, 500, 1012]
    # 90 bytes of headers on a line of 1 Gb/s.
    rates = [LINE_MBPS * size / (size + 90) for size in segments]
    times = [launches_of(np.array(SIZES) * 8 / rate, noise=0.001) for rate in rates]
    values = [(f"{size + 12} B", Options(), {"mss_bytes": size}) for size in segments]
    run = varied_run(tmp_path / "run", key, values, times)
    found = only(run)
    frame, byte = found.numbers["frame_us"], found.numbers["byte_us"]
    assert frame and frame.low <= frame.median <= frame.high
    assert frame.median == pytest.approx(0.72, rel=0.02)
    assert byte and byte.median == pytest.approx(0.008, rel=0.002)
    assert "a frame costs as much as 90 B of payload" in found.text and "off" not in found.text
    assert [row[1] for row in found.rows] == ["1448 B", "244 B", "500 B", "1012 B"]
    (figure,) = [one for one in Report([run]).figures if one.name == "study-0"]
    rows = figure.tables["study-0-segments"]
    fit = {row["size"]: row["value"] for row in rows if row["title"] == "fit"}
    assert fit == pytest.approx(dict(zip(segments, rates, strict=True)), rel=0.01)


def test_a_fit_that_leaves_something_out_says_so(tmp_path: Path) -> None:
    sizes = [1448, 500, 250]
    times = [launches_of(np.array(SIZES) * 8 / rate) for rate in (500, 500, 100)]
    values = [(f"{size} B", Options(), {"mss_bytes": size}) for size in sizes]
    found = only(varied_run(tmp_path / "run", "options.mss", values, times))
    assert "another limit decides some of the sizes" in found.text


def test_all_ten_timings_are_kept_and_the_ratio_of_spreads_has_its_interval(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    loose, tight = (np.exp(spread * random.standard_normal(10)) for spread in (0.5, 0.05))
    times = [20 * each[np.newaxis, :, np.newaxis] for each in (loose, tight)]
    values = [
        ("any", Options(cpus=None), {"cpus": [0, 1]}),
        ("[0, 1]", Options(cpus=(0, 1)), {"cpus": [1]}),
    ]
    run = varied_run(tmp_path / "run", "options.cpus", values, times, [1])
    found = only(run)
    ratio = found.numbers["spread_ratio"]
    assert ratio and ratio.low < 0.1 < ratio.high < 1
    assert sorted(found.values[0].timings) == pytest.approx(sorted(20 * loose), rel=1e-3)
    assert found.values[1].note == "on 1 and 1"
    assert "steadier" in found.text and found.is_of_latency
    (figure,) = [one for one in Report([run]).figures if one.name == "study-0"]
    assert len(figure.tables["study-0"]) == 20


def test_equal_spreads_are_told_apart_as_rarely_as_the_level_says() -> None:
    random = np.random.default_rng(1)
    draws = np.exp(0.2 * random.standard_normal((400, 2, 10)))
    ratios = [spread_ratio(a, b) for a, b in draws]
    wrong = sum(not one.low <= 1 <= one.high for one in ratios if one)
    assert wrong / len(ratios) < 0.09
    assert spread_ratio(np.ones(10), draws[0, 0]) is None


def test_any_other_setting_is_compared_with_its_first_value(tmp_path: Path) -> None:
    plain = np.array([10.0, 600.0, 9000.0])
    noise = {"noise": 0.002}
    times = [
        launches_of(plain * factor, seed=at + 1, **noise) for at, factor in enumerate((1, 1, 2))
    ]
    values = [(name, Options(), {}) for name in ("cubic", "reno", "bbr")]
    found = only(varied_run(tmp_path, "options.congestion", values, times))
    assert found.text.startswith("Beside cubic, bbr has 0.501 times the peak rate (0.499")
    assert "reno" not in found.text
