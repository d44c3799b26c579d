"""What the tools that are installed here print today, on loopback."""

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.importing import imported, latencies_us, rates_mbps

pytestmark = pytest.mark.timed

HOME = "127.0.0.1"


def tool(program: str) -> Callable[[Callable], Callable]:
    """A test of a program, where that is installed."""
    missing = pytest.mark.skipif(shutil.which(program) is None, reason=f"no {program} here")
    return lambda test: pytest.mark.smoke(program)(missing(test))


def free_port() -> int:
    with socket.create_server((HOME, 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def serving(*command: str, port: int) -> Iterator[None]:
    """A server until it is not needed any more, once it listens."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while not _listens(port):
            assert server.poll() is None and time.monotonic() < deadline, command
            time.sleep(0.05)
        yield
    finally:
        server.kill()
        server.wait()


def _listens(port: int) -> bool:
    """Without connecting, which some servers would take for their only client."""
    tables = (Path("/proc/net/tcp").read_text(), Path("/proc/net/tcp6").read_text())
    listening = [line for table in tables for line in table.splitlines() if " 0A " in line]
    return any(f":{port:04X} " in line for line in listening)


def output(*command: str, stderr: bool = False) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stderr if stderr else done.stdout


@tool("NPtcp")
def test_netpipe(tmp_path: Path) -> None:
    port = free_port()
    file = tmp_path / "np.out"
    with serving("NPtcp", "-P", str(port), port=port):
        output("NPtcp", "-h", HOME, "-P", str(port), "-u", "1024", "-n", "20", "-o", str(file))
    times = latencies_us(imported(tmp_path, "netpipe", file.read_text()))
    assert {1, 1024} < set(times) and all(0.1 < time_us < 1e5 for time_us in times.values())


@tool("iperf3")
def test_iperf3(tmp_path: Path) -> None:
    port = free_port()
    with serving("iperf3", "-s", "-B", HOME, "-p", str(port), port=port):
        text = output("iperf3", "-c", HOME, "-p", str(port), "-t", "1", "-l", "64K", "-J")
    assert rates_mbps(imported(tmp_path, "iperf3", text))[65536] > 1


@tool("sockperf")
def test_sockperf(tmp_path: Path) -> None:
    port = free_port()
    log = tmp_path / "log.csv"
    with serving("sockperf", "sr", "--tcp", "-i", HOME, "-p", str(port), port=port):
        there = ("--tcp", "-i", HOME, "-p", str(port), "-t", "1", "-m", "100")
        text = output("sockperf", "pp", *there, "--full-log", str(log))
    (tmp_path / "summary").mkdir()
    summary = latencies_us(imported(tmp_path / "summary", "sockperf", text))
    packets = latencies_us(imported(tmp_path, "sockperf", log.read_text()))
    assert set(packets) == {100} and len(summary) == 1
    assert 0.1 < next(iter(summary.values())) / packets[100] < 10


@tool("qperf")
def test_qperf(tmp_path: Path) -> None:
    port = free_port()
    with serving("qperf", "-lp", str(port), port=port):
        loop = ("-t", "1", "-oo", "msg_size:64:4K:*64", "-vu", "tcp_lat")
        text = output("qperf", HOME, "-lp", str(port), *loop)
    times = latencies_us(imported(tmp_path, "qperf", text))
    assert set(times) == {64, 4096} and all(0.1 < time_us < 1e5 for time_us in times.values())


@tool("fping")
def test_fping(tmp_path: Path) -> None:
    text = output("fping", "-C", "3", "-q", "-p", "50", HOME, stderr=True)
    run = imported(tmp_path, "fping", text)
    assert run.samples.num_rows == 3 and 0 < latencies_us(run)[56] < 1e5
