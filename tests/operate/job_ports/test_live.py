"""Real jobs: what is left of one that is ended, one that fails now and then, and Open MPI behind its rules."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

import weft
from support.command import WEFT
from support.live.waiting import wait_for
from weft.operate.job_ports.ask import PortsQuestion, ask

JOB = Path(__file__).parents[3] / "bench/common/peers/ports_job.c"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="hosts of a lab get names by root only")


def living(word: str) -> list[str]:
    """The processes with a word among their arguments."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in words:
            found.append(entry.name)
    return found


@pytest.mark.timed
def test_nothing_is_left_of_a_job_whose_watch_is_ended() -> None:
    seconds = f"{3000 + os.getpid()}.5"
    job = ["sh", "-c", f"trap '' TERM; sleep {seconds} & sleep {seconds}"]
    # As a shell has it for what it starts in the background.
    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)
    watch = subprocess.Popen([*WEFT, "ports", "--on", "local:", "--", *job])
    signal.signal(signal.SIGINT, ignored)
    wait_for(lambda: len(living(seconds)) == 2)
    watch.send_signal(signal.SIGTERM)
    assert watch.wait(20) == 130
    assert living(seconds) == []


@pytest.mark.timed
def test_a_job_that_takes_too_long_is_ended_and_what_was_seen_is_printed() -> None:
    job = ["sh", "-c", "sleep 300"]
    command = [*WEFT, "ports", "--on", "local:", "--limit", "1", "--", *job]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "did not end after 1." in done.stdout and "rules let it pass" in done.stdout


@pytest.mark.timed
def test_what_outlives_a_job_is_named() -> None:
    usage = weft.ports(["sh", "-c", "setsid sleep 2 & exec sleep 0.3"], on="local:").found.usage
    assert [one.program for one in usage.left] == ["sleep"]
    os.kill(usage.left[0].pid, signal.SIGKILL)


@needs_root
@pytest.mark.timed
def test_a_job_that_fails_now_and_then_is_called_so(own_registry: None, tmp_path: Path) -> None:
    """The second of its runs fails, where nothing is dropped."""
    script = f"echo >> {tmp_path}/runs; test $(wc -l < {tmp_path}/runs) -ne 2"
    answer = ask(PortsQuestion(command=("sh", "-c", script), on="lab:pair", check=True))
    assert answer.verdict and (answer.verdict.passed, answer.verdict.runs) == (True, 2)


@needs_root
@pytest.mark.alone
@pytest.mark.cluster
def test_open_mpi_passes_with_its_rules_and_fails_without_any_one(
    own_registry: None, tmp_path: Path
) -> None:
    if missing := [one for one in ("mpicc.openmpi", "nft", "sshd") if not shutil.which(one)]:
        pytest.skip(f"{', '.join(missing)} is not installed")
    program = tmp_path / "job"
    subprocess.run(["mpicc.openmpi", "-o", str(program), str(JOB)], check=True)
    command = ["mpirun.openmpi", "-n", "4", "--host", "n1:2,n2:2", str(program)]
    found = weft.ports(command, on="lab:pair", ports="40000-40063", each=True, limit_s=20)
    assert found.found.usage.ranks == {"n1": 2, "n2": 2}
    assert [one.text for one in found.rules] == [
        "tcp from n1 to n2, port 22",
        "tcp from n2 to n1, port 40000-40015",
        "tcp from n[1-2] to n[1-2], port 40016-40063",
    ]
    with_all, *without = found.verdicts
    assert with_all.passed and len(without) == 3
    assert all(not one.passed and one.names_the_rule for one in without)
    assert len(found.connections) >= 4
