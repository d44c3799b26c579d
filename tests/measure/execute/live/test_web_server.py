"""A web server that is a real program: started, requested pages of, measured, stopped, and what goes wrong."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from base.test_table import check
from support.clusters.hosts import local_nodes
from support.command import start, weft
from support.here import refusal, weft_json
from support.live.waiting import agents, wait_for, wait_for_samples
from support.live.web_servers import servers
from weft.measure.execute.kinds.every import kind_of
from weft.plan.load import load_plan
from weft.runs.folder import RunFolder
from weft.understand.kinds.loads.web import web_points

pytestmark = pytest.mark.timed

needs_apache = pytest.mark.skipif(not shutil.which("apache2"), reason="apache2 is not installed")
QUICK = ["--set", "steps.webserver.time='400 ms'", "--set", "steps.webserver.think='20 ms'"]


def gone(folders: set[Path]) -> bool:
    """Whether no server of these folders runs, and none of them is there."""
    running = set(servers().values())
    return not (running & folders) and not any(folder.exists() for folder in folders)


def start_long(folder: Path, on: str = "local:2") -> tuple[subprocess.Popen[str], set[Path]]:
    """A run in which the server is used for long, and the folder of its server."""
    before = set(servers().values())
    process = start(
        "run", "webserver", "--on", on, "--users", "[2, 3]", "--out", folder, "--json",
        *("--set", "steps.webserver.think='5 ms'", "--set", "steps.webserver.time='1 s'"),
    )  # fmt: skip
    wait_for_samples(folder)
    return process, set(servers().values()) - before


def run(folder: Path, *more: str) -> Any:
    return weft_json("run", "webserver", "--on", "local:2", "--out", folder, *QUICK, *more)


@needs_apache
@pytest.mark.smoke("apache2")
def test_pages_of_a_real_server_are_counted_in_both_loops(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    asked = ["--users", "4", "--page", "300 kB", "--launches", "2", "--server", "apache"]
    done = run(folder, *asked, "--set", "steps.webserver.think='5 ms'")
    assert done["status"] == "complete"
    opened, closed = web_points(RunFolder.open(folder), [])
    for point in (opened, closed):
        assert point.live and (point.users, point.page_bytes) == (4, 300_000)
        assert (point.live.launches, point.live.server, point.live.errors) == (2, "apache", 0)
        times = point.live.response_us
        assert times["median"].median <= times["p99"].median <= times["p999"].median
        # The kernel counts it in ticks of 10 ms; all pages of a launch take several.
        costs = point.live.processor_us
        assert costs["server, user"].median + costs["server, system"].median > 0
    # An open loop asks for 4 pages in 5 ms; a machine that is busy serves fewer.
    assert 0 < opened.pages_per_s < 1.35 * 800
    assert closed.live and closed.live.loop == "closed"
    shown = weft("show", folder).stdout
    assert "apache, open loop, pages of 300000 B" in shown and "processor time for a page" in shown
    check(RunFolder.open(folder), {"web", "page_costs"})
    point = weft_json("show", folder)["points"][0]
    assert point["response_intervals_us"]["p99"]["low"] <= point["response_us"]["p99"]
    assert not set(servers().values()), "the server goes with the run"


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
def test_nginx_serves_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(folder, "--users", "4", "--launches", "1", "--server", "nginx")
    points = web_points(RunFolder.open(folder), [])
    assert [one.live and one.live.server for one in points] == ["nginx", "nginx"]


@needs_apache
@pytest.mark.parametrize("victim", ["coordinator", "agent"])
def test_nothing_stays_of_a_run_that_is_killed(tmp_path: Path, victim: str) -> None:
    process, folders = start_long(tmp_path / "run")
    assert len(folders) == 1
    if victim == "coordinator":
        process.kill()
    else:
        for agent in agents(process.pid):
            os.kill(agent, signal.SIGKILL)
    wait_for(lambda: gone(folders))
    process.kill()
    process.communicate()
    wait_for(lambda: not servers())


@needs_apache
def test_nothing_stays_of_a_run_whose_lab_is_taken_down(tmp_path: Path) -> None:
    lab = "fast-ethernet-pair"
    assert weft("lab", "up", lab).returncode == 0
    process, folders = start_long(tmp_path / "run", f"lab:{lab}")
    assert weft("lab", "down", lab).returncode == 0
    assert len(folders) == 1 and gone(folders)
    process.communicate(timeout=60)


@needs_apache
def test_a_server_that_dies_is_named_and_what_was_measured_is_kept(tmp_path: Path) -> None:
    process, folders = start_long(tmp_path / "run")
    (folder,) = folders
    for server in [pid for pid, one in servers().items() if one == folder]:
        os.kill(server, signal.SIGKILL)
    said = json.loads(process.communicate(timeout=60)[0])
    assert said["status"] in ("partial", "failed")
    messages = [one["message"] for one in said["warnings"]]
    assert any(
        "the web server apache2 ended while it was used: signal: 9" in one for one in messages
    )
    assert len(RunFolder.open(tmp_path / "run").samples) >= 1


@needs_apache
def test_a_port_that_is_taken_is_said_before_anything_is_measured(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        spec = local_nodes(tmp_path, "n[1-2]")
        file = Path(spec.partition(":")[2])
        # Each node has ports of its own where nodes share an address.
        file.write_text(file.read_text().replace('"127.0.0.1"', '"127.0.0.[1-2]"'))
        with socket.create_server(("127.0.0.2", port)):
            said = refusal(
                *("run", "webserver", "--on", spec, "--ports", f"{port}", "--out", tmp_path / "run")
            )
    assert f"no port of {port} is free on 127.0.0.2 for the web server" in said
    assert not (tmp_path / "run").exists()


def test_a_server_that_is_not_installed_is_named_by_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("nginx"):
        pytest.skip("nginx is installed")
    said = refusal("run", "webserver", "--on", "local:2", "--server", "nginx")
    assert "nginx is not installed here: install the package nginx" in said


@needs_apache
def test_a_stall_counts_in_the_open_loop(tmp_path: Path) -> None:
    """All processes of the server stop for a while: requests that were due meanwhile waited for the rest of it."""
    stall_s, time_s, folder = 0.5, 4.0, tmp_path / "run"
    process = start(
        "run", "webserver", "--on", "local:2", "--users", "20", "--out", folder, "--json",
        *("--set", "steps.webserver.think='20 ms'", "--set", f"steps.webserver.time='{time_s:g} s'"),
        *("--launches", "1", "--set", "steps.webserver.loop=open"),
    )  # fmt: skip
    wait_for(lambda: (folder / "run.json").exists())
    time.sleep(2)
    mine = servers()
    for now, lasts_s in ((signal.SIGSTOP, stall_s), (signal.SIGCONT, 0)):
        for server in mine:
            os.kill(server, now)
        time.sleep(lasts_s)
    process.communicate(timeout=60)
    (point,) = web_points(RunFolder.open(folder), [])
    # They are due at any time: one in a hundred of all waited for all of the stall but a hundredth of the time.
    expected_us = (stall_s - 0.01 * time_s) * 1e6
    assert point.p99_us == pytest.approx(expected_us, rel=0.15)


def test_a_step_that_leaves_the_loop_open_becomes_two() -> None:
    (step,) = load_plan("webserver").steps
    steps = kind_of(step).live_steps()
    assert [(one.name, one.pattern.arrivals) for one in steps] == [  # type: ignore[union-attr]
        ("webserver", "open"),
        ("webserver-closed", "closed"),
    ]


def test_a_simulated_server_is_no_program(tmp_path: Path) -> None:
    said = refusal("run", "webserver", "--on", "node:p4-400-base", "--server", "nginx")
    assert "server is of a real web server" in said
