"""How the agent's program gets to a node: real shells, real processes, real damage."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.clusters.hosts import errors_of, local_nodes, only_error, start_all
from support.command import WEFT, run
from support.made.cases import cases
from weft.base.binaries import find
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.hosts import turns
from weft.measure.testbed.hosts.delivery import start_argv
from weft.measure.testbed.hosts.program import agent_program, agent_programs
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed

DAMAGE = """
import os, subprocess, sys
times = int(sys.argv[1])
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE)
while piece := bytearray(os.read(0, 65536)):
    if piece.startswith(b"\\x7fELF") and times > 0:
        times -= 1
        piece[100] ^= 1
    child.stdin.write(piece)
    child.stdin.flush()
child.stdin.close()
child.wait()
"""
"""Passes its input on, with a bit of the first so many programs in it turned over."""


def cached(folder: Path) -> list[Path]:
    return list((folder / "cache" / f"weft-{os.getuid()}").glob("*"))


def test_the_agent_is_copied_once_under_its_hash_and_kept(tmp_path: Path) -> None:
    spec = local_nodes(tmp_path, "n1")
    assert not errors_of(start_all(spec))
    (program,) = cached(tmp_path)
    assert program.name == f"weft-probe-{agent_program().digest}"
    assert program.read_bytes() == agent_program().content
    before = program.stat().st_mtime_ns
    assert not errors_of(start_all(spec))
    assert program.stat().st_mtime_ns == before
    # What spoils it is noticed and mended.
    program.write_bytes(program.read_bytes()[:-1] + b"x")
    assert not errors_of(start_all(spec))
    assert program.read_bytes() == agent_program().content


def test_many_that_copy_at_the_same_time_do_not_disturb_each_other(tmp_path: Path) -> None:
    assert not errors_of(start_all(local_nodes(tmp_path, "n[1-8]")))
    assert len(cached(tmp_path)) == 1


@pytest.mark.parametrize(("times", "starts"), [(1, True), (2, False)])
def test_damage_on_the_way_is_tried_again_once_and_then_named(
    tmp_path: Path, times: int, starts: bool
) -> None:
    script = tmp_path / "damage.py"
    script.write_text(DAMAGE)
    command = f"{sys.executable} {script} {times} env NODE={{node}}"
    started = start_all(local_nodes(tmp_path, "n1", command))
    if starts:
        assert isinstance(started["n1"], Agent)
    else:
        error = errors_of(started)["n1"]
        assert error.code == "agent-damaged"
        assert "the agent arrived damaged twice" in error.message
        assert cached(tmp_path) == []


def test_a_login_that_is_cut_off_leaves_nothing_half_written(tmp_path: Path) -> None:
    command = [*start_argv(agent_programs(), str(tmp_path / "cache"), [])]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin and process.stdout
    assert process.stdout.readline() == b"weft-start need x86_64\n"
    process.stdin.write(agent_program().content[:1_000_000])
    process.stdin.flush()
    while not cached(tmp_path):
        time.sleep(0.01)
    process.terminate()
    process.stdin.close()
    assert process.wait(10) == 98
    assert cached(tmp_path) == []


def test_another_architecture_is_refused_by_name_before_anything_is_copied(tmp_path: Path) -> None:
    error = only_error(local_nodes(tmp_path, "n1", "setarch i686 env NODE={node}"))
    assert error.code == "agent-architecture"
    assert error.message == "n1: its architecture is i686, the agent is built for x86_64"
    assert not (tmp_path / "cache").exists()


MIXED = "sh -c 'case {node} in n[12]) exec {command};; esac; exec setarch i686 {command}'"


@pytest.mark.parametrize("top", ["", "tree = 2"])
def test_a_node_gets_the_program_for_its_architecture_also_from_a_relay_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, top: str
) -> None:
    folder = tmp_path / "bin"
    (folder / "i686").mkdir(parents=True)
    (folder / "weft-probe").symlink_to(find("weft-probe"))
    # It runs on this machine, and is another program by its hash.
    (folder / "i686" / "weft-probe").write_bytes(agent_program().content + b"i686")
    monkeypatch.setenv("WEFT_BIN", str(folder))
    other = agent_programs()["i686"]
    assert not errors_of(start_all(local_nodes(tmp_path, "n[1-8]", MIXED, top=top)))
    digests = {agent_program().digest, other.digest}
    assert {one.name for one in cached(tmp_path)} == {f"weft-probe-{one}" for one in digests}


def test_a_greeting_of_the_login_shell_is_passed_over(tmp_path: Path) -> None:
    command = "sh -c 'echo Welcome to {node}; printf no-line-end; exec {command}'"
    assert not errors_of(start_all(local_nodes(tmp_path, "n1", command)))


def test_what_a_login_leaves_behind_with_its_pipes_holds_up_nothing(tmp_path: Path) -> None:
    command = "sh -c 'setsid sleep 20 & : {node}; exec {command}'"
    began = time.monotonic()
    assert not errors_of(start_all(local_nodes(tmp_path, "n1", command)))
    assert time.monotonic() - began < 10


def test_a_login_that_talks_without_end_is_given_up(tmp_path: Path) -> None:
    assert only_error(local_nodes(tmp_path, "n1", "sh -c 'yes {node}'")).code == "agent-garbled"


@pytest.mark.parametrize(("command", "code", "says"), cases("requests", "obstacles"))
def test_each_obstacle_is_named(tmp_path: Path, command: str, code: str, says: str) -> None:
    error = only_error(local_nodes(tmp_path, "n1", command, cache=None))
    assert (error.code, error.node) == (code, "n1")
    assert says in error.message


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system with so many KiB and such options."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", request.param, "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("file systems can only be mounted by root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize(
    ("small_disk", "code", "says"),
    [
        ("size=1m", "agent-disk", "No space left on device"),
        ("size=9m,noexec", "agent-noexec", "does not let programs run"),
        ("size=9m,ro", "agent-folder", "Read-only file system"),
    ],
    indirect=["small_disk"],
)
def test_a_disk_that_does_not_take_the_agent_is_named(
    tmp_path: Path, small_disk: Path, code: str, says: str
) -> None:
    error = only_error(local_nodes(tmp_path, "n1", cache=small_disk))
    assert error.code == code
    assert says in error.message
    assert str(small_disk) in error.message
    assert not list(small_disk.rglob("*.*.*"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be two users")
def test_two_users_with_one_cache_do_not_collide(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(parent.stat().st_mode | 0o055)
    other = "setpriv --reuid=65534 --regid=65534 --clear-groups env NODE={node}"
    assert not errors_of(start_all(local_nodes(tmp_path, "n1", cache=shared)))
    assert not errors_of(start_all(local_nodes(tmp_path, "n1", other, cache=shared)))
    assert sorted(folder.name for folder in shared.iterdir()) == ["weft-0", "weft-65534"]
    os.chown(shared / "weft-0", 65534, 65534)
    error = only_error(local_nodes(tmp_path, "n1", cache=shared))
    assert error.code == "agent-owner"
    assert "belongs to another user" in error.message
    (shared / "weft-0").rename(tmp_path / "own")
    os.chown(tmp_path / "own", 0, 0)
    (shared / "weft-0").symlink_to(tmp_path / "own")
    error = only_error(local_nodes(tmp_path, "n1", cache=shared))
    assert error.code == "agent-owner" and "is a link" in error.message


def test_a_host_that_hangs_at_login_does_not_hold_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "HOLD_S", 0.5)
    command = "sh -c 'case {node} in hang*) exec sleep 60;; esac; exec {command}'"
    spec = local_nodes(tmp_path, "hang[1-6],n[1-6]", command, "deadline_s = 3", "at_once = 2")
    began = time.monotonic()
    started = start_all(spec)
    # One after the other they would take 9 s, in pairs.
    assert time.monotonic() - began < 8
    errors = errors_of(started)
    assert sorted(errors) == [f"hang{number}" for number in range(1, 7)]
    assert {error.code for error in errors.values()} == {"agent-login-silent"}
    assert errors["hang1"].message == "hang1: the login took longer than 3 s"


def test_logins_that_are_dropped_as_too_many_at_a_time_are_tried_again(tmp_path: Path) -> None:
    says = "kex_exchange_identification: read: Connection reset by peer"
    drops = f'mkdir {tmp_path}/{{node}} 2>/dev/null && {{ echo "{says}" >&2; exit 255; }}'
    shuts = f'case {{node}} in shut) echo "{says}" >&2; exit 255;; esac'
    command = f"sh -c '{drops}; {shuts}; exec {{command}}' ssh"
    errors = errors_of(start_all(local_nodes(tmp_path, "n[1-12],shut", command)))
    assert {name: error.code for name, error in errors.items()} == {"shut": "agent-login-dropped"}


def test_nodes_for_which_there_are_not_enough_files_are_named_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    spec = local_nodes(tmp_path, "n[1-5]")
    limited = ["prlimit", "--nofile=268:268", *WEFT, "run", "ring", "--launches", "1"]
    quick = ["--set", "steps.ring.stop.trial=20 ms", "--out", str(tmp_path / "r")]
    done = run([*limited, "--on", spec, *quick])
    assert "n[4-5]: this machine lets a program open 268 files" in done.stderr
    assert "enough for 3 logins" in done.stderr
    rows = RunFolder.open(tmp_path / "r").samples.to_pylist()
    assert {node for row in rows for node in (row["src"], row["dst"])} == {0, 1, 2}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
def test_a_user_who_may_have_no_more_processes_is_told(tmp_path: Path) -> None:
    prepare = "resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)); os.setuid(54321)"
    start = "asyncio.run(start_process('n1', ['true']))"
    imports = (
        "import asyncio, os, resource; from weft.measure.testbed.agent.agent import start_process"
    )
    script = f"{imports}; {prepare}; {start}"
    done = run([sys.executable, "-c", script])
    assert "n1: this machine lets you have no more processes (`ulimit -u`)" in done.stderr
