"""What stands in the brackets behind a fabric's name."""

from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.measure.testbed.vm.brackets import Brackets, split_spec
from weft.measure.testbed.vm.described import settings_of
from weft.measure.testbed.vm.settings import GuestSettings
from weft.network.fabrics.load import load_fabric


def test_a_name_alone_has_what_guests_have() -> None:
    assert split_spec("pair") == ("pair", Brackets())
    assert Brackets().over(GuestSettings()) == GuestSettings(("virtio",), 1, 256)


def test_brackets_say_what_guests_are_like() -> None:
    assert split_spec("pair(nic=e1000, cpus=2, memory=512M)") == (
        "pair",
        Brackets("e1000", 2, 512),
    )
    name, brackets = split_spec("xen-like(memory=512,nodes=n1,nodes=g[1,2])")
    assert (name, brackets.nodes, brackets.of_guests.text()) == ("xen-like", "g[1,2]", "memory=512")


@pytest.mark.parametrize(
    ("spec", "said", "hint"),
    [
        ("pair(nic=e1001)", "no card 'e1001'", "virtio, e1000"),
        ("pair(cpu=2)", "no setting 'cpu'", "nic, bond, cpus, memory, nodes"),
        ("pair(bond=rr)", "no mode of a bond 'rr'", "balance-rr, active-backup"),
        ("pair(queues=2)", "one pair of queues", "leave queues out"),
        ("pair(icount=11)", "power of two of ns", "icount=auto"),
        ("pair(cpus=0)", "a whole number from 1 to 64", "1"),
        ("pair(memory=64)", "from 192 to", "192"),
        ("pair(nic=e1000", "not closed", "vm:pair"),
    ],
)
def test_what_is_wrong_is_named(spec: str, said: str, hint: str) -> None:
    with pytest.raises(RequestError) as refused:
        split_spec(spec)
    assert said in refused.value.message and hint in refused.value.hint


GUESTS = """
name = "mixed"
[[hosts]]
ids = "n[1-2]"
kind = "vm"
attach = "s1"
guest = { memory = 512, nic = ["virtio", "e1000"], bond = { mode = "802.3ad", hash = "layer3+4" } }
[[hosts]]
ids = "n3"
attach = "s1"
[[switches]]
ids = "s1"
"""


def test_brackets_hold_instead_of_the_fabric(tmp_path: Path) -> None:
    (tmp_path / "mixed.toml").write_text(GUESTS)
    fabric = load_fabric(str(tmp_path / "mixed.toml"))
    found = settings_of(fabric, Brackets(cpus=2))
    assert found["n3"] == GuestSettings(cpus=2)
    assert (found["n1"].memory_mbytes, found["n1"].cpus, found["n1"].nics) == (
        512,
        2,
        ("virtio", "e1000"),
    )
    assert [found["n2"].card(at).module for at in range(3)] == ["virtio_net", "e1000", "e1000"]
    with pytest.raises(RequestError, match="2 processors beside icount"):
        settings_of(fabric, Brackets(cpus=2, icount="3"))
    (tmp_path / "mixed.toml").write_text(
        GUESTS.replace('ids = "n3"', 'ids = "n3"\nkind = "namespace"')
    )
    assert set(settings_of(load_fabric(str(tmp_path / "mixed.toml")), Brackets())) == {"n1", "n2"}
    assert settings_of(fabric, Brackets(bond="balance-rr"))["n1"].bond == {"mode": "balance-rr"}


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('"e1000"', '"e1001"', "mixed: n1: nic: no card 'e1001'"),
        ("802.3ad", "lacp", "mixed: n1: bond.mode: no mode of a bond 'lacp'"),
        ("layer3+4", "layer9", "no hash policy of a bond 'layer9'"),
    ],
)
def test_what_no_guest_can_be_is_refused(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    (tmp_path / "mixed.toml").write_text(GUESTS.replace(right, wrong))
    with pytest.raises(RequestError) as refused:
        settings_of(load_fabric(str(tmp_path / "mixed.toml")), Brackets())
    assert said in refused.value.message
