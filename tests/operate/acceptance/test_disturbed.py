"""No verdict rests on a run that was disturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.here import weft
from support.runs import stolen_mark
from weft.network.fabrics.load import load_fabric
from weft.operate.acceptance.declared import Promise
from weft.operate.acceptance.judgement import AcceptanceData, default_requirements, verdicts
from weft.operate.acceptance.pairs import SCREEN
from weft.runs.folder import RunFolder

FABRIC = "two-racks"
REASON = "1 of 1 launches were disturbed: the hypervisor took up to 49 % of processor 0 of n1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an acceptance of a sound network has measured."""
    folder = tmp_path_factory.mktemp("accepted") / "a"
    assert weft("accept", "--on", f"sim:{FABRIC}", "--out", folder).returncode == 0
    return folder


def judged(folder: Path, *disturbed: str) -> dict[str, str]:
    """By requirement the status, where these runs were disturbed; which has to be the reason."""
    runs = {
        one.parent.name: RunFolder.open(one.parent) for one in sorted(folder.glob("*/run.json"))
    }
    for name in disturbed:
        runs[name].meta.disturbed = [stolen_mark(0) | {"where": "processor 0 of n1"}]
    names = tuple(str(node["name"]) for node in runs[SCREEN].meta.nodes)
    promise = Promise(load_fabric(FABRIC), names)
    wanted = default_requirements(names, promise, is_computed=True)
    found = verdicts(wanted, AcceptanceData(names, None, promise, runs))
    assert all(
        one.evidence == (f"{disturbed[0]}: {REASON}",) and not one.symptoms
        for one in found
        if one.status != "met"
    )
    return {one.requirement: one.status for one in found}


def test_what_rests_on_a_disturbed_run_is_not_decided(folder: Path) -> None:
    of_limits = {"network.places", "network.limits"}
    quiet = judged(folder)
    assert set(quiet.values()) == {"met"} and {"nodes.slower", *of_limits} <= quiet.keys()
    assert _undecided(judged(folder, SCREEN)) == quiet.keys() - of_limits
    assert _undecided(judged(folder, "limits")) == of_limits


def _undecided(statuses: dict[str, str]) -> set[str]:
    return {key for key, status in statuses.items() if status == "not decided"}
