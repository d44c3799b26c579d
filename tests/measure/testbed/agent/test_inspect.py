"""What the agent tells and tries before a run: real agents on loopback."""

import secrets
import socket
from pathlib import Path
from typing import Any

import pytest

from support.live import handshake, loopback
from weft.measure.testbed.agent import reply
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import (
    Answer,
    EchoReply,
    EchoStopReply,
    InspectReply,
    TryReply,
)
from weft.measure.testbed.agent.request import Echo, Inspect, PathsRequest, Peer, Request, StopEcho
from weft.measure.testbed.ports import PortRange

pytestmark = pytest.mark.timed

HOME = loopback.ADDRESS
NOWHERE = "192.0.2.77"


async def asked(agent: Agent, request: Request, answer: type[Answer]) -> Answer:
    await agent.send(request)
    return await agent.expect(answer)


async def tried(agent: Agent, token: str, port: int, source: str = HOME) -> reply.Path:
    peer = Peer(node=1, network=0, from_=source, to=f"{HOME}:{port}")
    (path,) = (await asked(agent, PathsRequest(peers=[peer], token=token), TryReply)).paths
    return path


async def echoed(agent: Agent, token: str, address: str = HOME, ports: Any = None) -> int:
    """The port on which an agent echoes from now on."""
    (port,) = (
        await asked(agent, Echo(addresses=[address], ports=ports, token=token), EchoReply)
    ).ports
    return port


@loopback.between_agents
async def test_the_kernel_is_asked_about_interfaces_by_their_addresses(
    agent: Agent, _: Agent
) -> None:
    seen = await asked(agent, Inspect(addresses=[HOME, NOWHERE]), InspectReply)
    home, nowhere = seen.interfaces
    assert nowhere is None
    assert home["mtu_bytes"] == int(Path("/sys/class/net/lo/mtu").read_text())
    assert home["name"] == "lo" and home["loopback"] and home["offloads"]["gso"]
    limits = Path("/proc/sys/net/ipv4/tcp_rmem").read_text().split()
    assert seen.node["settings"]["tcp_rmem_max"] == int(limits[2])
    assert all(0 <= share <= 1 for share in seen.node["busy"])


@loopback.between_agents
async def test_a_way_is_tried_and_closed_again(one: Agent, other: Agent) -> None:
    token = secrets.token_hex(32)
    port = await echoed(other, token)
    path = await tried(one, token, port)
    assert path.connect_error is path.datagram_error is None
    assert path.answered == path.asked and path.mtu_bytes == 65535
    assert abs(path.clock_offset_us) <= path.clock_error_us
    await asked(other, StopEcho(), EchoStopReply)
    path = await tried(one, token, port)
    # Paths are tried to who has said that it listens, so that a refusal comes from the way.
    assert f"a firewall rejects port {port}" in path.connect_error
    assert path.mtu_bytes is None


@loopback.between_agents
async def test_who_has_not_the_token_is_not_answered(one: Agent, other: Agent) -> None:
    token = secrets.token_hex(32)
    port = await echoed(other, token)
    path = await tried(one, secrets.token_hex(32), port)
    assert path.connect_error is None and "no answer" in path.datagram_error
    assert (await tried(one, token, port)).answered == 10
    assert (await asked(other, StopEcho(), EchoStopReply)).rejected == 1


@loopback.between_agents
async def test_a_question_is_answered_once_and_with_fewer_bytes(_: Agent, other: Agent) -> None:
    token = secrets.token_bytes(32)
    to = HOME, await echoed(other, token.hex())
    question = handshake.question(token, bytes(32), 7, *to)
    elsewhere = handshake.question(token, bytes(32), 8, "127.0.0.2", to[1])
    with asking(*to) as first, asking(*to) as second:
        first.send(question)
        answer = first.recv(2000)
        assert int.from_bytes(answer[:8], "little") == 7 and len(answer) < len(question)
        # The same again, as a network may do it; as an eavesdropper replays it; and recorded at another node.
        for socket_, sent in ((first, question), (second, question), (first, elsewhere)):
            socket_.send(sent)
            with pytest.raises(TimeoutError):
                socket_.recv(2000)
    assert (await asked(other, StopEcho(), EchoStopReply)).rejected == 2


def asking(address: str, port: int) -> socket.socket:
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.settimeout(0.5)
    sender.connect((address, port))
    return sender


@loopback.between_agents
async def test_ports_are_taken_from_the_range_or_there_are_none(one: Agent, other: Agent) -> None:
    with socket.create_server((HOME, 0)) as taken:
        port = taken.getsockname()[1]
        token = secrets.token_hex(32)
        with pytest.raises(AgentError, match="in use"):
            await echoed(one, token, ports=PortRange(port, port))
        assert port < await echoed(other, token, ports=PortRange(port, port + 20)) <= port + 20


@loopback.between_agents
async def test_an_address_of_no_node_is_an_error_with_a_sentence(one: Agent, _: Agent) -> None:
    token = secrets.token_hex(32)
    with pytest.raises(AgentError, match="assign"):
        await echoed(one, token, NOWHERE)
    path = await tried(one, token, 9, source=NOWHERE)
    assert "assign" in path.connect_error and "assign" in path.datagram_error
