"""A dry run of guests, which boots none."""

from pathlib import Path

import pytest

from support.here import weft, weft_json
from weft.base.errors import RequestError, WorkError
from weft.measure.execute.request import RunRequest, foresee_run
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.testbed import open_lab
from weft.measure.testbed.vm.boot.kernel import ROOT
from weft.measure.testbed.vm.planned import PlannedGuest, open_planned


@pytest.fixture(autouse=True)
def nothing_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without QEMU and kernel, and a registry of this test's own."""
    for key in ("PATH", ROOT, "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(key, str(tmp_path))
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


def test_a_dry_run_says_what_would_boot_and_what_is_missing_and_boots_nothing() -> None:
    outlook = foresee_run(RunRequest("multi-pair", "vm:two-nics(cpus=2,memory=512,nic=e1000)"))
    assert outlook.guests and not outlook.guests.are_up and not outlook.guests.can_run
    assert outlook.guests.each == [
        PlannedGuest(name, 2, 512, ["e1000", "e1000"]) for name in ("n1", "n2")
    ]
    missing = {need.name: need for need in outlook.guests.missing}
    assert {"QEMU", "kernel", "busybox"} <= missing.keys()
    assert missing["QEMU"].get == "apt-get install qemu-system-x86"
    assert registry.entries() == []


def test_it_is_a_table_and_a_document() -> None:
    arguments = ["run", "signature", "--on", "vm:pair", "--dry-run"]
    told = weft(*arguments)
    assert told.returncode == 0 and "guests cannot run" in told.stdout
    assert "steps: pingpong" in told.stdout
    document = weft_json(*arguments)
    assert document["guests"][1] == {
        "name": "n2",
        "cpus": 1,
        "memory_mbytes": 256,
        "cards": ["virtio"],
    }
    assert document["can_run"] is False and document["steps"] == ["pingpong"]


@pytest.mark.timed
def test_guests_will_have_the_addresses_of_other_labs() -> None:
    with open_lab("two-nics") as lab:
        there = [(node.name, node.places) for node in lab.nodes]
    assert [(node.name, node.places) for node in open_planned("two-nics", 1.0).nodes] == there
    bonded = open_planned("two-nics(bond=balance-rr,nodes=n2)", 1.0).nodes
    assert [node.with_bond[2:] for node in bonded] == [("10.255.0.2",)]


def test_what_a_run_would_refuse_is_refused() -> None:
    with pytest.raises(RequestError, match="n1 has one"):
        foresee_run(RunRequest("signature", "vm:pair(bond=802.3ad)"))
    with pytest.raises(RequestError, match=r"2 (emulated )?guests take 2,000,200 MB"):
        foresee_run(RunRequest("signature", "vm:pair(memory=1000000)"))
    with pytest.raises(RequestError, match="no host n9"):
        foresee_run(RunRequest("signature", "vm:pair(nodes=n9)"))


def test_nothing_can_be_started_on_guests_that_are_not_up() -> None:
    planned = open_planned("pair", 0.1)
    assert planned.describe()["scale"] == 0.1
    with pytest.raises(WorkError, match="n1 is not up"):
        planned.node_command(planned.nodes[0], ["true"])
