"""Plans through a real Slurm: controller, munge and several slurmd on this machine."""

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.clusters.slurm import Slurm, is_possible
from support.command import WEFT
from support.live.waiting import wait_for, wait_for_samples
from weft.runs.folder import RunFolder

pytestmark = [
    pytest.mark.timed,
    pytest.mark.skipif(bool(is_possible()), reason=is_possible()),
]

QUICK = ["signature", "--launches", "2", "--set", "steps.pingpong.sizes=['1 B', '1 KiB']"]
RING = ["ring", "--launches", "1", "--set", "steps.ring.stop.trial=50 ms"]


def said_by(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.smoke("slurmctld", "munged")
def test_outside_of_an_allocation_one_is_asked_for_and_released(
    here: Slurm, tmp_path: Path
) -> None:
    two = ["--on", "slurm:", "--nodes", "2", "--out", tmp_path / "r", "--json"]
    done = here.weft("run", *QUICK, *two)
    assert said_by(done)["status"] == "complete", done.stderr
    measured = RunFolder.open(tmp_path / "r").meta
    assert [node["name"] for node in measured.nodes] == ["s1", "s2"]
    assert [node["address"] for node in measured.nodes] == ["127.0.0.11", "127.0.0.12"]
    assert here.jobs() == []


@pytest.mark.cluster
def test_inside_an_allocation_it_is_used(here: Slurm, tmp_path: Path) -> None:
    command = [*WEFT, "run", *RING, "--on", "slurm:", "--out", str(tmp_path / "r"), "--json"]
    done = here.run("salloc", "--quiet", "--nodes=3", *command)
    assert said_by(done)["status"] == "complete", done.stderr
    assert len(RunFolder.open(tmp_path / "r").meta.nodes) == 3


def test_a_dry_run_asks_slurm_for_nothing(here: Slurm) -> None:
    done = here.weft("run", *QUICK, "--on", "slurm:--partition=debug", "--nodes", "2", "--dry-run")
    assert done.returncode == 2
    assert "salloc --nodes=2 --partition=debug" in done.stderr
    assert here.jobs() == []


def test_a_run_is_resumed_on_the_nodes_that_it_was_measured_on(here: Slurm, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    command = [*WEFT, "run", *QUICK, "--on", "slurm:", "--out", str(folder), "--json"]
    done = here.run("salloc", "--quiet", "--nodelist=s3,s4", *command)
    assert said_by(done)["status"] == "complete", done.stderr
    meta = RunFolder.open(folder).meta
    meta.status = "partial"
    meta.write(folder)
    elsewhere = here.run("salloc", "--quiet", "--nodelist=s1,s2", *WEFT, "run", "--resume", folder)
    assert elsewhere.returncode == 2
    assert "has no s3, on which this run was measured" in elsewhere.stderr
    assert "salloc --nodelist=s3,s4" in elsewhere.stderr
    again = here.weft("run", "--resume", folder, "--json")
    assert said_by(again)["status"] == "complete", again.stderr
    assert here.jobs() == []


@pytest.mark.cluster
def test_what_salloc_refuses_is_passed_on(here: Slurm, tmp_path: Path) -> None:
    done = here.weft("run", *QUICK, "--on", "slurm:--partition=nosuch", "--nodes", "2")
    assert done.returncode == 1
    assert "invalid partition specified" in done.stderr
    assert "it was asked with: salloc --nodes=2 --partition=nosuch" in done.stderr


@pytest.mark.cluster
def test_more_nodes_than_there_are_is_refused_and_nothing_stays(here: Slurm) -> None:
    done = here.run(
        "salloc", "--quiet", "--nodes=2", *WEFT, "run", *RING, "--on", "slurm:", "--nodes", "3"
    )
    assert done.returncode == 2
    assert "has 2" in done.stderr


def signature_of_two(
    here: Slurm, out: Path, on: str = "slurm:", *arguments: str
) -> subprocess.Popen[str]:
    """A run that goes on while the test does something to it."""
    run = [*WEFT, "run", "signature", "--on", on, "--nodes", "2", "--out", str(out), "--json"]
    return subprocess.Popen(
        [*run, *arguments],
        env=here.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def job_with_samples(here: Slurm, out: Path) -> str:
    """The number of the only job, once its run has samples on the disk."""
    wait_for_samples(out, 3000)
    (job,) = here.jobs()
    return job.split()[0]


@pytest.mark.cluster
def test_a_weft_that_is_killed_leaves_no_allocation(here: Slurm, tmp_path: Path) -> None:
    process = signature_of_two(here, tmp_path / "r")
    wait_for(here.jobs)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_for(lambda: here.jobs() == [])


@pytest.mark.cluster
def test_when_the_job_ends_the_samples_so_far_are_kept(here: Slurm, tmp_path: Path) -> None:
    process = signature_of_two(here, tmp_path / "r")
    here.run("scancel", job_with_samples(here, tmp_path / "r"))
    said = json.loads(process.communicate(timeout=60)[0])
    assert process.returncode == 1
    assert said["status"] == "partial"
    assert any("its Slurm job is over" in warning["message"] for warning in said["warnings"])
    assert RunFolder.open(tmp_path / "r").samples.num_rows > 0


@pytest.mark.cluster
def test_when_the_time_limit_is_reached_the_samples_so_far_are_kept(
    here: Slurm, tmp_path: Path
) -> None:
    process = signature_of_two(here, tmp_path / "r", "slurm:--time=1", "--launches", "30")
    number = job_with_samples(here, tmp_path / "r")
    # Slurm's shortest limit is a minute, and the job has had enough of it.
    assert here.run("scontrol", "update", f"JobId={number}", "EndTime=now+1").returncode == 0
    said = json.loads(process.communicate(timeout=120)[0])
    assert (process.returncode, said["status"]) == (1, "partial")
    assert "JobState=TIMEOUT" in here.run("scontrol", "show", "job", number).stdout
    # Slurm says that it was the time limit to what runs then; what begins a moment later hears that the job is over.
    known = "the time limit of its Slurm job was reached|its Slurm job is over"
    assert re.search(known, said["warnings"][0]["message"])
    assert RunFolder.open(tmp_path / "r").samples.num_rows > 0
