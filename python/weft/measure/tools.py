"""Tools that run on a testbed beside a plan, and their results as runs of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weft.base.errors import RequestError, WorkError
from weft.measure.testbed.base import Node, Testbed
from weft.plan.pattern import Pingpong
from weft.plan.phases import expand
from weft.plan.plan import Plan
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.understand.formats.importers import import_file
from weft.understand.formats.importers.imported import ImportOptions

WITHIN_S = 1800.0
LISTENING = "until grep -q ':138A .* 0A ' /proc/net/tcp; do sleep 0.1; done"
"""NPtcp's transmitter does not wait for its receiver, which listens on port 5002."""
LISTENING_WITHIN_S = 30.0
TRANSMITTER = (
    'file=$(mktemp) || exit 1; "$@" -o $file >&2; status=$?; cat $file; rm -f $file; exit $status'
)
"""NPtcp writes its results only to a file, and a guest has files of its own."""


@dataclass(frozen=True)
class PeerTool:
    """A program that is installed under its name on all nodes, and the format of its results."""

    program: str
    format: str
    package: str


TOOLS: Mapping[str, PeerTool] = {"NPtcp": PeerTool("NPtcp", "netpipe", "netpipe-tcp")}


def check_tool(name: str, plan: Plan, on: str) -> PeerTool:
    """The tool of this name; raises RequestError if the plan measures something else, or the testbed is a simulator."""
    if on.partition(":")[0] in ("sim", "node"):
        raise RequestError(f"--tool {name}: nothing can be started on {on}", "lab: and vm: can")
    _largest(name, plan)
    return TOOLS[name]


def run_tool(tool: PeerTool, testbed: Testbed, run: RunFolder) -> RunFolder:
    """Run a tool on the nodes of a run that has just ended; raises RequestError or WorkError.

    Its results are in a folder of their own, beside the run's: its name with -PROGRAM behind it.
    """
    folder = run.directory.with_name(f"{run.directory.name}-{tool.program}")
    said = _measure(tool, testbed, _largest(tool.program, run.meta.plan))
    path = run.directory / f"{tool.program}.out"
    path.write_text(said)
    import_file(tool.format, path, folder, ImportOptions(transport="tcp"))
    return _place(folder, run)


def _measure(tool: PeerTool, testbed: Testbed, largest_bytes: int) -> str:
    """The output of the transmitter on the first node with a receiver on the second."""
    transmitter, receiver = testbed.nodes[:2]
    options = ["-l", "1", "-u", str(largest_bytes), "-p", "3"]
    words = [tool.program, "-h", receiver.address, *options]
    with _running(testbed.node_command(receiver, [tool.program, *options])):
        _await_receiver(tool, testbed, receiver)
        command = testbed.node_command(transmitter, ["sh", "-c", TRANSMITTER, "sh", *words])
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=WITHIN_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise WorkError(f"{tool.program} did not end within {WITHIN_S:g} s") from None
    errors = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode or not done.stdout:
        raise WorkError(
            f"{tool.program} on {transmitter.name}: {errors[-1] if errors else 'said nothing'}",
            f"apt-get install {tool.package}",
        )
    return done.stdout.decode(errors="replace")


def _await_receiver(tool: PeerTool, testbed: Testbed, receiver: Node) -> None:
    command = testbed.node_command(receiver, ["sh", "-c", LISTENING])
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, timeout=LISTENING_WITHIN_S, check=False)
    except subprocess.TimeoutExpired:
        raise WorkError(
            f"{tool.program} on {receiver.name} does not listen", f"apt-get install {tool.package}"
        ) from None


@contextmanager
def _running(command: list[str]) -> Iterator[None]:
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as process:
        try:
            yield
        finally:
            process.kill()


def _largest(name: str, plan: Plan) -> int:
    """The largest message of a plan's ping-pongs."""
    steps = [step for _, step, _ in plan.steps_of(Pingpong)]
    if not steps:
        raise RequestError(
            f"--tool {name}: the plan {plan.name} has no ping-pong between two nodes", "use netpipe"
        )
    return max(phase.size_bytes for step in steps for phase in expand(step, 2))


def _place(folder: Path, run: RunFolder) -> RunFolder:
    """Record in an imported run on which nodes it was measured."""
    meta = RunMeta.read(folder)
    meta.nodes = run.meta.nodes[:2]
    meta.write(folder)
    return RunFolder.open(folder)
