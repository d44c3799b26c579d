"""`weft doctor`: what is there is tried, and what is not says how to get it."""

import json
import os
import platform
from pathlib import Path

import pytest

from support.command import WEFT, run
from weft.operate.doctor.main_job import works
from weft.operate.doctor.programs import install
from weft.operate.doctor.row import DoctorRow


def doctored(**changes: str) -> dict[str, dict[str, str]]:
    """The rows by what they are about."""
    done = run([*WEFT, "doctor", "--json"], env=os.environ | changes)
    document = json.loads(done.stdout)
    assert (done.returncode, document["works"]) == (0, True), done.stderr
    return {row["what"]: row for row in document["rows"]}


@pytest.mark.timed
def test_agents_labs_and_the_kernel_are_tried() -> None:
    rows = doctored()
    assert {rows[what]["state"] for what in ("simulators", "agent", "user namespaces")} == {"yes"}
    # The lab says why it has not all that it could have.
    assert rows["labs"]["state"] == "yes" or rows["labs"]["seen"]
    assert rows["network namespaces"]["state"] == "yes" or rows["labs"]["state"] == "no"
    assert rows["a web server"]["state"] == "yes" or "apache2" in rows["a web server"]["seen"]
    assert {"unix", "shm", "CPU pinning", "disk space here", "Open MPI"} <= set(rows)


def test_what_is_not_there_says_how_to_get_it(tmp_path: Path) -> None:
    rows = doctored(PATH="", WEFT_BIN=str(tmp_path))
    assert "no such program" in rows["agent"]["seen"] and "make setup" in rows["agent"]["get"]
    assert rows["simulators"]["state"] == "yes"
    assert rows["iperf3"]["state"] == "no" and rows["iperf3"]["get"].endswith(" iperf3")
    assert all(row["get"] for row in rows.values() if row["state"] == "no")


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ({"ID": "debian"}, "apt-get install slurm-client"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "dnf install slurm"),
        ({"ID": "opensuse-leap", "ID_LIKE": "suse opensuse"}, "no package of this distribution"),
    ],
)
def test_packages_have_the_names_of_this_distribution(
    monkeypatch: pytest.MonkeyPatch, release: dict[str, str], command: str
) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    assert install({"apt": "slurm-client", "dnf": "slurm"}).startswith(command)


def test_weft_works_where_it_can_simulate_or_measure() -> None:
    row = DoctorRow("weft", "agent", "yes", "", "")
    assert works([row]) and not works([DoctorRow("weft", "agent", "no", "", "")])
    assert not works([DoctorRow("weft", "labs", "yes", "", "")])
