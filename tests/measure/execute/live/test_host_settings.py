"""Settings of nodes are changed for a step, and are as before whatever happens."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from support.clusters.namespaces import inside, settings_of, spec_of, two_namespaces
from support.command import descendants, start, weft
from support.here import refusal
from support.live.waiting import agents, wait_for
from weft.knobs.catalog import knobs
from weft.measure.execute.host_settings import look, undo
from weft.measure.execute.host_settings.journal import Journal, folder
from weft.measure.testbed.open import open_testbed
from weft.runs.folder import RunFolder

pytestmark = pytest.mark.timed

PLAN = """
name = "settings"
title = "Settings"
launches = 1
[[steps]]
name = "first"
pattern = "pingpong"
sizes = ["1 B"]
stop = { rule = "count", repeats = 10, trials = 1 }
[steps.options]
mss = "900 B"
pacing = "80 Mb/s"
knobs = { mtu = "1400", tcp_rmem = "4096 131072 1000000", "rps_cpus@1" = "2" }
[[steps]]
name = "second"
pattern = "pingpong"
sizes = ["1 B"]
stop = { rule = "count", repeats = 10, trials = 1 }
options = { knobs = { mtu = "1400" } }
"""
LONG = PLAN.replace("repeats = 10", "repeats = 100000000").replace("trials = 1", "trials = 1000")


@pytest.fixture(scope="module")
def names() -> Iterator[tuple[str, str]]:
    with two_namespaces() as names:
        yield names


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Journals of a test stay in its folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("SSH_CONNECTION", raising=False)


@pytest.fixture
def running(names: tuple[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that has changed the settings of its first step and goes on for hours."""
    path = tmp_path / "long.toml"
    path.write_text(LONG)
    before = list(map(settings_of, names))
    process = start("run", path, "--on", spec_of(names), "--out", tmp_path / "r")
    try:
        wait_for(lambda: all(settings_of(name)["tcp_rmem"].endswith(" 1000000") for name in names))
        wait_for(
            lambda: (
                settings_of(names[1])["mtu"] == "1400" and (tmp_path / "r/samples.arrows").exists()
            )
        )
        yield process
    finally:
        process.kill()
        process.communicate()
        wait_for(lambda: undo() is not None and list(map(settings_of, names)) == before)


def test_a_step_s_settings_are_read_back_and_put_back(
    names: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(PLAN)
    before = list(map(settings_of, names))
    done = weft("run", tmp_path / "p.toml", "--on", spec_of(names), "--out", tmp_path / "r")
    assert done.returncode == 0, done.stderr
    meta = RunFolder.open(tmp_path / "r").meta
    assert not [one for one in meta.warnings if one.code.startswith(("settings", "knob"))]
    found = {(one["step"], one["node"]): one["settings"] for one in meta.effective}
    first, second = found[0, names[1]], found[1, names[1]]
    assert first["knobs"] == {"mtu": "1400", "tcp_rmem": "4096 131072 1000000", "rps_cpus": "2"}
    assert (first["pacing_bits_per_s"], first["mss_bytes"] <= 900) == (80_000_000, True)
    assert (second["knobs"], "pacing_bits_per_s" in second) == ({"mtu": "1400"}, False)
    assert "rps_cpus" not in found[0, names[0]]["knobs"]
    assert list(map(settings_of, names)) == before
    assert not list((tmp_path / "state").rglob("*.json*"))


def test_the_guard_puts_back_what_a_killed_agent_had_changed(
    names: tuple[str, str], running: subprocess.Popen[str]
) -> None:
    os.kill(running.pid, signal.SIGSTOP)  # So that only the guard can do it.
    own = folder().parent / "settings-of-node"
    for left, (agent, name) in enumerate(zip(agents(running.pid), names, strict=True)):
        # One after the other, though both nodes are this machine: each guard has a journal of its own.
        assert len(list(own.iterdir())) == 2 - left
        os.kill(agent, signal.SIGKILL)
        wait_for(lambda left=left: len(list(own.iterdir())) == 1 - left)
        assert settings_of(name)["mtu"] == "1500"


def test_a_killed_coordinator_leaves_the_nodes_as_they_were(
    names: tuple[str, str], running: subprocess.Popen[str]
) -> None:
    running.kill()
    wait_for(lambda: [settings_of(name)["mtu"] for name in names] == ["1500", "1500"])


def test_an_interrupt_puts_settings_back_before_the_end(
    names: tuple[str, str], running: subprocess.Popen[str]
) -> None:
    running.terminate()
    running.communicate(timeout=30)
    assert [settings_of(name)["mtu"] for name in names] == ["1500", "1500"]
    assert not list(folder().iterdir())


def test_undo_puts_back_after_all_of_weft_was_killed_and_overwrites_nothing_of_others(
    names: tuple[str, str], running: subprocess.Popen[str]
) -> None:
    kill_all(running)
    inside(names[0], "echo 1300 > /sys/class/net/e0/mtu")
    found = {(one.node, one.knob): one for one in undo()}
    assert found[names[0], "mtu"].outcome == "changed"
    assert "another program has changed it" in found[names[0], "mtu"].text
    assert settings_of(names[0])["mtu"] == "1300"
    assert found[names[1], "mtu"].outcome == "restored"
    assert found[names[1], "rps_cpus"].outcome == "restored"
    assert undo() == []
    inside(names[0], "echo 1500 > /sys/class/net/e0/mtu")


def test_undo_after_a_reboot_says_so_and_changes_nothing(
    names: tuple[str, str], running: subprocess.Popen[str]
) -> None:
    kill_all(running)
    (path,) = folder().iterdir()
    journal = msgspec.json.decode(path.read_bytes().splitlines()[-1], type=Journal)
    for one in journal.nodes:
        one.boot = "another"
    kept = path.read_bytes()
    path.write_bytes(msgspec.json.encode(journal) + b"\n")
    assert {one.outcome for one in undo()} == {"gone"}
    assert settings_of(names[1])["mtu"] == "1400"
    path.write_bytes(kept)
    assert {one.outcome for one in undo()} == {"restored"}


def kill_all(running: subprocess.Popen[str]) -> None:
    """The coordinator, its agents and their guards, without a moment in which one could act for another."""
    found = [running.pid, *(pid for pid, _ in descendants(running.pid))]
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    running.communicate()


def test_the_interface_that_ssh_came_in_on_is_left_alone(
    names: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "10.9.9.2 50000 10.9.9.1 22")
    wanted = [knobs()[name] for name in ("mtu", "tcp_rmem", "netdev_max_backlog", "rx_ring")]
    with open_testbed(spec_of(names)) as testbed:
        found = look(testbed, wanted)
        allowed = look(testbed, wanted[:1], anyway=True)
    here = found[names[0]]
    assert (here["mtu"].value, here["mtu"].why_not) == ("1500", "ssh came in on e0")
    assert (found[names[1]]["mtu"].why_not, here["tcp_rmem"].why_not) == ("", "")
    assert allowed[names[0]]["mtu"].why_not == ""
    # Of a namespace the kernel shows what belongs to the host, or hides it; a veth has no rings.
    assert here["netdev_max_backlog"].why_not and here["rx_ring"].why_not


@pytest.mark.parametrize(
    ("knob", "says"),
    [
        ("mtuu", "did you mean mtu?"),
        ("send_buffer", "set options.send_buffer"),
        ("mtu@7", "nodes are 0 to 1"),
    ],
)
def test_a_wrong_knob_is_refused_before_anything_starts(
    knob: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(
        PLAN.replace('{ mtu = "1400" }', json.dumps({knob: "1"}).replace(":", " ="))
    )
    assert says in refusal("run", tmp_path / "p.toml", "--on", "local:2")


def test_where_no_journal_may_be_kept_nothing_is_changed_and_nothing_else_said(
    names: tuple[str, str], tmp_path: Path
) -> None:
    state = tmp_path / "state/weft"
    state.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (state / "settings-of-node").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "p.toml").write_text(PLAN)
    before = list(map(settings_of, names))
    done = weft("run", tmp_path / "p.toml", "--on", spec_of(names), "--out", tmp_path / "r")
    assert done.returncode == 1
    codes = [one.code for one in RunFolder.open(tmp_path / "r").meta.warnings]
    assert "knob-refused" in codes and "settings-not-restored" not in codes
    assert list(map(settings_of, names)) == before
    assert not list(folder().iterdir()) and not list((tmp_path / "elsewhere").iterdir())
