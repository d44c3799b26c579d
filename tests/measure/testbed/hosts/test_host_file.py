"""Host files: what they say, and what is said of mistakes in them."""

from pathlib import Path

import pytest

from support.made.cases import cases
from support.paths import DATA
from support.refusals import refused
from weft.base.errors import RequestError
from weft.measure.testbed.hosts.host import NetworkAddress
from weft.measure.testbed.hosts.host_file import read_host_file
from weft.measure.testbed.hosts.launcher import Mpirun, Ssh, Template
from weft.measure.testbed.open import open_testbed

WHOLE = (DATA / "host_file.toml").read_text()


def write(folder: Path, text: str) -> str:
    path = folder / "cluster.toml"
    path.write_text(text)
    return str(path)


def test_a_file_says_how_to_log_in_and_where_data_goes(tmp_path: Path) -> None:
    cluster = read_host_file(write(tmp_path, WHOLE))
    n1, n2, c1, m1 = cluster.hosts
    assert (n1.login, n2.login, c1.login) == ("admin@n1-mgmt", "admin@n2-mgmt", "c1")
    assert n2.places == (NetworkAddress("10.0.0.2"), NetworkAddress("10.1.0.2"))
    assert c1.places == (NetworkAddress(interface="eth0"), NetworkAddress(interface="eth1"))
    assert m1.places == (NetworkAddress("m1-a"), NetworkAddress("m1-b"))
    assert n1.launcher == Ssh(("-F", "config"))
    assert c1.launcher == Template(("docker", "exec", "-i", "{node}"))
    assert m1.launcher == Mpirun(("-F", "config"))
    assert [str(host.ports) for host in cluster.hosts] == ["5000-5100"] * 2 + ["7000", "5000-5100"]
    assert (c1.cache, c1.deadline_s, n1.deadline_s) == ("/var/tmp", 5, 20)
    assert m1.agent == "/opt/weft-probe"
    assert (cluster.pace.at_once, cluster.pace.tree) == (8, 3)
    assert cluster.groups == {"rack1": ["n1", "n2", "c1"], "box": ["c1"]}


def test_some_nodes_of_a_file_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, WHOLE.replace("{node}-a", "127.0.0.1").replace("{node}-b", "127.0.0.2"))
    for chosen, names in (("@rack1", ["c1", "n1", "n2"]), ("m1,n1", ["m1", "n1"])):
        with open_testbed(f"hosts:{path}:{chosen}") as testbed:
            assert [node.name for node in testbed.nodes] == names
    with pytest.raises(RequestError, match="has no node n7"):
        open_testbed(f"hosts:{path}:n7")


@pytest.mark.parametrize(("text", "message", "hint"), cases("host_files", "mistakes"))
def test_each_mistake_has_one_message_that_says_where(
    tmp_path: Path, text: str, message: str, hint: str
) -> None:
    path = write(tmp_path, text.replace("{{", "{").replace("}}", "}"))
    with pytest.raises(RequestError) as caught:
        read_host_file(path)
    assert message.format(path) in caught.value.message
    assert hint.replace("{{", "{").replace("}}", "}") in caught.value.hint


@pytest.mark.parametrize(("text", "said"), cases("host_files", "impossible_nodes"))
def test_nodes_that_no_testbed_can_be_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with refused(said):
        open_testbed(f"hosts:{write(tmp_path, text)}")
    with refused("no such host file"):
        open_testbed(f"hosts:{tmp_path}/nosuch.toml")


@pytest.mark.parametrize(
    "text",
    [
        "# Open MPI\nn1 slots=4\nn2 slots=4 max_slots=8  # the second\nadmin@10.0.0.3 slots = 2\nn1\n",
        "n1:4\nn2:4 binding=user:0-3\n\nadmin@10.0.0.3\n",
        "n1\nn2\nadmin@10.0.0.3\n",
    ],
)
def test_a_host_file_of_mpi_is_read(tmp_path: Path, text: str) -> None:
    """Of Open MPI, MPICH, or names alone; slots are no nodes."""
    path = tmp_path / "hostfile"
    path.write_text(text)
    cluster = read_host_file(str(path))
    assert [one.name for one in cluster.hosts] == ["n1", "n2", "10.0.0.3"]
    assert [one.login for one in cluster.hosts] == ["n1", "n2", "admin@10.0.0.3"]
    assert {type(one.launcher) for one in cluster.hosts} == {Ssh}


def test_what_is_no_host_file_at_all_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hostfile"
    path.write_text("n1 slots=4\nn2 because=\n")
    with pytest.raises(RequestError, match="not TOML"):
        read_host_file(str(path))
