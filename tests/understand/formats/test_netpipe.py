from pathlib import Path

import pytest

from support import importing
from support.importing import latencies_us
from support.made.cases import cases
from support.paths import DATA
from weft.base.errors import RequestError
from weft.plan.pattern import Pingpong
from weft.runs.folder import RunFolder
from weft.understand.curve.points import points
from weft.understand.curve.signature import signature
from weft.understand.formats.importers import import_file
from weft.understand.formats.importers.imported import ImportOptions
from weft.understand.formats.importers.text import MAX_FILE_BYTES

NP3 = DATA / "np3.7.2.np.out"
NP3_TALK = DATA / "np3.7.2.stdout"
NP5 = DATA / "np5_mpi.np.out"


def imported(
    directory: Path, source: Path | str, options: ImportOptions | None = None
) -> RunFolder:
    directory.mkdir(exist_ok=True)
    return importing.imported(directory, "netpipe", source, options)


def refusal(directory: Path, source: Path | str, options: ImportOptions | None = None) -> str:
    return importing.refusal(directory, "netpipe", source, options).message


def columns(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


@pytest.mark.parametrize("name", ["np3.7.2.np.out", "np3.7.2_loopback.np.out"])
def test_version_3_times_agree_with_the_file_and_megabits_are_decimal(
    tmp_path: Path, name: str
) -> None:
    run = imported(tmp_path, DATA / name)
    found = {point.size_bytes: point for point in points(run)}
    rows = columns(DATA / name)
    assert len(found) == len(rows)
    for size, rate, seconds in rows:
        point = found[int(size)]
        assert point.latency_us is not None
        assert point.latency_us.median == pytest.approx(float(seconds) * 1e6, abs=0.0055)
        assert point.throughput_mbps.median == pytest.approx(float(rate) * 1.048576, rel=2e-4)


def test_version_3_is_a_pingpong_of_best_trials(tmp_path: Path) -> None:
    run = imported(tmp_path, NP3, ImportOptions(transport="tcp"))
    assert (run.meta.statistic, run.meta.status) == ("best", "complete")
    assert points(run)[0].transport == "tcp"
    assert run.meta.plan.steps[0].pattern == Pingpong()
    assert run.meta.plan.steps[0].sizes.bytes[:3] == (1, 2, 3)
    assert run.meta.source is not None
    assert (run.meta.source["format"], run.meta.source["file"]) == ("netpipe-3", NP3.name)
    assert [warning.code for warning in run.meta.warnings] == ["one-launch"]
    # One launch with a phase for each size.
    samples = run.samples.to_pydict()
    assert samples["phase"] == list(range(58))
    assert set(samples["launch"]) == set(samples["batch"]) == set(samples["src"]) == {0}
    assert set(samples["dst"]) == set(samples["messages"]) == {1}


def test_what_version_3_prints_is_the_same_measurement(tmp_path: Path) -> None:
    talk = imported(tmp_path / "talk", NP3_TALK)
    written = imported(tmp_path / "written", NP3)
    assert latencies_us(talk) == pytest.approx(latencies_us(written), rel=1e-3)
    assert set(talk.samples["messages"].to_pylist()) == {200}


def test_version_4_is_told_by_its_columns(tmp_path: Path) -> None:
    expected = {1: 12.34, 1000: 20.0, 100000: 871.25}
    rows = "".join(
        f"{size:8d} {8 * size / us:f} {7.5:12.8f} {6.5:12.8f} {us / 1e6:12.8f}\n"
        for size, us in expected.items()
    )
    run = imported(tmp_path, rows)
    assert run.meta.source is not None and run.meta.source["format"] == "netpipe-4"
    assert run.meta.statistic == "best"
    assert latencies_us(run) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    "row",
    [
        # Version 4 with a workload has two more columns, version 5 also a unit at the end.
        "    1000 400.000000  380.0  350.0  0.00002000  12.5 65536\n",
        "     1000     0.400     0.380     0.410   20.00     1.25 GFlops\n",
        "     1000     0.400     0.380     0.410   20.00     1.25 GB/sec\n",
    ],
)
def test_a_workload_has_columns_of_its_own(tmp_path: Path, row: str) -> None:
    assert latencies_us(imported(tmp_path, row)) == pytest.approx({1000: 20.0})


def test_version_5_counts_gigabits_and_microseconds(tmp_path: Path) -> None:
    run = imported(tmp_path, NP5)
    assert run.meta.statistic == "mean"
    assert run.meta.source is not None and run.meta.source["format"] == "netpipe-5"
    expected = {int(row[0]): float(row[4]) for row in columns(NP5)}
    assert latencies_us(run) == pytest.approx(expected, rel=0.01)
    most_mbps = max(point.throughput_mbps.median for point in points(run))
    assert most_mbps == pytest.approx(5735, rel=1e-3)


def test_version_5_takes_the_column_with_more_digits(tmp_path: Path) -> None:
    """The theoretical module's time is affine, but neither rounded column shows it alone."""
    times = latencies_us(imported(tmp_path, DATA / "np5_theo.np.out"))
    for size, time_us in times.items():
        expected = 10.0 + size * 8 / 97252.0
        assert time_us == pytest.approx(expected, rel=6e-4), size


def test_rates_of_several_pairs_are_divided_among_them(tmp_path: Path) -> None:
    times_us = {1: 9.87, 1024: 12.34, 65536: 512.11}
    rows = "".join(
        f"{size:9d} {4 * size * 8e-3 / time:9.3f} {0.0:9.3f} {9.0:9.3f} {time:7.2f}\n"
        for size, time in times_us.items()
    )
    run = imported(tmp_path, rows)
    assert latencies_us(run) == pytest.approx(times_us, rel=1e-3)
    assert "aggregate-rates" in [warning.code for warning in run.meta.warnings]


def test_bidirectional_sizes_are_halved_when_said(tmp_path: Path) -> None:
    path = DATA / "np3.7.2_bidir.np.out"
    doubled = latencies_us(imported(tmp_path / "plain", path))
    halved = latencies_us(imported(tmp_path / "bidir", path, ImportOptions(bidir=True)))
    assert halved == {size // 2: time_us for size, time_us in doubled.items()}
    # What such a run prints says so itself.
    talk = imported(tmp_path / "talk", DATA / "np3.7.2_bidir.stdout")
    assert latencies_us(talk) == pytest.approx(halved, rel=1e-3)
    assert talk.meta.source and "both directions" in talk.meta.source["convention"]
    assert "line 1: 1 bytes are odd" in refusal(tmp_path, NP3, ImportOptions(bidir=True))


def test_a_real_file_has_a_signature(tmp_path: Path) -> None:
    found = signature(imported(tmp_path, DATA / "np3.7.2_loopback.np.out"))
    assert found and found.latency_us and found.saturation_bytes
    assert found.latency_us.low == found.latency_us.high == pytest.approx(3.33, abs=0.01)


def test_a_cut_file_names_line_and_reason_and_the_way_out(tmp_path: Path) -> None:
    cut = NP3.read_text()[:-60]
    error = importing.refusal(tmp_path, "netpipe", cut)
    assert "result.txt, line 57: the file ends inside this line" in error.message
    assert "--partial" in error.hint
    run = imported(tmp_path, cut, ImportOptions(partial=True))
    assert run.meta.status == "partial" and len(points(run)) == 56
    assert run.meta.warnings[-1].code == "file-cut"
    assert "line 57" in run.meta.warnings[-1].message


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("np3.7.2_integrity.np.out", "line 1: an integrity check"),
        ("np3.7.2_integrity.stdout", "line 6: an integrity check"),
        ("np3.7.2_stream_interrupted.stdout", "line 1: a streaming run"),
        ("np3.7.2_killed.stdout", "line 5: the file ends inside this line"),
        ("np3_server.log", "line 3: a NetPIPE log without results"),
    ],
)
def test_other_real_outputs_are_refused_by_name(tmp_path: Path, name: str, reason: str) -> None:
    assert reason in refusal(tmp_path, DATA / name)
    if "killed" in name:
        assert "line 5" in refusal(tmp_path, DATA / name, ImportOptions(partial=True))


@pytest.mark.parametrize(("text", "reason"), cases("outputs", "no_netpipe_results"))
def test_what_is_no_result_is_refused_with_line_and_reason(
    tmp_path: Path, text: str, reason: str
) -> None:
    assert reason in refusal(tmp_path, text)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert "nothing: no such file" in refusal(tmp_path, tmp_path / "nothing")
    assert "not a file" in refusal(tmp_path, tmp_path)
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "binary: byte 0 is not UTF-8" in refusal(tmp_path, binary)
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert "more than 67108864 bytes" in refusal(tmp_path, huge)


def test_an_unknown_format_names_the_known_ones_and_a_folder_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="unknown format 'netpip'") as caught:
        import_file("netpip", NP3, tmp_path / "run")
    assert "netpipe" in caught.value.hint
    imported(tmp_path, NP3)
    before = (tmp_path / "run" / "run.json").read_bytes()
    with pytest.raises(RequestError, match="already exists"):
        imported(tmp_path, NP5)
    assert (tmp_path / "run" / "run.json").read_bytes() == before
