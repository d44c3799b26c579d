"""Plain TCP and UDP between the hosts of a lab, by programs of Python's standard library alone.

This file is also the program that runs on the hosts, so it imports nothing of weft.
"""

import collections
import contextlib
import json
import os
import socket
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

PORT = 5010
SETTLING_S = 1.2
"""What programs take to start and TCP to find its rate."""
WINDOW_S = 0.05
"""Long for one frame, short for a transfer."""
CHUNK = bytes(64 * 1024)
MOMENTS = struct.Struct("!dd")
"""Two times of the clock that all programs on a machine share, network namespaces or not."""
IP_MTU_DISCOVER, IP_PMTUDISC_DO = 10, 2

Enter = Callable[[list[str]], list[str]]
"""Turns a command into one that runs on a host."""

Pair = tuple[Enter, Enter, str]
"""A sender, a receiver and the receiver's address."""


def interpreter() -> str:
    """This Python, or the system's where an unprivileged user cannot reach this one."""
    return os.environ.get("LAB_PYTHON", sys.executable)


def on(enter: Enter, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start one of the roles below on a host."""
    command = [interpreter(), "-I", __file__, *map(str, arguments)]
    return subprocess.Popen(enter(command), stdout=subprocess.PIPE, text=True, **options)


@contextlib.contextmanager
def serving(enter: Enter, *role: object) -> Iterator[subprocess.Popen[str]]:
    """A role that listens, from when it does."""
    process = on(enter, *role)
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def answer(process: subprocess.Popen[str]) -> Any:
    """What a role found out."""
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return json.loads(said)


def transfer_rates_mbps(pairs: list[Pair], megabytes: float, port: int = PORT) -> list[float]:
    """Payload rates of transfers that run at the same time, each of the middle one of its windows."""
    with contextlib.ExitStack() as stack:
        receivers = [
            stack.enter_context(serving(receiver, "receive", port + index))
            for index, (_, receiver, _) in enumerate(pairs)
        ]
        senders = [
            on(sender, "send", address, port + index, megabytes, stdin=subprocess.PIPE)
            for index, (sender, _, address) in enumerate(pairs)
        ]
        for sender in senders:
            assert sender.stdin is not None
            sender.stdin.close()
        for sender in senders:
            assert sender.wait(timeout=60) == 0
        return [float(answer(receiver)) for receiver in receivers]


def rates_of_a_span_mbps(pairs: list[Pair], seconds: float = 1.5) -> list[float]:
    """Payload rates of flows in the same span, after a while to settle.

    All connect first: a connection that is asked for while another flow fills the way is made a second later.
    """
    numbered = [(*pair, PORT + i) for i, pair in enumerate(pairs)]
    with contextlib.ExitStack() as stack:
        counters = [
            stack.enter_context(serving(receiver, "count", port))
            for _, receiver, _, port in numbered
        ]
        flows = [
            on(sender, "flood", address, port, stdin=subprocess.PIPE)
            for sender, _, address, port in numbered
        ]
        for flow in flows:
            assert flow.stdout is not None and flow.stdout.readline() == "ready\n"
        begin = time.monotonic() + SETTLING_S
        for flow in flows:
            assert flow.stdin is not None
            flow.stdin.write(f"{begin} {begin + seconds}\n")
            flow.stdin.flush()
            stack.callback(flow.communicate)
        return [float(answer(counter)) for counter in counters]


def half_round_trips_us(client: Enter, server: Enter, address: str, size_bytes: int) -> list[float]:
    """Half round trips of messages, sorted."""
    with serving(server, "echo", PORT):
        found: list[float] = answer(on(client, "ping", address, PORT, size_bytes))
    return found


def receive(port: str) -> None:
    with _accept(port) as connection:
        arrivals = []
        while got := len(connection.recv(1 << 20)):
            arrivals.append((time.perf_counter(), got))
    print(json.dumps(_middle_rate_mbps(arrivals)))


def send(address: str, port: str, megabytes: str) -> None:
    """Connect, and send when the standard input ends."""
    with socket.create_connection((address, int(port)), timeout=10) as connection:
        sys.stdin.read()
        for _ in range(round(float(megabytes) * 1e6 / len(CHUNK))):
            connection.sendall(CHUNK)


def count(port: str) -> None:
    """Say the rate of what arrives between the two times that the sender names."""
    with _accept(port) as connection:
        begin, end = MOMENTS.unpack(connection.recv(MOMENTS.size, socket.MSG_WAITALL))
        _receive_until(connection, begin)
        start = time.monotonic()
        received = _receive_until(connection, end)
        print(json.dumps(received * 8 / (time.monotonic() - start) / 1e6))


def flood(address: str, port: str) -> None:
    """Connect, and when the standard input says from when to when it counts, send as much as goes until then, or
    until the other end is closed."""
    gone = contextlib.suppress(BrokenPipeError, ConnectionResetError)
    with gone, socket.create_connection((address, int(port)), timeout=10) as connection:
        print("ready", flush=True)
        begin, end = map(float, sys.stdin.readline().split())
        connection.sendall(MOMENTS.pack(begin, end))
        while time.monotonic() < end:
            connection.sendall(CHUNK)


def echo(port: str) -> None:
    with _accept(port) as connection:
        while got := connection.recv(65536):
            connection.sendall(got)


def ping(address: str, port: str, size_bytes: str) -> None:
    message = bytes(int(size_bytes))
    with socket.create_connection((address, int(port)), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        times = [_round_trip_us(connection, message) / 2 for _ in range(300)]
    print(json.dumps(sorted(times)))


def listen_udp(port: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("", int(port)))
        print("ready", flush=True)
        print(json.dumps(len(server.recv(65536))))


def send_udp(address: str, port: str, size_bytes: str) -> None:
    """Send one datagram that must not be fragmented; says whether the interface took it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
        try:
            client.sendto(bytes(int(size_bytes)), (address, int(port)))
            print("true")
        except OSError:
            print("false")


def reach(address: str, port: str) -> None:
    """Say whether somebody listens there."""
    try:
        socket.create_connection((address, int(port)), timeout=3).close()
        print("true")
    except OSError:
        print("false")


def _accept(port: str) -> socket.socket:
    with socket.create_server(("", int(port))) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _middle_rate_mbps(arrivals: list[tuple[float, int]]) -> float:
    """The rate in the middle one of the whole windows since the first arrival (times and bytes): where this machine
    stops everything for a moment, only some windows lack something."""
    start, windows = arrivals[0][0], collections.Counter[int]()
    for moment, size_bytes in arrivals:
        windows[int((moment - start) / WINDOW_S)] += size_bytes
    whole = range(max(windows))
    return statistics.median(windows[number] for number in whole) * 8 / WINDOW_S / 1e6


def _receive_until(connection: socket.socket, end: float) -> int:
    received = 0
    while time.monotonic() < end:
        received += len(connection.recv(1 << 20))
    return received


def _round_trip_us(connection: socket.socket, message: bytes) -> float:
    start = time.perf_counter_ns()
    connection.sendall(message)
    left = len(message)
    while left:
        left -= len(connection.recv(left))
    return (time.perf_counter_ns() - start) / 1e3


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
