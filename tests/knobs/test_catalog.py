"""The catalogue of knobs."""

import pytest

from weft.base.errors import RequestError
from weft.knobs.catalog import find, knobs
from weft.knobs.knob import Access, Knob

ALL = sorted(knobs().values(), key=lambda one: one.name)
NAMED = pytest.mark.parametrize("knob", ALL, ids=lambda one: one.name)


@NAMED
def test_each_can_be_set_in_exactly_one_way_and_says_what_it_may_disturb(knob: Knob) -> None:
    by_socket = knob.option is not None or knob.transport is not None
    assert [by_socket, knob.set is not None, bool(knob.environment)].count(True) == 1
    assert knob.is_of_node == (knob.scope in ("interface", "host"))
    assert knob.disturbs and knob.permanent and knob.goals
    assert knob.candidates or knob.prior or knob.transport


@NAMED
def test_what_is_set_on_a_node_can_be_read_and_stays_in_proc_and_sys(knob: Knob) -> None:
    assert (knob.read is None) == (knob.set is None)
    for one in filter(None, (knob.read, knob.set, knob.allowed)):
        assert bool(one.file) != bool(one.command)
        assert not one.file or one.file.startswith(("/proc/sys/", "/sys/class/net/", "/proc/irq/"))
    if knob.set is not None:
        assert knob.by_hand and knob.needs_root
        assert knob.set.file or "{value}" in knob.set.command
        assert ("{interface}" in _texts(knob.set)) == (knob.scope == "interface")


def _texts(access: Access) -> str:
    return " ".join((access.file, access.each, *access.command))


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(RequestError) as refused:
        find("tcp_rmen")
    assert "did you mean tcp_rmem?" in str(refused.value.hint)
