"""Other tools, run in a lab as their users would run them, each returning one figure.

A tool is started as a server on the second node and as a client on the first, each pinned to its processor.
Latencies are half round trips in microseconds, throughputs are 10^6 bit/s.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weft.measure.testbed.base import Testbed

SECONDS = 1
"""How long the peers with a clock measure."""


@dataclass(frozen=True)
class Pair:
    """Two nodes of a lab and the processor of each end."""

    testbed: Testbed
    cpus: tuple[int, int]

    @property
    def server_address(self) -> str:
        return self.testbed.nodes[1].address

    def argv(self, end: int, command: list[str]) -> list[str]:
        pinned = ["taskset", "-c", str(self.cpus[end]), *command]
        return self.testbed.node_command(self.testbed.nodes[end], pinned)

    @contextmanager
    def server(self, command: list[str]) -> Iterator[None]:
        process = subprocess.Popen(
            self.argv(1, command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(0.3)
        try:
            yield
        finally:
            process.terminate()
            process.wait()

    def client(self, command: list[str]) -> str:
        done = subprocess.run(
            self.argv(0, command), capture_output=True, text=True, timeout=120, check=True
        )
        return done.stdout + done.stderr


def netpipe_rows(pair: Pair, arguments: list[str]) -> list[tuple[int, float]]:
    """Sizes in bytes and one-way times in seconds, as NPtcp wrote them."""
    with tempfile.TemporaryDirectory() as folder, pair.server(["NPtcp", *arguments]):
        out = Path(folder) / "np.out"
        pair.client(["NPtcp", "-h", pair.server_address, "-o", str(out), *arguments])
        rows = [line.split() for line in out.read_text().splitlines()]
    return [(int(row[0]), float(row[2])) for row in rows]


def netpipe_latency(pair: Pair, size_bytes: int) -> float:
    arguments = ["-l", str(size_bytes), "-u", str(size_bytes), "-p", "0"]
    return netpipe_rows(pair, arguments)[0][1] * 1e6


def sockperf_latency(pair: Pair, size_bytes: int, *options: str) -> float:
    """sockperf's smallest message is 14 bytes: asked for less, it sends 14."""
    size = str(max(size_bytes, 14))
    address = ["--tcp", "-i", pair.server_address, "-p", "11111"]
    with pair.server(["sockperf", "server", *address, *options]):
        text = pair.client(
            ["sockperf", "ping-pong", *address, "-m", size, "-t", str(SECONDS), *options]
        )
    return float(_found(r"avg-lat\w*=\s*([\d.]+)", text))


def qperf_latency(pair: Pair, size_bytes: int) -> float:
    with pair.server(["qperf"]):
        text = pair.client(
            [
                "qperf",
                pair.server_address,
                "-t",
                str(SECONDS),
                "-m",
                str(size_bytes),
                "-u",
                "tcp_lat",
            ]
        )
    value, unit = re.search(r"latency\s*=\s*([\d.]+)\s*(\w+)", text).groups()  # type: ignore[union-attr]
    return float(value) * {"ns": 1e-3, "us": 1.0, "ms": 1e3}[unit]


def qperf_stream(pair: Pair) -> float:
    with pair.server(["qperf"]):
        text = pair.client(["qperf", pair.server_address, "-t", str(SECONDS), "tcp_bw"])
    value, unit = re.search(r"bw\s*=\s*([\d.]+)\s*(\w+)/sec", text).groups()  # type: ignore[union-attr]
    return float(value) * 8 * {"KB": 1e-3, "MB": 1.0, "GB": 1e3}[unit]


def iperf3_stream(pair: Pair) -> float:
    with pair.server(["iperf3", "-s", "-1"]):
        text = pair.client(["iperf3", "-c", pair.server_address, "-t", str(SECONDS), "-J"])
    return float(json.loads(text)["end"]["sum_received"]["bits_per_second"]) / 1e6


def version(tool: str) -> str:
    """A tool's version as it says itself, or as Debian has it; numbers and points only."""
    if tool == "NPtcp":
        query = ["dpkg-query", "-W", "-f", "${Version}", "netpipe-tcp"]
    else:
        query = [tool, "--version"]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    found = re.search(r"\d+(\.\d+)+", done.stdout or done.stderr)
    return found[0] if found else "unknown"


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, re.sub(r"\x1b\[[\d;]*m", "", text))
    if match is None:
        raise RuntimeError(f"no {pattern} in: {text}")
    return match[1]
