"""What receiving costs, of kernels that keep interrupts' time apart and of others; the p of LAWS from it."""

import pyarrow as pa
import pytest

from weft.runs.records.records import BusyCost, ReceivingCost
from weft.understand.kinds.loads.receiving_cost import (
    add_costs,
    busy_cost,
    byte_ps,
    elsewhere_byte_ns,
    host_byte_ns,
    measured_cost,
    wait_ns,
)

SENDER = [("process_system_ns", None, 500)]
OWN_TIME = [("process_user_ns", None, 10), ("process_system_ns", None, 90)]


def rows(*values: tuple[str, int | None, int]) -> pa.Table:
    counters, cpus, numbers = zip(*values, strict=True)
    columns = {"counter": counters, "cpu": pa.array(cpus, pa.int32()), "value": numbers}
    return pa.table(columns)


@pytest.mark.parametrize(
    ("busy", "host_ns"),
    [
        # Soft interrupts came while the receiver ran: its own time has them.
        ([("cpu_system_ns", 1, 70), ("cpu_softirq_ns", 1, 30)], 100),
        # They came while it slept, or the kernel keeps their time apart.
        ([("cpu_system_ns", 1, 100), ("cpu_softirq_ns", 1, 30)], 130),
        # Another program ran beside it.
        ([("cpu_user_ns", 1, 800), ("cpu_system_ns", 1, 100), ("cpu_softirq_ns", 1, 30)], 130),
    ],
)
def test_a_receiver_is_charged_with_its_own_time_and_what_came_beside_it(
    busy: list[tuple[str, int, int]], host_ns: int
) -> None:
    receiver = rows(*OWN_TIME, *busy, ("cpu_softirq_ns", 0, 60), ("cpu_irq_ns", 2, 10))
    cost = measured_cost((0, 0, 8), (400, 1000), (rows(*SENDER), receiver), cpu=1)
    assert (cost["host_ns"], cost["elsewhere_ns"], cost["sender_ns"]) == (host_ns, 70, 500)
    assert byte_ps(cost) == 1000 * (host_ns + 70) / 400


def cost(process_ns: int, waits: int, busy: BusyCost) -> ReceivingCost:
    numbers = {"step": 0, "launch": 0, "size_bytes": 1000, "bytes": 10_000, "elapsed_ns": 1}
    return ReceivingCost(
        **numbers,  # type: ignore[typeddict-item]
        host_ns=process_ns,
        process_ns=process_ns,
        elsewhere_ns=500,
        sender_ns=1,
        waits=waits,
        busy=busy,
    )


def test_what_waiting_takes_is_no_part_of_receiving() -> None:
    # 0.1 ns a byte and 50 ns a wait: 20 waits, and 2 where an application leaves it no time to.
    one = cost(2000, 20, BusyCost(bytes=20_000, host_ns=2200, waits=4))
    assert wait_ns(one) == pytest.approx(50)
    assert host_byte_ns(one) == pytest.approx(0.1)
    assert byte_ps(one) == 150
    both = add_costs([one, one])
    assert both["waits"] == 40 and wait_ns(both) == pytest.approx(50)


def test_a_receiver_that_waits_all_the_same_does_not_tell_what_waiting_takes() -> None:
    one = cost(2000, 20, BusyCost(bytes=20_000, host_ns=3900, waits=38))
    assert wait_ns(one) is None and host_byte_ns(one) == pytest.approx(0.2)


def test_the_work_of_a_receiver_that_computed_is_left_out() -> None:
    counted = [("application_iterations", None, 40), ("process_voluntary_switches", None, 3)]
    speeds = [("application_iteration_ps", None, ps) for ps in (900, 1000, 9000)]
    softirqs = [("cpu_softirq_ns", 0, 7), ("cpu_softirq_ns", 1, 70)]
    found = busy_cost(400, rows(*OWN_TIME, *counted, *speeds, *softirqs), cpu=1)
    assert found == {"bytes": 400, "host_ns": 60, "waits": 3, "elsewhere_ns": 7}


def test_waking_a_receiver_and_what_moves_to_its_processor_are_no_work_elsewhere() -> None:
    """Others take 0.05 ns a byte where it waits, and 0.02 where it has no time to; 0.03 of its own were theirs."""
    one = cost(2000, 20, BusyCost(bytes=20_000, host_ns=2200, waits=4, elsewhere_ns=400))
    assert elsewhere_byte_ns(one) == pytest.approx(0.02)
    assert byte_ps(one) == 120
    assert elsewhere_byte_ns(add_costs([one, one])) == pytest.approx(0.02)
    waits_all_the_same = BusyCost(bytes=20_000, host_ns=3900, waits=38, elsewhere_ns=400)
    assert elsewhere_byte_ns(cost(2000, 20, waits_all_the_same)) == pytest.approx(0.05)
