"""The data port: it lets in who shows the run's token, and nothing else; the token itself never crosses the wire."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import secrets
import socket
import struct
import threading

import pytest

from support.here import weft_json
from support.live import handshake, loopback
from weft.measure.execute.pair import endpoint
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import Done, ListenReply
from weft.measure.testbed.ports import PortRange

pytestmark = pytest.mark.timed


async def serve(server: Agent, job):
    await server.send(job.serve_request(1))
    return (await server.expect(ListenReply)).port


async def drive(driver: Agent, job, port: int):
    await driver.send(job.drive_request(0, endpoint(loopback.ADDRESS, port)))


async def finish(agent: Agent) -> Done:
    """What an agent says when it is done."""
    while True:
        said = await agent.receive()
        if isinstance(said, Done):
            return said


def stranger(port: int, present: bytes) -> socket.socket:
    connection = socket.create_connection((loopback.ADDRESS, port))
    connection.settimeout(5)
    connection.sendall(present)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """A nonce is all that a stranger hears."""
    heard = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(100):
            heard += part
    return len(heard) <= handshake.NONCE_BYTES


def present(port: int, token: bytes, connection: int = 0) -> tuple[socket.socket, bool]:
    """A connection that asks for a place, and whether it is let in."""
    caller = stranger(port, b"")
    with contextlib.suppress(ConnectionResetError):
        caller.sendall(handshake.response(token, caller.recv(handshake.NONCE_BYTES), connection))
        return caller, len(caller.recv(100)) > 0
    return caller, False


@pytest.mark.parametrize(
    ("present", "is_slow"),
    [
        (secrets.token_bytes(80), False),
        (b"GET / HTTP/1.1\r\nHost: weft\r\nUser-Agent: x\r\n\r\n" * 2, False),
        (b"\0" * 100000, False),
        (bytes(0), True),
        (bytes(40), True),
        (bytes(79), True),
    ],
    ids=["random", "garbage", "too long", "nothing", "half a response", "one byte short"],
)
@loopback.between_agents
async def test_a_stranger_is_closed_and_counted_and_the_friend_gets_in(
    driver: Agent, server: Agent, present, is_slow
) -> None:
    job = loopback.job(loopback.step([1]))
    port = await serve(server, job)
    with contextlib.suppress(ConnectionError):
        connection = await asyncio.to_thread(stranger, port, present)
        assert is_slow or await asyncio.to_thread(is_closed, connection)
    await drive(driver, job, port)
    rejected = (await finish(server)).rejected
    assert not is_slow or await asyncio.to_thread(is_closed, connection)
    assert rejected == 1


@loopback.between_agents
async def test_the_listener_is_on_one_address_and_closes_a_silent_stranger_after_two_seconds(
    _: Agent, server: Agent
) -> None:
    port = await serve(server, loopback.job(loopback.step([1]), patience_ms=4000))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=2)
    assert await asyncio.to_thread(is_closed, stranger(port, b""))


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
        crowding = asyncio.ensure_future(asyncio.to_thread(crowd, port))
        await asyncio.sleep(0.3)
        await drive(driver, job, port)
        said = await finish(server)
        return said.rejected, await crowding

    rejected, came = loopback.with_agents(scenario)
    assert came > 100
    assert rejected > 0


@loopback.between_agents
async def test_a_connection_that_asks_for_another_place_or_a_taken_one_is_refused(
    driver: Agent, server: Agent
) -> None:
    job = loopback.job(loopback.step([1]))
    port = await serve(server, job)
    token = bytes.fromhex(job.token)
    early, is_in = await asyncio.to_thread(present, port, token, 1)
    assert not is_in
    first, is_in = await asyncio.to_thread(present, port, token)
    assert is_in
    second = stranger(port, b"")
    second.settimeout(0.3)
    with pytest.raises(TimeoutError):
        second.recv(1)
    first.close()
    with pytest.raises(AgentError) as ended:
        await finish(server)
    assert ended.value.code == "peer-lost"
    early.close(), second.close()
    assert server.take_refused() >= 1


class Tap:
    """Passes on what a driver and a server say to each other, and keeps it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.heard: list[bytes] = []
        self.said: list[bytes] = []

    async def __aenter__(self) -> Tap:
        self._server = await asyncio.start_server(self._pass, loopback.ADDRESS, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner = await asyncio.open_connection(loopback.ADDRESS, self._port)
        await asyncio.gather(
            self._copy(reader, inner[1], self.said), self._copy(inner[0], writer, self.heard)
        )

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: list[bytes]
    ) -> None:
        while part := await reader.read(1 << 16):
            kept.append(part)
            writer.write(part)
        writer.close()


@loopback.between_agents
async def test_what_crosses_the_wire_neither_holds_the_token_nor_opens_the_port_again(
    driver: Agent, server: Agent
) -> None:
    job = loopback.job(loopback.step([1]))
    async with Tap(await serve(server, job)) as tap:
        await drive(driver, job, tap.port)
        await finish(server)
    await finish(driver)
    said, heard = b"".join(tap.said), b"".join(tap.heard)
    assert len(said) > 80 and len(heard) > 64
    for form in (bytes.fromhex(job.token), job.token.encode()):
        assert form not in said + heard
    port = await serve(server, job)
    replay = await asyncio.to_thread(stranger, port, said[:80])
    assert await asyncio.to_thread(is_closed, replay)
    await drive(driver, job, port)
    assert (await finish(server)).rejected == 1


@loopback.between_agents
async def test_a_driver_notices_a_listener_without_the_token(driver: Agent, _: Agent) -> None:
    job = loopback.job(loopback.step([1]))

    async def impostor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(secrets.token_bytes(64))
        await reader.read(1000)
        writer.close()

    server = await asyncio.start_server(impostor, loopback.ADDRESS, 0)
    await drive(driver, job, server.sockets[0].getsockname()[1])
    with pytest.raises(AgentError, match="not a weft agent of this run"):
        await finish(driver)


class Knocked(loopback.Loopback):
    """Two nodes; the second has one data port, on which something else knocks all the time."""

    def __init__(self, port: int) -> None:
        super().__init__(2)
        self.nodes[1] = dataclasses.replace(self.nodes[1], ports=PortRange(port, port))


def knock(port: int, is_over: threading.Event, refused: list[bool]) -> None:
    while not is_over.wait(0.002):
        with contextlib.suppress(OSError):
            refused.append(is_closed(stranger(port, bytes(80))))


def test_what_is_refused_is_summed_over_launches_in_one_warning(tmp_path):
    with socket.create_server((loopback.ADDRESS, 0)) as free:
        port = free.getsockname()[1]
    is_over, refused = threading.Event(), list[bool]()
    knocking = threading.Thread(target=knock, args=(port, is_over, refused))
    knocking.start()
    try:
        run = loopback.live_run(
            tmp_path / "r", Knocked(port), loopback.ensemble_step("pingpong", 1), launches=8
        )
    finally:
        is_over.set()
        knocking.join()
    (warning,) = (one for one in run.meta.warnings if one.code == "strangers")
    count = run.meta.refused["n2"]
    assert warning.message.startswith(f"n2: {count} connections")
    # A launch closes about one; the last may have been cut by its end.
    assert count >= len(refused) - 1 >= 2
    shown = weft_json("show", tmp_path / "r")["warnings"]
    assert [one["message"] for one in shown if one["code"] == "strangers"] == [warning.message]
