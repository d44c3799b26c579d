"""The data port: it opens to the run's token and to nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import struct

import pytest

from support import loopback
from weft.execute.pair import endpoint
from weft.testbed.agent.agent import Agent

pytestmark = pytest.mark.timed


async def serve(server: Agent, job):
    await server.send(job.serve_request(1))
    return (await server.expect("listening"))["port"]


async def drive(driver: Agent, job, port: int):
    await driver.send(job.drive_request(0, endpoint(loopback.ADDRESS, port)))


async def finish(agent: Agent) -> dict:
    while True:
        said = await agent.receive()
        if isinstance(said, dict) and said["type"] == "done":
            return said


def stranger(port: int, present: bytes) -> socket.socket:
    connection = socket.create_connection((loopback.ADDRESS, port))
    connection.settimeout(5)
    connection.sendall(present)
    return connection


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "present",
    [
        secrets.token_bytes(32),
        b"GET / HTTP/1.1\r\nHost: weft\r\nUser-Agent: x\r\n\r\n",
        b"\0" * 100000,
    ],
    ids=["wrong token", "garbage", "far too long"],
)
def test_a_stranger_is_closed_and_counted_and_the_friend_gets_in(present):
    async def scenario(driver: Agent, server: Agent):
        job = loopback.job(loopback.step([1]))
        port = await serve(server, job)
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ConnectionError):
            connection = await loop.run_in_executor(None, stranger, port, present)
            assert await loop.run_in_executor(None, is_closed, connection)
        await drive(driver, job, port)
        return (await finish(server))["rejected"]

    assert loopback.with_agents(scenario) == 1


@pytest.mark.parametrize("length", [0, 16, 31], ids=["no token", "half a token", "one byte short"])
def test_a_stranger_who_is_slow_does_not_keep_the_friend_out(length):
    async def scenario(driver: Agent, server: Agent):
        job = loopback.job(loopback.step([1]))
        port = await serve(server, job)
        connection = stranger(port, bytes(length))
        await drive(driver, job, port)
        rejected = (await finish(server))["rejected"]
        assert await asyncio.get_running_loop().run_in_executor(None, is_closed, connection)
        return rejected

    assert loopback.with_agents(scenario) == 1


def test_a_silent_stranger_is_closed_after_two_seconds():
    async def scenario(_: Agent, server: Agent):
        port = await serve(server, loopback.job(loopback.step([1]), patience_ms=4000))
        connection = stranger(port, b"")
        return await asyncio.get_running_loop().run_in_executor(None, is_closed, connection)

    assert loopback.with_agents(scenario)


def test_ten_thousand_strangers_do_not_keep_the_friend_out():
    def crowd(port: int) -> int:
        came = 0
        # Resetting instead of closing leaves no socket behind in TIME_WAIT.
        linger = struct.pack("ii", 1, 0)
        for _ in range(10_000):
            with socket.socket() as connection:
                connection.settimeout(5)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                with contextlib.suppress(OSError):
                    connection.connect((loopback.ADDRESS, port))
                    came += 1
        return came

    async def scenario(driver: Agent, server: Agent):
        job = loopback.job(loopback.step([1], trial_ms=1), patience_ms=30_000)
        port = await serve(server, job)
        loop = asyncio.get_running_loop()
        crowding = loop.run_in_executor(None, crowd, port)
        await asyncio.sleep(0.3)
        await drive(driver, job, port)
        said = await finish(server)
        return said["rejected"], await crowding

    rejected, came = loopback.with_agents(scenario)
    assert came > 100
    assert rejected > 0


def test_the_door_is_on_the_measured_address_only():
    async def scenario(_: Agent, server: Agent):
        port = await serve(server, loopback.job(loopback.step([1])))
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=2)

    loopback.with_agents(scenario)
