"""Recommendations from evidence: the right knob and value where it suggests one, none where it does not."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from support.here import weft_json
from support.made.evidence import Counter, add_evidence
from support.made.explained import BUSY, SIZES, STREAM, a_run, even, noise_counters
from support.plans import a_step
from support.runs import change_meta, launches_of, step_rows, write_run
from weft.faces.api.diagnose import diagnose
from weft.knobs.catalog import knobs
from weft.knobs.recommendation import Recommendation
from weft.plan.pattern import Pingpong
from weft.plan.plan import Options
from weft.understand.advice.rule import rules

LINKS = [
    {
        "ends": ["n1", "n2"],
        "forward": {"rate_bits_per_s": 10**9},
        "backward": {"rate_bits_per_s": 10**8},
        "mtu_bytes": 1500,
        "dead": False,
    }
]
CUBIC = [{"step": 0, "launch": 0, "node": "n1", "settings": {"congestion": "cubic"}}]
Growth = Mapping[Counter, npt.ArrayLike]


def recommended(
    folder: Path, counters: Growth, options: Options | None = None, **meta: object
) -> list[Recommendation]:
    run, time_ns = a_run(folder, even(), a_step(STREAM, sizes=SIZES, options=options))
    shares = {key: value * time_ns for key, value in counters.items() if isinstance(value, float)}
    add_evidence(run, {**noise_counters(run), **BUSY, **counters, **shares})
    change_meta(folder / "run", **meta)
    return diagnose(folder / "run").recommendations


def test_a_full_window_of_a_set_buffer_names_the_peers_buffer(tmp_path: Path) -> None:
    window: Growth = {(0, "tcp_receive_window_limited_ns", None): 0.84}
    (one,) = recommended(tmp_path, window, Options(receive_buffer_bytes=16384))
    assert (one.knob, one.nodes) == ("receive_buffer", ("n2",))
    assert (one.current, one.proposed, one.tested) == ("16384 B", "65536 B", False)
    assert one.evidence == ("stream: n1: the peer's receive window full 84 % of the time",)
    assert one.permanent == (
        "setsockopt(socket, SOL_SOCKET, SO_RCVBUF, 65536) before connect or listen",
    )


def test_twice_the_bandwidth_delay_product_where_the_line_is_known(tmp_path: Path) -> None:
    slow: Growth = {
        (0, "tcp_send_buffer_limited_ns", None): 0.9,
        (0, "tcp_rtt_ns", None): 80_000_000,
    }
    fabric = {"name": "long", "hosts": [], "switches": [], "links": LINKS}
    testbed = {"kind": "lab", "name": "long", "spec": "lab:long", "fabric": fabric}
    (one,) = recommended(tmp_path, slow, Options(send_buffer_bytes=65536), testbed=testbed)
    # 100 Mb/s x 80 ms are 1e6 bytes; twice that, up to the next power of two.
    assert (one.knob, one.proposed) == ("send_buffer", f"{2**21} B")
    assert one.test == "weft tune --on lab:long --for stream --knobs send_buffer"


def test_dropped_frames_name_the_backlog_and_how_to_take_it_back(tmp_path: Path) -> None:
    # What is lost there is sent again, which is no matter of the congestion control.
    lost: Growth = {(0, "tcp_retransmits", None): 60, (0, "tcp_rtt_ns", None): 80_000_000}
    (one,) = recommended(tmp_path, {(0, "softnet_dropped", 0): 50} | lost, effective=CUBIC)
    assert (one.knob, one.current, one.proposed) == ("netdev_max_backlog", "", "8192")
    assert one.apply == ("sysctl -w net.core.netdev_max_backlog='8192'",)
    assert [text.split()[0] for text in one.undo] == ["#", "sysctl", "rm"]


def test_losses_on_a_long_path_name_the_congestion_control(tmp_path: Path) -> None:
    lossy: Growth = {(0, "tcp_retransmits", None): 40, (0, "tcp_rtt_ns", None): 80_000_000}
    (one,) = recommended(tmp_path, lossy, effective=CUBIC)
    assert (one.knob, one.current, one.proposed) == ("congestion", "cubic", "bbr")


def test_delayed_acknowledgements_name_nodelay_only_where_it_is_off(tmp_path: Path) -> None:
    delayed: Growth = {(1, "nstat:TcpExtDelayedACKs", None): 1}
    (one,) = recommended(tmp_path / "off", delayed, Options(nodelay=False))
    assert (one.knob, one.nodes, one.proposed) == ("nodelay", ("n1",), "true")
    assert recommended(tmp_path / "on", delayed) == []


def test_busy_interrupts_beside_an_idle_processor_name_it(tmp_path: Path) -> None:
    uneven: Growth = {(1, "cpu_softirq_ns", 0): 0.9, (1, "cpu_idle_ns", 3): 0.95}
    (one,) = recommended(tmp_path, uneven)
    assert (one.knob, one.proposed, one.nodes) == ("rps_cpus", "8", ("n2",))


@pytest.mark.parametrize("overrun", [0, 20, 900])
def test_datagrams_without_room_name_the_buffer_unless_the_reader_is_slower(
    tmp_path: Path, overrun: int
) -> None:
    row = {"step": 0, "launch": 0, "phase": 0, "sent": 1000, "received": 1000 - overrun}
    row |= {"duplicated": 0, "reordered": 0, "overrun": overrun, "jitter_ns": 0}
    settings = {"receive_buffer_bytes": 8192}
    effective = [{"step": 0, "launch": 0, "node": "n2", "settings": settings}]
    deliveries = [row | {"sending_ns": 10**6}]
    found = recommended(tmp_path, {}, effective=effective, deliveries=deliveries)
    assert [(one.knob, one.proposed) for one in found] == (
        [("receive_buffer", "32768 B")] if overrun == 20 else []
    )


def test_a_window_at_the_kernels_limit_names_the_limit_and_an_ample_one_the_reader(
    tmp_path: Path,
) -> None:
    # 10^8 bytes in each stretch: what is on its way is far more than 128 KiB, and far less than 8 GiB.
    window: Growth = {(0, "tcp_receive_window_limited_ns", None): 0.84}
    nodes = two_nodes(tcp_rmem="4096\t65536\t131072", tcp_rmem_max=131072)
    (one,) = recommended(tmp_path / "small", window, nodes=nodes)
    assert (one.knob, one.nodes) == ("tcp_rmem", ("n2",))
    assert (one.current, one.proposed) == ("4096 65536 131072", "4096 131072 524288")
    assert one.undo[0] == "sysctl -w net.ipv4.tcp_rmem='4096 65536 131072'"
    assert recommended(tmp_path / "ample", window, nodes=two_nodes(tcp_rmem_max=2**33)) == []


def two_nodes(**settings: int | str) -> list[dict[str, object]]:
    return [{"name": name, "facts": {"settings": settings}} for name in ("n1", "n2")]


def test_a_buffer_that_the_kernel_cut_names_its_limit(tmp_path: Path) -> None:
    options = Options(receive_buffer_bytes=2**22)
    effective = [
        {"step": 0, "launch": 0, "node": "n2", "settings": {"receive_buffer_bytes": 2 * 212992}}
    ]
    nodes = two_nodes(rmem_max=212992)
    (one,) = recommended(tmp_path, {}, options, effective=effective, nodes=nodes)
    assert (one.knob, one.current, one.proposed) == ("rmem_max", "212992", str(2**22))


def test_a_low_eager_limit_is_raised_to_where_eager_stops_being_faster(tmp_path: Path) -> None:
    sizes = np.unique(np.geomspace(64, 16384, 65).astype(int))
    # 5 us and 4 ns a byte against 20 us and 2 ns a byte: alike at 7500 bytes.
    times = np.where(sizes <= 960, 5 + 0.004 * sizes, 20 + 0.002 * sizes)
    step = a_step(Pingpong(), transport="mpi", sizes=sizes.tolist())
    settings = {"btl_tcp_eager_limit": 1024}
    effective = [{"step": 0, "launch": 0, "node": "n1", "settings": settings}]
    rows = step_rows(sizes.tolist(), launches_of(times, noise=0.002))
    write_run(tmp_path / "run", [rows], [step], effective=effective)
    (one,) = diagnose(tmp_path / "run").recommendations
    assert (one.knob, one.nodes, one.scope) == ("mpi_eager", ("n1", "n2"), "mpi")
    assert (one.current, one.proposed) == ("1024", "4096")
    assert one.apply == ("export OMPI_MCA_btl_tcp_eager_limit=4096",)


def test_ample_buffers_are_not_enlarged(tmp_path: Path) -> None:
    window: Growth = {(0, "tcp_send_buffer_limited_ns", None): 0.9}
    fabric = {"name": "near", "hosts": [], "switches": [], "links": LINKS}
    options = Options(send_buffer_bytes=2**20)
    assert recommended(tmp_path, window, options, testbed={"kind": "lab", "fabric": fabric}) == []


def test_an_even_run_has_no_recommendation_and_says_so_in_json(tmp_path: Path) -> None:
    assert recommended(tmp_path, {}) == []
    assert weft_json("diagnose", tmp_path / "run")["recommendations"] == []


def test_rules_are_about_knobs_of_the_catalogue() -> None:
    assert {one.knob for one in rules()} <= set(knobs())


@pytest.mark.parametrize(
    ("knob", "node", "proposed", "counters"),
    [
        ("tcp_wmem", "n1", "4096 16384 524288", {(0, "tcp_send_buffer_limited_ns", None): 0.9}),
        ("rx_ring", "n2", "4096", {(1, "interface_rx_dropped", None): 50}),
        (
            "cpus",
            "n2",
            "3",
            {(1, "process_waiting_ns", None): 0.5, (1, "cpu_idle_ns", 3): 0.95},
        ),
    ],
)
def test_a_limit_names_its_knob(
    tmp_path: Path, knob: str, node: str, proposed: str, counters: Growth
) -> None:
    nodes = two_nodes(tcp_wmem_max=131072)
    (one,) = recommended(tmp_path, counters, nodes=nodes)
    assert (one.knob, one.nodes, one.proposed) == (knob, (node,), proposed)


def test_a_send_buffer_that_the_kernel_cut_names_its_limit(tmp_path: Path) -> None:
    settings = {"send_buffer_bytes": 2 * 212992}
    effective = [{"step": 0, "launch": 0, "node": "n1", "settings": settings}]
    options = Options(send_buffer_bytes=2**22)
    nodes = two_nodes(wmem_max=212992)
    (one,) = recommended(tmp_path, {}, options, effective=effective, nodes=nodes)
    assert (one.knob, one.nodes, one.proposed) == ("wmem_max", ("n1",), str(2**22))


def test_losses_on_a_short_path_name_the_pace_of_its_slowest_link(tmp_path: Path) -> None:
    lossy: Growth = {(0, "tcp_retransmits", None): 700}
    fabric = {"name": "near", "hosts": [], "switches": [], "links": LINKS}
    testbed = {"kind": "lab", "name": "near", "spec": "lab:near", "fabric": fabric}
    (one,) = recommended(tmp_path, lossy, effective=CUBIC, testbed=testbed)
    assert (one.knob, one.nodes, one.proposed) == ("pacing", ("n1",), "100 Mb/s")
