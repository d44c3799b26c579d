"""Other traffic is what interfaces carried beyond what agents moved themselves; what it explains is left open."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from support.live.virtual_cluster import VirtualCluster, network_of, simulate, star
from weft.runs.columns.table_file import write_table
from weft.runs.columns.tables import EVIDENCE_NAME, SCHEMAS
from weft.runs.folder import RunFolder
from weft.understand.host.other_traffic import other_traffic
from weft.understand.limits.diagnosis import diagnose

PHASES, PHASE_NS = 10, 500_000_000
OWN_BYTES = 500_000
FULL_FRAMES = OWN_BYTES // 1448
NODES, SENDER, RECEIVER = 6, 1, 4


def evidence(others: dict[tuple[int, str], int]) -> pa.Table:
    """Phases in which each node moves OWN_BYTES each way, and by node and interface direction as much of others."""
    counted = list(_counted(others))
    fixed = {"step": 2, "launch": 0, "batch": 0, "batches": 1, "cpu": None}
    names = ("phase", "node", "counter", "value")
    rows = [fixed | dict(zip(names, one, strict=True)) for one in counted]
    schema = SCHEMAS[EVIDENCE_NAME]
    return pa.table({name: [one[name] for one in rows] for name in schema.names}).cast(schema)


def _counted(others: dict[tuple[int, str], int]) -> Iterator[tuple[int, int, str, int]]:
    for phase in range(PHASES):
        for node in range(NODES):
            yield phase, node, "elapsed_ns", PHASE_NS
            for way, verb in (("tx", "sent"), ("rx", "received")):
                other = others.get((node, way), 0)
                frames = FULL_FRAMES + other // 1448
                yield phase, node, f"session_{verb}_bytes", OWN_BYTES
                yield phase, node, f"interface_{way}_packets", 2 * frames
                # Data, and a small acknowledgement for each frame that went the other way.
                yield phase, node, f"interface_{way}_bytes", OWN_BYTES + other + 2 * 66 * frames


def run_beside(
    folder: Path, others: dict[tuple[int, str], int], extra: str = "", kind: str = "lab"
) -> RunFolder:
    simulation = simulate(VirtualCluster(network_of(star(NODES, extra))))
    simulation.meta.testbed["kind"] = kind
    run = simulation.write(folder / "run")
    write_table(evidence(others), run.directory / EVIDENCE_NAME)
    return RunFolder.open(run.directory)


JOB = {(SENDER, "tx"): 250_000, (RECEIVER, "rx"): 250_000}


def test_nodes_with_a_job_are_named_with_direction_and_rate(tmp_path: Path) -> None:
    run = run_beside(tmp_path, JOB)
    found = other_traffic(run.meta, run.stored_table(EVIDENCE_NAME))
    assert [(one.node, one.side) for one in found] == [(SENDER, "out"), (RECEIVER, "in")]
    assert [one.mbps for one in found] == pytest.approx([4.0, 4.0], rel=0.15)
    verdict = diagnose(run).verdict
    assert "Beside other traffic: n2 sent 3." in verdict and "n5 received 3." in verdict


def test_without_a_job_or_with_an_interface_in_common_nothing_is_said(tmp_path: Path) -> None:
    quiet = run_beside(tmp_path / "quiet", {})
    shared = run_beside(tmp_path / "shared", JOB, kind="local")
    for run in (quiet, shared):
        assert other_traffic(run.meta, run.stored_table(EVIDENCE_NAME)) == []
        assert "other traffic" not in diagnose(run).verdict


@pytest.mark.parametrize("other_bytes, is_slow", [(250_000, False), (50_000, True)])
def test_a_node_that_lacks_what_a_job_took_is_not_called_slow(
    tmp_path: Path, other_bytes: int, is_slow: bool
) -> None:
    half = '[[overrides]]\nids = "n2"\nlink = { rate = "50 Mb/s" }'
    job = {(SENDER, "tx"): other_bytes, (SENDER, "rx"): other_bytes}
    found = diagnose(run_beside(tmp_path, job, half))
    assert [one.name for one in found.slow] == (["n2"] if is_slow else [])
    doubts = [one for one in found.undecided if one.startswith("whether it is slow or other")]
    assert len(doubts) == (0 if is_slow else 1)
