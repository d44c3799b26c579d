"""Payload verification against a real man in the middle."""

import asyncio
import contextlib

import pytest

from support.live import loopback
from weft.measure.execute.pair import endpoint
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import ConnectReply, Done, ListenReply

pytestmark = pytest.mark.timed

SIZE_BYTES = 5000
MESSAGE, OFFSET = 3, 4321
RESPONSE_BYTES, ORDER_BYTES = 80, 24


async def copy(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, damage_at: int | None
) -> None:
    """Pass bytes on, with one bit of the byte at `damage_at` turned."""
    passed = 0
    with contextlib.suppress(ConnectionError):
        while data := bytearray(await source.read(4096)):
            if damage_at is not None and 0 <= damage_at - passed < len(data):
                data[damage_at - passed] ^= 0x10
            passed += len(data)
            sink.write(data)
            await sink.drain()
        sink.close()


async def meddler(port: int, damage_at: int | None) -> asyncio.Server:
    """A proxy to a port of this machine."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(loopback.ADDRESS, port)
        await asyncio.gather(copy(reader, far_writer, damage_at), copy(far_reader, writer, None))

    return await asyncio.start_server(meet, loopback.ADDRESS, 0)


def measure_through(damage_at: int | None) -> int:
    """Run a verified step through the meddler; the number of batches."""
    stop = {"rule": "count", "repeats": 20, "trials": 1}
    options = {"wait": "block", "verify": True, "evidence": False}
    step = loopback.step([SIZE_BYTES], stop=stop, options=options)

    async def scenario(driver: Agent, server: Agent) -> int:
        job = loopback.job(step)
        await server.send(job.serve_request(1))
        port = (await server.expect(ListenReply)).port
        proxy = await meddler(port, damage_at)
        proxy_port = proxy.sockets[0].getsockname()[1]
        await driver.send(job.drive_request(0, endpoint(loopback.ADDRESS, proxy_port)))
        for expected in (ConnectReply, Done):
            await server.expect(expected)
        proxy.close()
        return 1

    return loopback.with_agents(scenario)


def test_an_honest_proxy_is_not_accused():
    assert measure_through(None) == 1


def test_one_wrong_byte_on_the_way_is_found_and_located():
    # The warm-up batch of 2 messages and the order of the timed batch come before the damage.
    sent_before = RESPONSE_BYTES + ORDER_BYTES + 2 * SIZE_BYTES + ORDER_BYTES
    damage_at = sent_before + (MESSAGE - 2) * SIZE_BYTES + OFFSET
    with pytest.raises(AgentError, match=rf"message {MESSAGE} .*byte {OFFSET} ") as caught:
        measure_through(damage_at)
    assert caught.value.node == "n2"
    assert caught.value.code == "damaged-data"
