"""What every importer must do, whatever the tool."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.here import weft, weft_json
from support.importing import DATA, imported, refusal, warned
from support.made.cases import cases
from weft.base.errors import RequestError
from weft.faces.cli.output import plain
from weft.runs.folder import RunFolder
from weft.understand.formats.importers import FORMATS, import_file
from weft.understand.formats.importers.imported import ImportOptions
from weft.understand.limits.diagnosis import diagnose
from weft.understand.summary.summary import summarise

WHOLE = dict(cases("outputs", "whole"))
"""Real outputs that are whole, and whose they are."""


@pytest.mark.parametrize("name", WHOLE)
def test_a_real_output_is_a_run_that_says_what_the_tool_counts(tmp_path: Path, name: str) -> None:
    imported(tmp_path, WHOLE[name], name)
    run = RunFolder.open(tmp_path / "run")
    summary = summarise(run)
    assert summary.points or len(summary.rates)
    assert summary.to_json()["status"] == run.meta.status == "complete"
    assert diagnose(run).verdict
    source = run.meta.source
    assert source and source["file"] == name and source["convention"]


@pytest.mark.parametrize("name", WHOLE)
def test_the_format_is_told_when_another_is_named(tmp_path: Path, name: str) -> None:
    for format in FORMATS.keys() - {WHOLE[name]}:
        error = refusal(tmp_path, format, name)
        assert f"{name}, line " in error.message
        assert f"this is {WHOLE[name]}'s, not {format}'s" in error.message
        assert f"weft import {WHOLE[name]} " in error.hint


def _attempt(directory: Path, format: str, text: str, options: ImportOptions) -> RunFolder | None:
    """A run, or None where the text was refused with one message that names the file, and left nothing."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "result"
    path.write_text(text)
    try:
        return import_file(format, path, directory / "run", options)
    except RequestError as error:
        assert str(path) in error.message and "\n" not in error.message
        assert not (directory / "run").exists()
        return None


def _times(run: RunFolder) -> set[tuple[int, ...]]:
    """Rows without the phase, which counts the sizes of the run."""
    samples = run.samples.drop_columns(["phase", "step", "launch", "batch"])
    return set(zip(*samples.to_pydict().values(), strict=True))


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("partial", [False, True])
def test_a_file_cut_anywhere_gives_whole_results_or_one_message(
    tmp_path: Path, name: str, partial: bool
) -> None:
    text = (DATA / name).read_text()
    whole = _times(imported(tmp_path, WHOLE[name], name))
    step = max(1, len(text) // 60)
    imports = 0
    for end in range(0, len(text), step):
        options = ImportOptions(partial=partial)
        run = _attempt(tmp_path / str(end), WHOLE[name], text[:end], options)
        if run is not None:
            imports += 1
            assert _times(run) <= whole or _is_of_senders(run), end
            assert run.meta.status == ("partial" if "file-cut" in warned(run) else "complete")
            assert partial or run.meta.status == "complete"
    assert imports < len(range(0, len(text), step))


@pytest.mark.parametrize(
    "name",
    ["np3.7.2.np.out", "osu_latency_7.4.txt", "imb_mpi1.txt", "mpigraph.out", "fping_5.1_C.txt"],
)
def test_a_decimal_comma_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    text = (DATA / name).read_text()
    number = next(n for n, line in enumerate(text.split("\n"), 1) if _is_row(line, WHOLE[name]))
    commas = "\n".join(
        line.replace(".", ",") if at >= number else line
        for at, line in enumerate(text.split("\n"), start=1)
    )
    error = refusal(tmp_path, WHOLE[name], commas.replace("127,0,0,", "127.0.0."))
    assert f"line {number}: " in error.message and "decimal comma" in error.message
    assert "LC_ALL=C" in error.hint


@pytest.mark.parametrize(
    ("name", "point", "comma"),
    [
        ("qperf_0.4.11.txt", "33.5", "33,5"),
        ("sockperf_pp.txt", "avg-latency=6.825", "avg-latency=6,825"),
        ("neper_tcp_rr.txt", "time_end=1061.3", "time_end=1061,3"),
        ("ng_oneone.stdout", "== 51.54", "== 51,54"),
    ],
)
def test_a_single_decimal_comma_is_named_too(
    tmp_path: Path, name: str, point: str, comma: str
) -> None:
    text = (DATA / name).read_text()
    number = text[: text.index(point)].count("\n") + 1
    error = refusal(tmp_path, WHOLE[name], text.replace(point, comma, 1))
    assert f"line {number}: " in error.message and "decimal comma" in error.message


def test_a_test_without_a_result_is_named_also_before_a_cut(tmp_path: Path) -> None:
    text = "tcp_bw:\n    msg_size  =  64 KB\ntcp_lat:\n    latency  =  7.67 us\n    la"
    error = refusal(tmp_path, "qperf", text)
    assert "line 1: " in error.message and "a test without a result" in error.message


def _is_row(line: str, format: str) -> bool:
    wanted = {"netpipe": "       1", "osu": "1  ", "imb": " " * 12 + "0", "fping": "127"}
    return line.startswith(wanted.get(format, "vm:0 from"))


@pytest.mark.parametrize("name", WHOLE)
def test_colours_and_carriage_returns_change_nothing(tmp_path: Path, name: str) -> None:
    plain = imported(tmp_path / "plain", WHOLE[name], DATA / name)
    lines = (DATA / name).read_text().split("\n")
    coloured = "\r\n".join(f"\x1b[1;32m{line}\x1b[0m" if line else line for line in lines)
    painted = _attempt(tmp_path / "painted", WHOLE[name], coloured, ImportOptions())
    assert painted is not None and painted.samples.equals(plain.samples)


def _is_of_senders(run: RunFolder) -> bool:
    """Of an mpiGraph that was cut in its second table the first one is imported."""
    assert run.meta.source is not None
    return bool(run.meta.source["tests"][0].get("rates_of") == "sender")


TWICE = [name for name in WHOLE if WHOLE[name] != "netpipe" and name != "neper_samples.csv"]


@pytest.mark.parametrize("name", TWICE)
def test_the_same_output_twice_is_two_launches_or_twice_the_batches(
    tmp_path: Path, name: str
) -> None:
    once = imported(tmp_path, WHOLE[name], name)
    text = (DATA / name).read_text()
    twice = _attempt(tmp_path / "twice", WHOLE[name], text + text, ImportOptions())
    assert twice is not None
    assert twice.samples.num_rows == 2 * once.samples.num_rows
    if WHOLE[name] != "fping":
        assert twice.meta.plan.launches == 2 and "one-launch" not in warned(twice)


@pytest.mark.parametrize("text", ["", " \n\n"])
@pytest.mark.parametrize("format", FORMATS)
def test_nothing_is_refused_as_empty(tmp_path: Path, format: str, text: str) -> None:
    path = tmp_path / "empty"
    path.write_text(text)
    with pytest.raises(RequestError, match="empty: empty"):
        import_file(format, path, tmp_path / "run")


@pytest.mark.parametrize("format", FORMATS)
def test_what_no_tool_wrote_is_refused_by_line(tmp_path: Path, format: str) -> None:
    assert "line 1: " in refusal(tmp_path, format, "Dear diary,\nall is well\n").message


PIECES = [
    "",
    "9" * 25,
    *["0", "-1", "nan", "inf", "1e400", "{", "}", '"', ",", "-", "é"],
    "\t",
    "\n",
]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_file_never_ends_in_anything_but_a_message(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(WHOLE)))
    text = (DATA / name).read_text()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 30))
        piece = data.draw(st.sampled_from(PIECES))
        text = text[:at] + piece + text[at + length :]
    options = ImportOptions(partial=data.draw(st.booleans()))
    run = _attempt(tmp_path_factory.mktemp("damaged"), WHOLE[name], text, options)
    if run is not None:
        json.dumps(summarise(run).to_json(), default=plain)


def test_the_command_line_gives_the_run_and_its_warnings(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    source = DATA / "qperf_0.4.11.txt"
    document = weft_json("import", "qperf", source, "--out", out, "--size", "512")
    assert document["run"] == out and document["status"] == "complete"
    assert [warning["code"] for warning in document["warnings"]] == ["one-launch"]
    assert {point["size_bytes"] for point in weft_json("show", out)["points"]} == {512}


def test_a_run_can_be_compared_fitted_and_reported(tmp_path: Path) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    for out, name in ((one, "ng_oneone.stdout"), (other, "osu_latency_7.4.txt")):
        assert weft("import", WHOLE[name], str(DATA / name), "--out", out).returncode == 0
    matrix = str(tmp_path / "matrix")
    assert weft("import", "mpigraph", str(DATA / "mpigraph.out"), "--out", matrix).returncode == 0
    compared = weft_json("compare", one, other)["points"]
    assert [point["size_bytes"] for point in compared] == [1, 2, 4, 8, 16, 32, 64]
    assert weft("fit", one, "--model", "hockney").returncode == 0
    page = tmp_path / "page.html"
    assert weft("report", one, other, matrix, "--out", str(page)).returncode == 0
    assert "mpigraph" in page.read_text()
