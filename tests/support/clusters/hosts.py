"""Clusters whose nodes are this machine: command templates, started as a user would."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.hosts.testbed import Hosts
from weft.measure.testbed.open import open_testbed

HERE = "env NODE={node}"
"""A template that starts agents here."""


def host_file(folder: Path, text: str) -> str:
    """A host file of nodes whose data goes over loopback."""
    path = folder / "cluster.toml"
    path.write_text(text)
    return f"hosts:{path}"


def local_nodes(
    folder: Path,
    nodes: str,
    command: str = HERE,
    keys: str = "",
    top: str = "",
    cache: Path | str | None = "cache",
) -> str:
    """A testbed of nodes that a command template starts; the agent is kept in `cache`, in the folder."""
    return host_file(
        folder,
        f"""
{top}
[[nodes]]
ids = "{nodes}"
command = '''{command}'''
address = "127.0.0.1"
{f'cache = "{folder / cache}"' if cache else ""}
{keys}
""",
    )


def start_all(
    spec: str, look: Callable[[Hosts, dict[int, Agent]], None] = lambda testbed, agents: None
) -> dict[str, Agent | AgentError]:
    """Start an agent on each node, look at them, and end them: what became of each, by its name."""

    async def run(testbed: Hosts) -> dict[int, Agent | AgentError]:
        started = await testbed.start_agents(range(len(testbed.nodes)))
        living = {node: one for node, one in started.items() if isinstance(one, Agent)}
        try:
            look(testbed, living)
        finally:
            await asyncio.gather(*(agent.close() for agent in living.values()))
        return started

    with open_testbed(spec) as testbed:
        assert isinstance(testbed, Hosts)
        names = [node.name for node in testbed.nodes]
        return {names[node]: one for node, one in asyncio.run(run(testbed)).items()}


def errors_of(started: dict[str, Agent | AgentError]) -> dict[str, AgentError]:
    """Those that failed."""
    return {name: one for name, one in started.items() if isinstance(one, AgentError)}


def only_error(spec: str) -> AgentError:
    """How the only node of a testbed failed."""
    (error,) = errors_of(start_all(spec)).values()
    return error
