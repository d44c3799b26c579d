"""Every command that takes a run folder works on every run that weft writes, or says in a sentence why it does not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from measure.testbed.computed.test_network import NOT_BETWEEN_NODES
from support.here import weft
from weft.base.catalog import names
from weft.runs.folder import RunFolder
from weft.runs.samples import SCHEMA

SIMULATED = ("sim:two-racks", "node:p4-400-base")
OF_SEVERAL_NETWORKS = ("multi-pair", "paths", "health", "xray")
"""Plans that measure each network of nodes that have several, and say of which each result is."""
OWN_FABRIC = {"xibalba": "sim:xibalba-e7-config2", "xibalba-er16": "sim:xibalba-er16"}
NEEDS_A_FILE = ("trace",)
MEASURED = ("latency", "overhead", "udp", "icmp")
"""Plans that a simulator does not carry out, or not in the same way."""

Arguments = Callable[[Path, Path], list[str | Path]]
ALWAYS: dict[str, Arguments] = {
    "show": lambda run, out: ["show", run],
    "show in JSON": lambda run, out: ["show", run, "--json"],
    "diagnose": lambda run, out: ["diagnose", run],
    "diagnose in JSON": lambda run, out: ["diagnose", run, "--json"],
    "compare": lambda run, out: ["compare", run, run],
    "recommend": lambda run, out: ["recommend", run],
    "resume": lambda run, out: ["run", "--resume", run, "--yes"],
    "report": lambda run, out: ["report", run, "--out", out / "report.html"],
}
IF_IT_APPLIES: dict[str, Arguments] = {
    "hockney": lambda run, out: ["fit", run, "--model", "hockney"],
    "laws": lambda run, out: ["fit", run, "--model", "laws"],
    "netpipe": lambda run, out: ["export", run, "netpipe"],
    "goal": lambda run, out: ["export", run, "goal"],
    "twin": lambda run, out: ["twin", run, "--out", out / "twin"],
    "trace": lambda run, out: ["trace", run, "--size", "1024", "--out", out / "trace.json"],
}


WRITTEN = [
    *(
        (plan, testbed)
        for plan in names("plan")
        if plan not in NEEDS_A_FILE
        for testbed in SIMULATED
    ),
    *((plan, "sim:two-nics") for plan in OF_SEVERAL_NETWORKS),
    *OWN_FABRIC.items(),
]


RUNS_BETWEEN_NODES = {
    (plan, OWN_FABRIC.get(plan, SIMULATED[0]))
    for plan in names("plan")
    if plan not in NOT_BETWEEN_NODES
}


@pytest.mark.parametrize(("plan", "testbed"), WRITTEN)
def test_every_command_takes_what_a_simulator_wrote(
    plan: str, testbed: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    done = weft("run", plan, "--on", testbed, "--launches", "2", "--out", run)
    if (plan, testbed) in RUNS_BETWEEN_NODES:
        assert not done.returncode, done.stderr
        found = RunFolder.open(run)
        assert found.meta.status == "complete"
        assert found.samples.schema == SCHEMA and found.samples.num_rows
    elif done.returncode:
        _assert_a_sentence(done.returncode, done.stderr)
        return
    _use(run, tmp_path)


@pytest.mark.timed
@pytest.mark.parametrize("plan", MEASURED)
def test_every_command_takes_what_agents_measured(plan: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    options = ["--launches", "2", "--until", "launches=2"]
    done = weft("run", plan, "--on", "lab:pair", *options, "--out", run)
    assert done.returncode == 0, done.stderr
    _use(run, tmp_path)


def _use(run: Path, out: Path) -> None:
    for name, arguments in ALWAYS.items():
        done = weft(*arguments(run, out))
        assert done.returncode == 0, f"{name}: {done.stderr}"
        assert (done.stdout + done.stderr).strip(), f"{name} says nothing"
    for name, arguments in IF_IT_APPLIES.items():
        done = weft(*arguments(run, out))
        if done.returncode:
            _assert_a_sentence(done.returncode, done.stderr, name)


def _assert_a_sentence(status: int, said: str, name: str = "run") -> None:
    """A refusal says what is wrong: no traceback, no bare exit code."""
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    assert status == 2 and len(errors) == 1 and len(errors[0].split()) > 4, f"{name}: {said}"
