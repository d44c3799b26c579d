"""Thresholds that are known to the byte, over the real thing on this machine.

What else runs on the machine may hide one, so that a run may be tried again; what it then says must be right.
"""

from pathlib import Path

import pytest

from support.clusters.mpi import INSTALLED
from support.here import weft_json
from support.made.evidence import recorded_batches
from weft.runs.folder import RunFolder
from weft.understand.curve.thresholds import Threshold, thresholds
from weft.understand.host.evidence import evidence

pytestmark = [pytest.mark.alone, pytest.mark.usefixtures("own_cache")]

TRIES = 12
LOOPBACK_SEGMENT = 65_536 - 40 - 12
"""The interface's MTU without the headers of IP and TCP, and the time stamps."""
OB1_HEADER = 56
"""What Open MPI's matching layer takes of an eager fragment."""


def pinned(folder: Path, *arguments: str) -> list[Threshold]:
    said = weft_json("run", "thresholds", "--on", "local:2", "--out", folder, *arguments)
    assert said["status"] == "complete", said
    return thresholds(RunFolder.open(folder))


def sizes(least: str, most: str) -> list[str]:
    bounds = (("min", least), ("max", most))
    return [word for key, size in bounds for word in ("--set", f"steps.*.sizes.{key}='{size}'")]


def confirmed(folder: Path, *arguments: str) -> dict[tuple[int, int], str | None]:
    """What a run of some confirms, with its name; the first that confirms anything."""
    for number in range(TRIES):
        found = pinned(folder / str(number), *arguments)
        places = {
            (one.pin.before, one.pin.after): one.name
            for one in found
            if one.pin and one.pin.state == "confirmed"
        }
        if places:
            return places
    return {}


def test_the_segment_of_a_tcp_connection(tmp_path: Path) -> None:
    # On one processor, since waking another costs tens of times what a second segment does.
    places = confirmed(tmp_path, *sizes("32 KiB", "128 KiB"), "--cpus", "0,0")
    assert (LOOPBACK_SEGMENT - 1, LOOPBACK_SEGMENT) in places
    check_evidence(RunFolder.open(max(tmp_path.iterdir())))


def check_evidence(run: RunFolder) -> None:
    """Both ends recorded the same ones of the batches that bisect, and their points are listed by size."""
    chosen = {(one["launch"], one["phase"]): one["size_bytes"] for one in run.meta.phases}
    recorded = [
        sorted(one[1:] for one in recorded_batches(run, node) if one[1:3] in chosen)
        for node in (0, 1)
    ]
    assert recorded[0] == recorded[1]
    sizes = {chosen[one[:2]] for one in recorded[0]}
    assert sizes and sizes <= {point.size_bytes for point in evidence(run).points}


@pytest.mark.parametrize(
    ("mpi", "name", "last"),
    [
        ("openmpi", "btl_vader_eager_limit", 3001 - OB1_HEADER),
        ("openmpi", "btl_tcp_eager_limit", 3001 - OB1_HEADER),
        ("mpich", "UCX_RNDV_THRESH", 3000),
    ],
)
def test_an_eager_limit(
    mpi: str, name: str, last: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mpi not in INSTALLED:
        pytest.skip(f"no {mpi}")
    btl = name.split("_")[1]
    settings = {"btl": f"{btl},self", "pml": "ob1", name: "3001", "mpi_yield_when_idle": "0"}
    for key, value in settings.items():
        monkeypatch.setenv(f"OMPI_MCA_{key}", value)
    monkeypatch.setenv("UCX_RNDV_THRESH", "3001")
    over = ["--transport", "mpi", "--mpi", mpi, *sizes("512 B", "16 KiB")]
    named = f"eager to rendezvous, {name} = 3,001 B"
    assert confirmed(tmp_path, *over).get((last, last + 1)) == named
