"""Host files: what they say, and what is said of mistakes in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.errors import RequestError
from weft.testbed.hosts.host import Place
from weft.testbed.hosts.host_file import read_host_file
from weft.testbed.hosts.launcher import Mpirun, Ssh, Template
from weft.testbed.open import open_testbed

WHOLE = """
ports = "5000-5100"
options = ["-F", "config"]
at_once = 8
tree = 3

[[nodes]]
ids = "n[1-2]"
login = "admin@{node}-mgmt"
address = ["10.0.0.[1-2]", "10.1.0.[1-2]"]
groups = ["rack1"]

[[nodes]]
ids = "c1"
command = "docker exec -i {node}"
interface = ["eth0", "eth1"]
ports = "7000"
cache = "/var/tmp"
deadline_s = 5
groups = ["rack1", "box"]

[[nodes]]
ids = "m1"
launcher = "mpirun"
address = ["{node}-a", "{node}-b"]
agent = "/opt/weft-probe"
"""


def write(folder: Path, text: str) -> str:
    path = folder / "cluster.toml"
    path.write_text(text)
    return str(path)


def test_a_file_says_how_to_log_in_and_where_data_goes(tmp_path: Path) -> None:
    cluster = read_host_file(write(tmp_path, WHOLE))
    n1, n2, c1, m1 = cluster.hosts
    assert (n1.login, n2.login, c1.login) == ("admin@n1-mgmt", "admin@n2-mgmt", "c1")
    assert n2.places == (Place("10.0.0.2"), Place("10.1.0.2"))
    assert c1.places == (Place(interface="eth0"), Place(interface="eth1"))
    assert m1.places == (Place("m1-a"), Place("m1-b"))
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


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('ids = "n1"', "{}:1: ids = 'n1': unknown key; known here: nodes", ""),
        ("", "{}: it has no [[nodes]]", "ids"),
        ("[[nodes]]\nids = 'n[1-'", "{}:2: nodes[0].ids: node set 'n[1-'", "for example"),
        ('[[nodes]]\nids = "n1"\nlogin = "a\\u0000b"', "must be text in quotes, without control", ""),
        ("[[nodes]]\nlogin = 'x'", "{}:1: nodes[0].ids is missing", "ids"),
        ("[[nodes]]\nids = 'n1'\nadress = 'x'", "{}:3: nodes[0].adress = 'x': unknown key, did you mean", ""),
        ("[[nodes]]\nids = 'n1'\n[[nodes]]\nids = 'n1'", "{}:4: nodes[1].ids names n1 a second time", ""),
        (
            "[[nodes]]\nids = 'n[1-3]'\naddress = '10.0.0.[1-2]'",
            "address = '10.0.0.[1-2]' has 2 addresses for 3 nodes",
            "one for each",
        ),
        ("[[nodes]]\nids = 'n1'\naddress = '1.2.3.4'\ninterface = 'e'", "both say", ""),
        ("ports = '5100-5000'\n[[nodes]]\nids = 'n1'", "{}:1: ports: '5100-5000' is not", "5000-"),
        ("ports = '0'\n[[nodes]]\nids = 'n1'", "{}:1: ports: '0' is not a range", ""),
        ("ports = 5000\n[[nodes]]\nids = 'n1'", "{}:1: ports = 5000: must be text in quotes", ""),
        ("at_once = 0\n[[nodes]]\nids = 'n1'", "at_once = 0: must be a whole number from 1", ""),
        ("launcher = 'rsh'\n[[nodes]]\nids = 'n1'", "launcher = 'rsh' is none", "ssh, template"),
        ("launcher = 'template'\n[[nodes]]\nids = 'n1'", "needs a command", "docker"),
        ("command = 'docker exec'\n[[nodes]]\nids = 'n1'", "does not say where {{node}}", ""),
        ("command = 'x {{node}} {{nod}}'\n[[nodes]]\nids = 'n1'", "has {{nod}}", "{{command}}"),
        ("options = [1]\n[[nodes]]\nids = 'n1'", "options = [1]: must be a list of texts", ""),
        (
            "[[nodes]]\nids = 'n1'\ncommand = 'x {{node}}'\noptions = '-v'",
            "nodes[0].options: are for ssh and mpirun",
            "into the command",
        ),
        ("nodes = 3", "{}: it has no [[nodes]]", ""),
        ("[[nodes]\n", "{}: not TOML: ", ""),
    ],
)  # fmt: skip
def test_each_mistake_has_one_message_that_says_where(
    tmp_path: Path, text: str, message: str, hint: str
) -> None:
    path = write(tmp_path, text.replace("{{", "{").replace("}}", "}"))
    with pytest.raises(RequestError) as caught:
        read_host_file(path)
    assert message.format(path) in caught.value.message
    assert hint.replace("{{", "{").replace("}}", "}") in caught.value.hint


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no such host file"):
        open_testbed(f"hosts:{tmp_path}/nosuch.toml")


def test_nodes_must_be_in_as_many_networks(tmp_path: Path) -> None:
    text = "[[nodes]]\nids='a'\naddress='10.0.0.1'\n[[nodes]]\nids='b'\naddress=['10.0.0.2','10.1.0.2']"
    with pytest.raises(RequestError, match="a is in 1 networks, b in 2"):
        open_testbed(f"hosts:{write(tmp_path, text)}")


def test_an_address_that_nobody_knows_is_named(tmp_path: Path) -> None:
    text = "[[nodes]]\nids='a'\naddress='nosuch.invalid'"
    with pytest.raises(RequestError, match=r"its address nosuch\.invalid is not known here"):
        open_testbed(f"hosts:{write(tmp_path, text)}")


def test_a_range_of_ports_must_do_for_all_who_share_an_address(tmp_path: Path) -> None:
    text = "ports='5000-5001'\n[[nodes]]\nids='n[1-3]'\naddress='127.0.0.1'"
    with pytest.raises(
        RequestError, match=r"3 nodes share the address 127\.0\.0\.1, and there are 2"
    ):
        open_testbed(f"hosts:{write(tmp_path, text)}")
