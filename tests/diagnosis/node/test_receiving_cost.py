"""What receiving costs, of kernels that keep interrupts' time apart and of others; the p of LAWS from it."""

import pyarrow as pa
import pytest

from weft.diagnosis.node.receiving_cost import byte_ps, measured_cost

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
