"""Runs between two nodes of which the cause is known, made from counters beside their batches; and healthy ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from common.sensitive.answer import Answer, Ask
from support.made.evidence import Counter
from support.made.explained import BUSY, SIZES, STREAM, a_run, even, explained, two_modes
from support.plans import a_step
from support.runs import affine_us, launches_of, step_rows, write_run
from weft.plan.pattern import Pingpong
from weft.plan.plan import Options
from weft.runs.folder import RunFolder
from weft.runs.records.records import Stall
from weft.understand.explain.path_mtu import path_mtu_holes

Counters = Mapping[Counter, npt.ArrayLike]
Floats = npt.NDArray[np.float64]
LATE: Counter = (1, "process_waiting_ns", None)
STUCK: Stall = {
    "step": 0,
    "launch": 0,
    "node": "n1",
    "segment_bytes": 1448,
    "unacknowledged": 2,
    "resends": 5,
    "unanswered_ms": 9000,
}


def cases() -> Iterator[Ask]:
    for changed in ({}, {"resends": 2}, {"resends": 1}, {"unanswered_ms": 500}):
        yield partial(_hole, changed)
    yield partial(_limited, {}, ())
    for cause, counter, share in SHARES:
        for times in (0.7, 1.6):
            yield partial(_limited, {counter: times * share}, (cause,) if times > 1 else ())
    for bytes_, cause in ((16_384, "receive-buffer"), (400_000, ""), (64 << 20, "reader-slow")):
        yield partial(_buffer, bytes_, cause)
    for counts, cause in LOST:
        yield partial(_lost, counts, cause)
    for bytes_, cause in ((1.07e7, ""), (1.3e7, "competing-traffic")):
        yield partial(_traffic, bytes_, cause)
    for excess, cause in ((0.36, "processor-contention"), (0.12, "")):
        yield partial(_modes, {LATE: excess}, cause)
    for late, cause in ((410, "interrupts"), (30, "")):
        yield partial(_softirqs, late, cause)
    yield partial(_turns, 0.1)
    for share in (0.05, 0.15):
        yield partial(_outliers, share)
    yield _dip
    yield _kink
    yield _jump


FULL: Counter = (0, "tcp_receive_window_limited_ns", None)
SHARES: tuple[tuple[str, Counter, float], ...] = (
    ("processor-contention", LATE, 0.2),
    ("stolen-time", (0, "cpu_steal_ns", 1), 0.1),
    ("send-buffer", (0, "tcp_send_buffer_limited_ns", None), 0.3),
    ("reader-slow", FULL, 0.2),
)
"""The share of the time that is about enough to be named."""
LOST: tuple[tuple[Counters, str], ...] = (
    ({(0, "tcp_retransmits", None): 20, **BUSY}, "loss-on-the-way"),
    ({(0, "tcp_retransmits", None): 20, **BUSY, (0, "tcp_rtt_ns", None): 5_000}, ""),
    (
        {
            (0, "tcp_retransmits", None): 1,
            **BUSY,
            (0, "tcp_rtt_ns", None): 5_000,
            (0, "nstat:TcpExtTCPTimeouts", None): 1,
        },
        "loss-on-the-way",
    ),
    ({(0, "softnet_dropped", 0): 20, (1, "interface_rx_packets", None): 10_000}, "backlog-drops"),
    ({(0, "softnet_dropped", 0): 20, (1, "interface_rx_packets", None): 100_000}, ""),
    ({(0, "tcp_retransmits", None): 300, **BUSY, (1, "interface_rx_dropped", None): 200}, ""),
)


def _answer(run: RunFolder, counters: Counters, expected: tuple[str, ...], of: str = "") -> Answer:
    """What is said of a run; the causes that are expected, of one kind of finding or of all."""
    found = explained(run, counters)
    named = {one.cause for one in found if one.cause and of in ("", one.kind)}
    said = [(one.kind, one.cause, one.is_harmless, one.nodes, one.text) for one in found]
    return Answer(len(named ^ set(expected)), str(said))


def _made(
    times: Floats,
    make: Callable[[RunFolder, Floats], Counters],
    expected: tuple[str, ...],
    **step: object,
) -> Answer:
    with TemporaryDirectory() as folder:
        made = a_step(STREAM, sizes=SIZES, **step) if step else None
        run, took_ns = a_run(Path(folder), times, made)
        return _answer(run, make(run, took_ns), expected)


def _limited(shares: Mapping[Counter, float], expected: tuple[str, ...]) -> Answer:
    def make(run: RunFolder, took_ns: Floats) -> Counters:
        return BUSY | {counter: share * took_ns for counter, share in shares.items()}

    return _made(even(), make, expected)


def _buffer(bytes_: int, cause: str) -> Answer:
    """A window that is full for most of the time."""

    def make(run: RunFolder, took_ns: Floats) -> Counters:
        return BUSY | {(0, "tcp_rtt_ns", None): 100_000, FULL: 0.6 * took_ns}

    options = Options(receive_buffer_bytes=bytes_)
    return _made(even(), make, (cause,) if cause else (), options=options)


def _lost(counters: Counters, cause: str) -> Answer:
    return _made(even(), lambda run, took_ns: counters, (cause,) if cause else ())


def _traffic(received: float, cause: str) -> Answer:
    def make(run: RunFolder, took_ns: Floats) -> Counters:
        return {
            (1, "tcp_bytes_received", None): 10**7,
            (0, "tcp_bytes_sent", None): 10**7,
            (1, "interface_rx_packets", None): 7000,
            (1, "interface_rx_bytes", None): received,
        }

    return _made(even(), make, (cause,) if cause else ())


def _modes(shares: Mapping[Counter, float], cause: str) -> Answer:
    times, slow = two_modes()

    def make(run: RunFolder, took_ns: Floats) -> Counters:
        return {one: np.where(slow, part, 0.001) * took_ns for one, part in shares.items()}

    return _made(times, make, (cause,) if cause else ())


def _softirqs(late: float, cause: str) -> Answer:
    times, slow = two_modes()
    counts = np.where(slow, late, 12.0) * 1000
    return _made(
        times,
        lambda run, took_ns: {(node, "softirq_net_rx", 1): counts for node in (0, 1)},
        (cause,) if cause else (),
    )


def _turns(second: float) -> Answer:
    """A ping-pong both nodes of which wait, the second for another part of what slow messages take longer."""
    times, slow = two_modes()
    with TemporaryDirectory() as folder:
        run, took_ns = a_run(Path(folder), times, a_step(Pingpong(), sizes=SIZES))
        waits = {
            (node, "process_waiting_ns", None): np.where(slow, part, 0.001) * took_ns
            for node, part in ((0, 0.15), (1, second))
        }
        return _answer(run, waits, ("processor-contention",))


def _outliers(share: float) -> Answer:
    times, random = even(), np.random.default_rng(3)
    slow = random.random(times.shape) < share

    def make(run: RunFolder, took_ns: Floats) -> Counters:
        steal = np.where(slow.ravel(), 0.6, 0.0) * took_ns
        return {(node, "cpu_steal_ns", 0): steal for node in (0, 1)}

    return _made(np.where(slow, 3 * times, times), make, ("stolen-time",))


def _dip() -> Answer:
    times = launches_of(np.array([20.0, 100.0, 80.0]), launches=5, batches=5, noise=0.01)

    def make(run: RunFolder, took_ns: Floats) -> Counters:
        slow = run.samples["phase"].to_numpy() == 1
        return {LATE: np.where(slow, 0.5, 0.001) * took_ns}

    return _made(times, make, ("processor-contention",))


def _of_sizes(
    sizes: list[int], times: Floats, make: Callable[[RunFolder], Counters], cause: str
) -> Answer:
    with TemporaryDirectory() as folder:
        step = a_step(STREAM, sizes=sizes)
        run = write_run(Path(folder) / "run", [step_rows(sizes, times, pattern="stream")], [step])
        return _answer(run, make(run), (cause,), "threshold")


def _kink() -> Answer:
    """Messages take 8 ns for each byte, and 12 ns above 16 KiB."""
    sizes = sorted(size for power in range(8, 19) for size in (2**power, 3 * 2 ** (power - 1)))
    excess_us = np.maximum(np.array(sizes) - 2**14, 0) * 4e-3
    times = launches_of(affine_us(sizes, 100, 1000) + excess_us, launches=4, batches=5, noise=0.005)

    def make(run: RunFolder) -> Counters:
        size, messages = (run.samples[name].to_numpy() for name in ("size_bytes", "messages"))
        return {LATE: np.maximum(size - 2**14, 0) * 4.0 * messages}

    return _of_sizes(sizes, times, make, "processor-contention")


def _jump() -> Answer:
    """Messages above 4 KiB take half as long again."""
    sizes = sorted(size + by for size in (2**power for power in range(8, 16)) for by in (-3, 0, 3))
    smooth = affine_us(sizes, 20, 1000)
    longer = np.where(np.array(sizes) > 4096, 1.5 * smooth, smooth)
    times = launches_of(longer, launches=4, batches=5, noise=0.005)

    def make(run: RunFolder) -> Counters:
        size, took_ns = (run.samples[name].to_numpy() for name in ("size_bytes", "elapsed_ns"))
        return {(0, "cpu_steal_ns", 0): np.where(size > 4096, 0.3, 0.0) * took_ns}

    return _of_sizes(sizes, times, make, "stolen-time")


def _hole(changed: Mapping[str, int]) -> Answer:
    """A ping-pong that stalls at a segment which never passes."""
    sizes = [64, 512, 1024, 2048, 65536]
    waits = STUCK | {"node": "n2", "unacknowledged": 0, "resends": 0, "unanswered_ms": 600}
    with TemporaryDirectory() as folder:
        rows = step_rows(sizes[:3], launches_of(np.full(3, 100.0)))
        stalls = [STUCK | changed, waits]
        run = write_run(
            Path(folder) / "run", [rows], [a_step(Pingpong(), sizes=sizes)], stalls=stalls
        )
        return Answer(0, str(list(path_mtu_holes(run))))
