"""What the use of virtual processors says against a measurement."""

from weft.measure.testbed.vm.boot.load import ProcessorUsage, Usages, load_warnings


def used(ran: float, waited: float) -> Usages:
    """One guest at rest, one that is busy."""
    return {("n1", 1): ProcessorUsage(10, 0.5, 0), ("n2", 2): ProcessorUsage(10, ran, waited)}


BEFORE: Usages = {("n1", 1): ProcessorUsage(0, 0, 0), ("n2", 2): ProcessorUsage(0, 0, 0)}


def test_the_guest_that_was_busy_is_named() -> None:
    (busy,) = load_warnings(BEFORE, used(9.5, 0.1))
    assert busy.code == "guest-busy" and "n2's processor was busy for 95%" in busy.message


def test_a_guest_that_waited_for_a_processor_is_named() -> None:
    (steal,) = load_warnings(BEFORE, used(2, 3))
    assert steal.code == "guest-steal" and "n2's processor waited" in steal.message


def test_guests_with_time_to_spare_and_new_ones_say_nothing() -> None:
    assert load_warnings(BEFORE, used(2, 0.1)) == []
    assert load_warnings({}, used(10, 10)) == []
