"""What guests take of a machine, and what there is."""

import pytest

from weft.base.errors import RequestError
from weft.measure.testbed.vm.brackets import split_spec
from weft.measure.testbed.vm.room import GuestCapacity, check_room
from weft.measure.testbed.vm.settings import GuestSettings

ROOM = GuestCapacity(free_mbytes=20_000, processors=4, accelerator="tcg")


def test_what_guests_take_is_said_with_what_there_is_and_what_would_be_right() -> None:
    guests = [GuestSettings()] * 64
    assert ROOM.text(guests) == (
        "64 emulated guests take 22,784 MB of memory (256 MB each, 100 more for its emulator) and 11 processors "
        "(6 guests on each); this machine has 20,000 MB free and 4 processors: enough for 24"
    )
    assert ROOM.right(guests).startswith("a fabric of at most 24 hosts, or namespaces")
    virtual = ROOM._replace(accelerator="kvm")
    assert (virtual.carries(256), virtual.carries(1900)) == (56, 10)
    assert "less memory for each (memory=192 in the brackets)" in virtual.right(guests)


def test_more_than_this_machine_carries_is_refused() -> None:
    with pytest.raises(RequestError, match=r"64 guests take 67,115,264 MB of memory"):
        check_room([GuestSettings(memory_mbytes=1 << 20)] * 64, "kvm")
    with pytest.raises(RequestError, match=r"6400 emulated guests take .* and 1,067 processors"):
        check_room([GuestSettings()] * 6400, "tcg")
    check_room([GuestSettings()] * 2, "tcg")


@pytest.mark.parametrize(
    ("spec", "said", "simulation"),
    [
        ("clos(leaves=4,spines=2,hosts=16)", "; 64 ", "sim:clos(leaves=4,spines=2,hosts=16)"),
        ("clos(hosts=640)", "; 640 ", "sim:clos(leaves="),
        ("crossbar(dims=2)", "simulated", "sim:crossbar(hosts="),
    ],
)
def test_a_generator_is_refused_with_what_its_hosts_would_take(
    spec: str, said: str, simulation: str
) -> None:
    with pytest.raises(RequestError) as refused:
        split_spec(spec)
    assert "fabrics of the catalogue or of a file" in refused.value.message
    assert said in refused.value.message
    assert "such as --on vm:pair" in refused.value.hint and simulation in refused.value.hint
