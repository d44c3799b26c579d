"""`weft serve` as a process, made-up runs to serve, and how much memory it takes."""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from weft.plan.load import load_plan
from weft.runs.folder import RunWriter
from weft.runs.meta import RunMeta
from weft.runs.samples import SCHEMA

WEFT = [sys.executable, "-m", "weft"]
SAMPLES, SIZES, LAUNCHES = 1_000_000, 128, 10


@dataclass(frozen=True)
class Server:
    pid: int
    port: int
    root: str

    def open(self, address: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", self.root + address)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        return response

    def seconds(self, address: str) -> float:
        """Until all of a document is here."""
        began_s = time.perf_counter()
        self.open(address).read()
        return time.perf_counter() - began_s

    @property
    def peak_mbytes(self) -> float:
        return peak_mbytes(self.pid)


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    process = subprocess.Popen(
        [*WEFT, "serve", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    port, _, root = address.removeprefix("http://127.0.0.1:").partition("/")
    try:
        yield Server(process.pid, int(port), f"/{root}")
    finally:
        process.terminate()
        process.wait()


def write_large(folder: Path) -> None:
    random = np.random.default_rng(1)
    sizes = np.unique(np.geomspace(1, 8 << 20, SIZES).astype(np.int64))
    sizes[np.argmin(np.abs(sizes - 1024))] = 1024
    batches = -(-SAMPLES // (LAUNCHES * len(sizes)))
    writer = begin_run(folder)
    for launch in range(LAUNCHES):
        phase, batch = (one.ravel() for one in np.indices((len(sizes), batches)))
        us = (28 + sizes[phase] * 8 / 941) * np.exp(0.02 * random.standard_normal(len(phase)))
        writer.append(rows(sizes[phase], us, phase=phase, batch=batch, launch=launch))
    writer.finish("complete")


def begin_run(folder: Path) -> RunWriter:
    nodes = [{"name": name, "address": "", "facts": {}} for name in ("n1", "n2")]
    plan = load_plan("signature")
    return RunWriter.create(folder, RunMeta(plan, {"name": "made"}, nodes))  # type: ignore[arg-type]


def rows(sizes: np.ndarray, half_us: np.ndarray, **columns: np.ndarray | int) -> pa.RecordBatch:
    """Samples of ping-pong, with these one-way times."""
    given = {"size_bytes": sizes, "messages": 100, "elapsed_ns": half_us * 2e5, "dst": 1, **columns}
    arrays = [
        pa.array(
            np.broadcast_to(given.get(field.name, 0), len(sizes)).astype(
                field.type.to_pandas_dtype()
            )
        )
        for field in SCHEMA
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


class ChildPeak(threading.Thread):
    """Watches how large the processes get that a process starts."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self._pid, self._most, self._is_over = pid, 0.0, threading.Event()
        self.start()

    def run(self) -> None:
        while not self._is_over.wait(0.02):
            for task in Path(f"/proc/{self._pid}/task").glob("*/children"):
                for child in task.read_text().split():
                    self._most = max(self._most, peak_mbytes(int(child)))

    def stop(self) -> float:
        self._is_over.set()
        self.join()
        return self._most


def peak_mbytes(pid: int) -> float:
    """The most memory that a process has had resident; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1e3 * 1.024 for line in lines if line.startswith("VmHWM"))
