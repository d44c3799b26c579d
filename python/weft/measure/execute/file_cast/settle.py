"""Prepares a cast of a file: the file's size, the paths of the copies, and whether they can be written."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.crew import Crew, not_started
from weft.measure.testbed.agent.agent import Agent, AgentError
from weft.measure.testbed.agent.reply import CastLookReply
from weft.measure.testbed.agent.request import CastJob, CastLook
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.event_loop import run_to_end
from weft.plan.pattern import Cast, CastFile
from weft.plan.plan import SizeList, Step

NODE = "{node}"
RECEIVED = "received"
"""The folder of a run for files that the nodes of this machine received."""
MOST_NETWORKS = 2
LARGEST_NAMED = 4
"""At most this many nodes are named if all report the same."""


def settle_file_cast(
    step: Step, pattern: Cast, file: CastFile, testbed: Testbed, out: Path | None
) -> Step:
    """The step with the size of its file and the paths of the copies; raises RequestError if a file cannot be read or
    written. Nothing is changed on the nodes. Without `out` the nodes are simulated."""
    if out is None:
        return _sized(step, _local_size(file.path))
    placed = replace(step, pattern=_placed(step, pattern, file, testbed, out))
    return run_to_end(_looked_at(placed, testbed))


def job_of(step: Step, node_name: str, is_source: bool, launch: int = 0) -> CastJob:
    """The job of a node: paths and size of the file. Later launches write the file again."""
    pattern = step.pattern_as(Cast)
    file = pattern.file
    assert file and isinstance(step.sizes, SizeList)
    return CastJob(
        path=file.path if is_source else str(file.to).replace(NODE, node_name),
        is_source=is_source,
        size_bytes=step.sizes.bytes[0],
        chunk_bytes=pattern.chunk_bytes,
        overwrite=file.overwrite or launch > 0,
        compress=file.compress,
        is_fresh=launch > 0,
    )


def nodes_in_order(step: Step, testbed_nodes: int) -> list[int]:
    """The nodes of the chain in order, the source first."""
    return list(step.members(testbed_nodes))


def _local_size(path: str) -> int:
    """The size of a file on this machine, for a simulation."""
    try:
        found = Path(path).stat()
    except OSError as error:
        raise RequestError(f"{path}: {error.strerror}", "a simulation takes its size") from None
    if not Path(path).is_file() or not found.st_size:
        raise RequestError(f"{path}: is no file with bytes in it", "name a file to cast")
    return found.st_size


def _sized(step: Step, size_bytes: int) -> Step:
    return replace(step, sizes=SizeList((size_bytes,)))


def _placed(step: Step, pattern: Cast, file: CastFile, testbed: Testbed, out: Path) -> Cast:
    """The pattern with the paths of the file and its copies, and over how many networks it is cast."""
    path = str(Path(file.path).absolute()) if testbed.is_here else file.path
    receivers = len(nodes_in_order(step, len(testbed.nodes))) - 1
    placed = replace(file, path=path, to=_target(file, testbed, out, receivers))
    networks = pattern.networks
    if file.all_networks:
        networks = min(MOST_NETWORKS, *(len(node.places) for node in testbed.nodes))
    return replace(pattern, file=placed, networks=networks)


def _target(file: CastFile, testbed: Testbed, out: Path, receivers: int) -> str:
    if not testbed.is_here:
        return file.to or file.path
    if file.to is None:
        return str(out.absolute() / RECEIVED / f"{NODE}.{Path(file.path).name}")
    to = Path(file.to).absolute()
    if receivers > 1 and NODE not in file.to and not to.is_char_device():
        raise RequestError(
            f"--to {file.to}: all nodes of {testbed.kind}:{testbed.name} would write the same file",
            f"they share this machine's folders: name one for each, such as --to /tmp/{NODE}.img, or /dev/null",
        )
    return str(to)


async def _looked_at(step: Step, testbed: Testbed) -> Step:
    """The step with the file's size, after all nodes have confirmed that they can read or write the file."""
    source, *others = nodes_in_order(step, len(testbed.nodes))
    crew = await Crew.start(testbed, [source, *others])
    try:
        if source in crew.lost:
            raise RequestError(not_started([crew.lost[source]], len(testbed.nodes)))
        step = _sized(step, await _size(crew.agents[source], step))
        await _check_targets([crew.agents[node] for node in others if node in crew.agents], step)
    finally:
        await crew.close()
    return step


async def _size(agent: Agent, step: Step) -> int:
    try:
        return await _look(agent, job_of(step, agent.node, is_source=True))
    except AgentError as error:
        raise RequestError(f"{error.message}", "--file names a file on the first node") from None


async def _check_targets(agents: list[Agent], step: Step) -> None:
    """Raises RequestError if no node can write; if only some cannot, those may fail in the run."""
    reasons: dict[str, str] = {}
    for agent in agents:
        try:
            await _look(agent, job_of(step, agent.node, is_source=False))
        except AgentError as error:
            reasons[agent.node] = error.reason
    if reasons and len(reasons) == len(agents):
        named = [f"{node}: {why}" for node, why in reasons.items()]
        more = len(named) - LARGEST_NAMED
        told = "\n  ".join(named[:LARGEST_NAMED]) + (f"\n  and {more} more" if more > 0 else "")
        raise RequestError(told, "--to names what the nodes write, with {node} for a node's name")


async def _look(agent: Agent, job: CastJob) -> int:
    await agent.send(CastLook(job=job))
    return (await agent.expect(CastLookReply)).size_bytes
