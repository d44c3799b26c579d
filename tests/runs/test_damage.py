"""What is left of a run whose files are damaged, and what is said of it."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.here import refusal, weft_json
from support.made.computed import compute
from support.made.synthetic import write_run
from support.runs import change_meta
from weft.runs.columns.table_file import Readable, read_intact, write_table
from weft.runs.columns.table_stream import TableStream, read_side_table, read_stream
from weft.runs.columns.tables import BOTTLENECKS_NAME, LOADS_NAME, PHASES_NAME
from weft.runs.folder import STREAM_NAME, TABLE_NAME, RunFolder
from weft.runs.samples import SCHEMA

SIZES = [1, 1024, 65536]
Reader = Callable[[Path, pa.Schema], Readable]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("made") / "r", sizes=SIZES).directory


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "r")
    return tmp_path / "r"


def flip(path: Path, at: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << bit
    path.write_bytes(content)


def rows(table: pa.Table) -> set[tuple[int, ...]]:
    return {tuple(row.values()) for row in table.to_pylist()}


def as_stream(samples: pa.Table, path: Path) -> None:
    """The samples as a run that is not over has them, a launch in a batch."""
    stream = TableStream(path, SCHEMA)
    for first in range(0, samples.num_rows, 15):
        stream.append(samples.slice(first, 15).combine_chunks().to_batches()[0])
    stream.close()


@pytest.mark.parametrize(("name", "read"), [(TABLE_NAME, read_intact), (STREAM_NAME, read_stream)])
def test_no_flipped_bit_is_read_as_another_number(made, tmp_path, name, read: Reader):
    samples, path = RunFolder.open(made).samples, tmp_path / name
    as_stream(samples, path) if name == STREAM_NAME else write_table(samples, path)
    good, chosen, noticed = path.read_bytes(), random.Random(19), 0
    for _ in range(600):
        path.write_bytes(good)
        flip(path, chosen.randrange(len(good)), chosen.randrange(8))
        found = read(path, SCHEMA)
        assert rows(found.table) <= rows(samples)
        noticed += bool(found.damage) or found.table.num_rows < samples.num_rows
    assert noticed > 300


def test_damage_costs_one_launch(folder):
    before = RunFolder.open(folder)
    times = pq.read_metadata(folder / TABLE_NAME).row_group(2).column(9)
    flip(folder / TABLE_NAME, times.dictionary_page_offset + 60)
    run = RunFolder.open(folder)
    kept = before.samples.filter(pa.compute.field("launch") != 2)
    assert run.samples.equals(kept)
    (warning,) = run.meta.warnings
    assert "1 of 5 parts have wrong checksums; 60 of 75 samples are readable" in warning.message
    shown = weft_json("show", folder)
    assert (shown["status"], shown["warnings"][0]["code"]) == ("partial", "damaged")


@pytest.mark.parametrize("is_old", [False, True])
def test_a_complete_run_without_samples_is_not_complete(folder, is_old):
    (folder / TABLE_NAME).unlink()
    change_meta(folder, done=[[0, launch] for launch in range(5)])
    if is_old:
        document = json.loads((folder / "run.json").read_text())
        del document["rows"]
        (folder / "run.json").write_text(json.dumps(document))
    run = RunFolder.open(folder)
    assert (run.meta.status, run.samples.num_rows) == ("partial", 0)
    assert "samples are missing" in run.meta.warnings[0].message


def test_a_cut_stream_of_a_complete_run_is_not_complete(folder):
    as_stream(RunFolder.open(folder).samples, folder / STREAM_NAME)
    (folder / TABLE_NAME).unlink()
    assert RunFolder.open(folder).meta.status == "complete"
    content = (folder / STREAM_NAME).read_bytes()
    (folder / STREAM_NAME).write_bytes(content[: len(content) // 2])
    run = RunFolder.open(folder)
    assert run.meta.status == "partial"
    assert 0 < run.samples.num_rows < 75


def test_runs_of_earlier_builds_are_read_without_checksums(folder):
    samples = RunFolder.open(folder).samples
    pq.write_table(samples, folder / TABLE_NAME)
    assert RunFolder.open(folder).samples.equals(samples)
    (folder / TABLE_NAME).unlink()
    with pa.ipc.new_stream(folder / STREAM_NAME, SCHEMA) as stream:
        stream.write_table(samples)
    assert RunFolder.open(folder).samples.equals(samples)


def test_strings_have_checksums_too(tmp_path):
    names = pa.array(["a", "b"]).dictionary_encode()
    whole = pa.array([0, 0], pa.int32())
    columns = dict.fromkeys(("step", "phase", "src", "dst"), whole)
    table = pa.table(columns | {"bottleneck": names})
    write_table(table, tmp_path / BOTTLENECKS_NAME)
    assert read_side_table(tmp_path / BOTTLENECKS_NAME).to_pylist() == table.to_pylist()


@pytest.mark.parametrize("name", [TABLE_NAME, LOADS_NAME])
def test_a_damaged_simulated_run_is_computed_again(tmp_path, name):
    folder = compute(tmp_path / "r", "aapc", "sim:pair").directory
    before = {path.name: pq.read_table(path) for path in folder.glob("*.parquet")}
    meta = RunFolder.open(folder).meta
    flip(folder / name, 300)
    if name == LOADS_NAME:
        said = refusal("report", folder, "--out", tmp_path / "page.html")
        assert f"{folder / name}: damaged" in said
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    assert {path.name: pq.read_table(path) for path in folder.glob("*.parquet")} == before
    again = RunFolder.open(folder).meta
    assert (again.testbed, again.done, again.warnings) == (meta.testbed, meta.done, meta.warnings)


def test_tables_beside_lost_samples_are_left_out_and_lost_digests_are_told(tmp_path):
    nodes = compute(tmp_path / "nodes", "latency", "node:p4-400-base").directory
    (nodes / TABLE_NAME).unlink()
    shown = weft_json("show", nodes)
    assert (shown["points"], shown["occupation"]) == ([], [])
    some = compute(tmp_path / "some", "alltoall", "sim:pair(rows=1)").directory
    (some / PHASES_NAME).unlink()
    told = weft_json("show", some, status=2)["error"]
    assert told["message"] == f"{some / PHASES_NAME}: has no rows of step 0"


def test_a_simulation_killed_within_a_step_has_all_tables_after_it_resumed(tmp_path):
    folder = compute(tmp_path / "r", "aapc", "sim:two-racks").directory
    path = folder / BOTTLENECKS_NAME
    whole = pq.read_table(path)
    write_table(whole.filter(pa.compute.field("phase") > 5), path)
    change_meta(folder, done=[], status="partial")
    assert weft_json("run", "--resume", folder)["status"] == "complete"
    assert pq.read_table(path) == whole
