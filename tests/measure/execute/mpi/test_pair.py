"""Messages over MPI, with the MPIs that are installed here."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest

from support.clusters.mpi import INSTALLED, needs_both, needs_mpi
from support.command import descendants, start
from support.here import refusal, weft_json
from support.live.waiting import wait_for
from support.made.evidence import measured_batches, recorded_batches, rows_of, total
from weft.base.errors import RequestError
from weft.measure.execute.mpi import program
from weft.measure.execute.mpi.toolchain import KINDS, find_toolchain
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder

pytestmark = [pytest.mark.alone, pytest.mark.usefixtures("own_cache")]

QUICK = ["--launches", "1", "--set", "steps.*.stop={rule='count', repeats=20, trials=2}"]


def measured(tmp_path: Path, plan: str, kind: str, *arguments: str) -> tuple[Any, RunFolder]:
    out = tmp_path / "run"
    over = ["--transport", "mpi", "--mpi", kind, "--out", out]
    weft_json("run", plan, "--on", "local:", *over, *QUICK, *arguments)
    return weft_json("show", out), RunFolder.open(out)


@needs_mpi
@pytest.mark.parametrize("calls", ["blocking", "nonblocking"])
@pytest.mark.parametrize("kind", INSTALLED)
def test_ping_pong_between_two_ranks(kind: str, calls: str, tmp_path: Path) -> None:
    chosen = ["--set", "steps.pingpong.sizes=['1 B', '1 KiB', '1 MiB']"]
    chosen += ["--set", f"steps.pingpong.options.calls={calls}"]
    shown, run = measured(tmp_path, "latency", kind, *chosen)
    assert [point["size_bytes"] for point in shown["points"]] == [1, 1024, 1 << 20]
    assert run.samples.column("messages").to_pylist() == [20] * 6
    (first, second) = run.meta.effective
    assert KINDS[kind] in first["settings"]["mpi"] and first["settings"]["calls"] == calls
    assert {first["node"], second["node"]} == {"p1", "p2"}
    check_evidence(run)


def check_evidence(run: RunFolder) -> None:
    """Both ranks had the same batches recorded, the first among them, by the agents beside them."""
    first, second = (recorded_batches(run, node) for node in (0, 1))
    assert sorted(first) == sorted(second)
    assert (0, 0, 0, 0) in first and set(first) <= measured_batches(run.samples)
    for node in (0, 1):
        used = [rows_of(run, f"process_{mode}_ns") for mode in ("user", "system")]
        mine = sum(total(rows.filter(pc.field("node") == node)) for rows in used)
        lasted = total(rows_of(run, "elapsed_ns").filter(pc.field("node") == node))
        assert 0 < mine < 4 * lasted
    read = {one["node"]: set(one["counters"]) for one in run.meta.evidence}
    assert "process_waiting_ns" in read["p1"] & read["p2"]
    assert "tcp_*" in {one["counters"] for one in run.meta.evidence[0]["missing"]}


@needs_mpi
def test_a_step_that_does_not_want_evidence_has_none(tmp_path: Path) -> None:
    chosen = ["--set", "steps.*.sizes=['1 B']", "--set", "steps.*.options.evidence=false"]
    _, run = measured(tmp_path, "latency", INSTALLED[0], *chosen)
    assert run.meta.evidence == [] and not run.side_table(EVIDENCE_NAME).num_rows


@pytest.mark.skipif("openmpi" not in INSTALLED, reason="needs Open MPI")
def test_limits_are_those_in_effect_wherever_they_were_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMPI_MCA_btl_vader_eager_limit", "5432")
    _, run = measured(tmp_path, "latency", "openmpi", "--set", "steps.pingpong.sizes=['1 B']")
    settings = run.meta.effective[0]["settings"]
    assert settings["btl_vader_eager_limit"] == 5432
    assert settings["btl_tcp_eager_limit"] > 0


@pytest.mark.skipif("mpich" not in INSTALLED, reason="needs MPICH")
@pytest.mark.parametrize(("said", "bytes_"), [("5000", 5000), ("5k", 5120), ("auto", None)])
def test_ucx_has_its_limit_from_the_environment(
    said: str, bytes_: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UCX_RNDV_THRESH", said)
    _, run = measured(tmp_path, "latency", "mpich", "--set", "steps.pingpong.sizes=['1 B']")
    assert run.meta.effective[0]["settings"].get("UCX_RNDV_THRESH") == bytes_


@needs_mpi
@pytest.mark.parametrize("calls", ["blocking", "nonblocking"])
@pytest.mark.parametrize("kind", INSTALLED)
def test_a_stream_with_windows_that_do_not_fit(kind: str, calls: str, tmp_path: Path) -> None:
    chosen = ["--set", "steps.stream.sizes=['1 B', '100 kB']", "--set", "steps.stream.window=8"]
    chosen += ["--set", f"steps.stream.options.calls={calls}"]
    shown, run = measured(tmp_path, "stream", kind, *chosen)
    assert run.samples.num_rows == 4
    assert all(point["throughput_mbps"]["median"] > 0 for point in shown["points"])


@needs_mpi
def test_launches_measure_what_earlier_ones_told(tmp_path: Path) -> None:
    out = tmp_path / "run"
    over = ["--transport", "mpi", "--mpi", INSTALLED[0], "--out", out, "--until", "±0.01 %, 2 s"]
    weft_json("run", "signature", "--on", "local:", *over, "--set", "steps.*.sizes.max='1 KiB'")
    samples = RunFolder.open(out).samples.sort_by("start_ns")
    launch, batch, size = (samples[name].to_numpy() for name in ("launch", "batch", "size_bytes"))
    assert batch.min() == 0
    later = [size[launch == one] for one in range(1, launch.max() + 1)]
    assert len(later) >= 5
    orders = {tuple(dict.fromkeys(sizes.tolist())) for sizes in later}
    assert len(orders) > 1
    assert {frozenset(order) for order in orders} == {frozenset(size.tolist())}
    assert all((np.maximum.accumulate(sizes) <= 2 * sizes).all() for sizes in later)


@needs_mpi
def test_a_job_killed_half_way_keeps_its_samples(tmp_path: Path) -> None:
    out = tmp_path / "run"
    slow = ["--set", "steps.pingpong.stop={rule='time', trial='100 ms', trials=8}"]
    over = ["--transport", "mpi", "--mpi", INSTALLED[0], "--out", out, "--launches", "1"]
    running = start("run", "latency", "--on", "local:", *over, *slow)
    try:
        os.kill(rank_of(running.pid, out), signal.SIGKILL)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 1
    run = RunFolder.open(out)
    phases = set(run.samples.column("phase").to_pylist())
    assert phases and phases < {0, 1, 2, 3}
    assert run.meta.status == "partial"
    assert "the MPI job" in said and "mpi-lost" in {one.code for one in run.meta.warnings}
    weft_json("run", "--resume", out)
    assert set(RunFolder.open(out).samples.column("phase").to_pylist()) == {0, 1, 2, 3}


def rank_of(pid: int, out: Path) -> int:
    """A rank's process, once the first phase is on the disk."""

    def ranks() -> list[int]:
        found = [child for child, name in descendants(pid) if name == program.NAME]
        return found if (out / "run.json").exists() and RunFolder.open(out).samples.num_rows else []

    return wait_for(ranks, 60)[-1]


def test_no_mpicc_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RequestError, match=r"no mpicc\.openmpi or mpicc in PATH"):
        find_toolchain("openmpi")


@needs_both
def test_an_mpicc_that_differs_from_its_mpirun_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, real in (("mpicc", "mpicc.openmpi"), ("mpirun", "mpirun.mpich")):
        found = shutil.which(real)
        assert found
        (tmp_path / name).symlink_to(Path(found).resolve())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RequestError, match="mpicc and mpirun differ") as caught:
        find_toolchain(None)
    assert "Open MPI" in caught.value.message and "MPICH" in caught.value.message


@needs_mpi
def test_a_program_that_cannot_be_compiled_is_named_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.c").write_text("#include <no-such-header.h>\n")
    monkeypatch.setattr(program, "SOURCE", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(RequestError, match=r"cannot compile weft's program: .*no-such-header"):
        program.compiled(find_toolchain(INSTALLED[0]))
    assert not list((tmp_path / "cache").rglob(program.NAME))


@needs_mpi
@pytest.mark.parametrize(
    ("plan", "on", "said"),
    [
        ("latency", "sim:pair", "only TCP is simulated"),
        ("latency", "mpirun:localhost,127.0.0.1", "another mpirun"),
    ],
)
def test_what_mpi_is_not_for_is_refused(tmp_path: Path, plan: str, on: str, said: str) -> None:
    over = ["--on", on, "--transport", "mpi", "--out", tmp_path / "r"]
    assert said in refusal("run", plan, *over)
