"""What stands in the brackets behind a fabric's name."""

import pytest

from weft.errors import RequestError
from weft.testbed.vm.settings import GuestSettings, split_spec


def test_a_name_alone_has_what_guests_have() -> None:
    assert split_spec("pair") == ("pair", GuestSettings("virtio", 1, 256))


def test_brackets_say_what_guests_are_like() -> None:
    assert split_spec("pair(nic=e1000, cpus=2, memory=512M)") == (
        "pair",
        GuestSettings("e1000", 2, 512),
    )


@pytest.mark.parametrize(
    ("spec", "said", "hint"),
    [
        ("pair(nic=e1001)", "no card 'e1001'", "virtio, e1000"),
        ("pair(cpu=2)", "no setting 'cpu'", "nic, bond, cpus, memory"),
        ("pair(bond=rr)", "no mode of a bond 'rr'", "balance-rr, active-backup"),
        ("pair(cpus=0)", "a whole number from 1 to 64", "1"),
        ("pair(memory=64)", "from 192 to", "192"),
        ("pair(nic=e1000", "not closed", "vm:pair"),
    ],
)
def test_what_is_wrong_is_named(spec: str, said: str, hint: str) -> None:
    with pytest.raises(RequestError) as refused:
        split_spec(spec)
    assert said in refused.value.message and hint in refused.value.hint
