"""Plans between two nodes whose insides are computed: the same commands and files as with agents."""

import json
from pathlib import Path

import pytest

from network.model.test_laws import published
from support.here import weft, weft_json
from support.made.cases import cases
from support.made.computed import compute
from support.refusals import refused
from weft.base.catalog import placements
from weft.faces.cli.output import plain
from weft.measure.testbed.computed.node import open_nodes
from weft.runs.folder import RunFolder
from weft.understand.curve.delivery import deliveries
from weft.understand.curve.thresholds import thresholds
from weft.understand.node.occupation import budgets, cache_hits, occupation
from weft.understand.summary.summary import summarise

PLACEMENTS = ("base", "offload", "onload", "hybrid")


def run(tmp_path: Path, on: str, plan: str = "netpipe", **settings: str) -> RunFolder:
    return compute(tmp_path / on.replace("/", "_"), plan, f"node:{on}", **settings)


def peak_mbps(found: RunFolder) -> float:
    return max(point.throughput_mbps.median for point in summarise(found).points)


def latency_us(found: RunFolder) -> float:
    signature = summarise(found).signature
    assert signature and signature.latency_us
    return signature.latency_us.median


@pytest.mark.parametrize("plan", ["netpipe", "latency", "stream", "signature"])
def test_plans_between_two_run_and_can_be_shown_compared_and_reported(
    tmp_path: Path, plan: str
) -> None:
    base, off = tmp_path / "base", tmp_path / "off"
    for folder, placement in ((base, "base"), (off, "offload")):
        done = weft_json("run", plan, "--on", f"node:p4-400-{placement}", "--out", folder)
        assert done["status"] == "complete"
    shown = weft_json("show", base)
    assert [node["name"] for node in shown["nodes"]] == ["n1", "n2"]
    assert {row["part"] for row in shown["occupation"]} >= {"cpu0", "nic", "I/O bus", "link out"}
    assert "irq/s" in weft("show", off).stdout
    ratios = [point["ratio"]["median"] for point in weft_json("compare", off, base)["points"]]
    assert ratios and max(ratios) > 1.1
    page = tmp_path / "report.html"
    assert weft("report", base, off, "--out", page).returncode == 0
    assert "p4-400-offload" in page.read_text()


def test_a_message_s_budget_is_its_latency(tmp_path: Path) -> None:
    found = run(tmp_path, "p4-400-onload", "latency")
    points = {point.size_bytes: point for point in summarise(found).points}
    for budget in budgets(found):
        latency = points[budget.size_bytes].latency_us
        assert latency and budget.total_us == pytest.approx(latency.median, rel=1e-5)
    assert len(budgets(found)) == len(points)


def test_who_does_what_is_seen_in_who_is_busy(tmp_path: Path) -> None:
    for placement in PLACEMENTS:
        found = run(tmp_path, f"p4-400-{placement}", steps__0__sizes='["1 MiB"]')
        chosen = found.meta.testbed["placement"]
        for busy in occupation(found):
            if not busy.part.startswith(("cpu", "nic")):
                continue
            for task in ("protocol", "copy"):
                assert (busy.shares[task] > 0.05) == (chosen[task] == busy.part), (placement, busy)
            assert 0 <= busy.share <= 1


def test_caches_hits_are_kept_and_shown(tmp_path: Path) -> None:
    """What is written through comes to L2 as writes; what L1 misses comes as reads, also for lines that are written."""
    on = "p4-400-onload(memory.model=caches)"
    found = run(tmp_path, on, steps__0__sizes='["2 KiB", "1 MiB"]')
    hits = cache_hits(found)
    assert {row.size_bytes for row in hits} == {2048, 1 << 20}
    assert all(0 <= row.hit_rate <= 1 and row.accesses > 0 for row in hits)
    for size in (2048, 1 << 20):
        for part in ("cpu0", "cpu1"):
            mine = {
                (row.cache, row.access): row
                for row in hits
                if (row.size_bytes, row.node, row.part) == (size, "n1", part)
            }
            assert mine["L2", "write"].accesses == mine["L1D", "write"].accesses
            data = (mine["L1D", access] for access in ("read", "write"))
            missed = sum(one.accesses * (1 - one.hit_rate) for one in data)
            assert mine["L2", "read"].accesses == pytest.approx(missed)
    shown = weft_json("show", found.directory)["caches"]
    assert shown == plain(hits)
    text = weft("show", found.directory).stdout
    assert "caches at 1048576 B, hits in %" in text and "L1I" in text


def test_a_run_repeats_itself_and_without_caches_has_no_table_of_them(tmp_path: Path) -> None:
    once = run(tmp_path / "1", "p4-400-hybrid", "latency")
    again = run(tmp_path / "2", "p4-400-hybrid", "latency")
    assert once.meta.testbed["simulation"] == again.meta.testbed["simulation"]
    assert once.samples == again.samples
    assert not (once.directory / "caches.parquet").exists()
    assert weft_json("show", once.directory)["caches"] == []


def test_published_orders_with_caches_hold(tmp_path: Path) -> None:
    """Section 4.7: with caches, and none for the interface, base overtakes offload, and onload is first."""
    sizes = '["1 B", "100 KiB"]'
    shared = ",memory.caches.L2.size=1 MiB,memory.caches.L2.shared=true"
    more = {"base": "", "offload": "", "onload": shared}
    runs = {
        at: run(tmp_path, f"p4-400-{at}(memory.model=caches{own})", steps__0__sizes=sizes)
        for at, own in more.items()
    }
    latency = {at: latency_us(found) for at, found in runs.items()}
    rate = {at: peak_mbps(found) for at, found in runs.items()}
    assert latency["onload"] < latency["base"] < latency["offload"]
    assert rate["onload"] > rate["base"] > rate["offload"]


@pytest.mark.parametrize(("on", "plan", "message"), cases("requests", "wrong_nodes"))
def test_what_cannot_be_is_refused(tmp_path: Path, on: str, plan: str, message: str) -> None:
    with refused(message):
        run(tmp_path, on, plan)
    assert not list(tmp_path.iterdir())
    with refused("no rates to scale"):
        open_nodes("p4-400-base", scale=0.1)


def test_a_livelock_ends_and_is_said(tmp_path: Path) -> None:
    found = run(tmp_path, "p4-400-base(interrupts.timer=1 MHz)", "latency")
    assert found.meta.status == "failed"
    assert "livelock: cpu0 spends" in json.dumps(found.meta.incomplete)
    assert "livelock" in weft("show", found.directory).stdout


def test_what_a_plan_says_of_sockets_counts(tmp_path: Path) -> None:
    sizes = {"steps__0__sizes": '["1 MiB"]'}
    wide = run(tmp_path, "p4-400-onload", **sizes)
    small = '{ send_buffer = "8 KiB", receive_buffer = "8 KiB" }'
    narrow = run(tmp_path / "n", "p4-400-onload", **sizes, steps__0__options=small)
    assert peak_mbps(narrow) < 0.9 * peak_mbps(wide)


def test_published_latencies_and_rates_are_near_and_in_order(tmp_path: Path) -> None:
    expected = published()
    sizes = '["1 B", "2 MiB"]'
    runs = {at: run(tmp_path, f"p4-400-{at}", steps__0__sizes=sizes) for at in PLACEMENTS}
    latency = {at: latency_us(found) for at, found in runs.items()}
    rate = {at: peak_mbps(found) for at, found in runs.items()}
    assert latency["offload"] < latency["onload"] < latency["base"]
    assert rate["onload"] >= rate["offload"] > rate["base"]
    for at in ("base", "offload", "onload"):
        assert latency[at] == pytest.approx(expected[f"lat_{at}_us"], rel=0.1)
        assert rate[at] == pytest.approx(expected[f"bw_{at}_table_mbps"], rel=0.1)


def test_the_catalogue_s_machines_are_listed_and_shown() -> None:
    assert set(placements()) >= {f"p4-400-{placement}" for placement in PLACEMENTS}
    assert weft_json("machine", "list")["machines"] == list(placements())
    shown = weft_json("machine", "show", "p4-400-hybrid")
    assert shown["placement"]["protocol"] == "nic"
    assert "protocol" in weft("machine", "show", "p4-400-hybrid").stdout


def test_datagrams_are_counted_as_on_real_machines_and_where_they_are_lost(tmp_path: Path) -> None:
    found = run(tmp_path, "p4-400-base", "udp")
    assert found.meta.status == "complete"
    rows = deliveries(found)
    assert [row.step for row in rows] == [0] * 4 + [1] * 3 + [2] * 3
    for row in rows:
        assert row.ring is not None and row.backlog is not None
        assert row.lost == row.ring + row.backlog + row.overrun
        assert (row.lost > 0) == (row.step == 1), row
    shown = weft_json("show", found.directory)["deliveries"]
    assert [row["lost"] for row in shown] == [row.lost for row in rows]
    assert "in backlog" in weft("show", found.directory).stdout
    messages = found.samples.group_by(["step", "phase"], use_threads=False).aggregate(
        [("messages", "sum")]
    )
    assert [row.received for row in rows] == messages["messages_sum"].to_pylist()
    page = tmp_path / "report.html"
    assert weft("report", found.directory, "--out", page).returncode == 0


def test_a_schedule_over_datagrams_ends_with_those_that_can_be(tmp_path: Path) -> None:
    done = weft_json(
        "run",
        "signature",
        "--on",
        "node:p4-400-base",
        "--transport",
        "udp",
        "--out",
        tmp_path / "run",
    )
    assert done["status"] == "complete"
    sizes = [point["size_bytes"] for point in weft_json("show", tmp_path / "run")["points"]]
    assert 40_000 < max(sizes) <= 65_507


def test_half_of_what_arrives_at_most_arrives(tmp_path: Path) -> None:
    points = summarise(run(tmp_path, "server-100g-all", "udp")).points
    fastest = {one.size_bytes: one.throughput_mbps.median for one in points if one.step == 1}
    half = {one.size_bytes: one.throughput_mbps.median for one in points if one.step == 2}
    assert all(abs(half[size] / rate - 0.5) < 0.02 for size, rate in fastest.items()), (
        fastest,
        half,
    )


def test_an_interrupt_rate_is_the_rate_of_round_trips(tmp_path: Path) -> None:
    """Each end interrupts once a round trip, so that 8,000 a second take 62.5 us one way (Intel's e1000)."""
    free, limited = (
        run(tmp_path, f"p4-400-base(nic.coalesce_frames=1{more})", "latency")
        for more in ("", ",nic.interrupt_rate=4 kHz")
    )
    assert latency_us(free) < 70
    assert latency_us(limited) == pytest.approx(125, rel=0.001)


def test_bursts_win_the_bus_again_and_again(tmp_path: Path) -> None:
    """A frame of 9038 B in lines of 64 B: 142 times the access, which then is the limit."""
    rates = [
        peak_mbps(run(tmp_path, f"p4-400-onload(io_bus.access=600 ns{more})", "stream"))
        for more in ("", ",io_bus.burst=9100 B", ",io_bus.burst=64 B")
    ]
    assert rates[0] == pytest.approx(rates[1])
    whole_us = 142 * 0.6 + 9038 * 8 / 2112
    assert rates[2] < 1.01 * 8948 * 8 / whole_us


@pytest.mark.parametrize(
    ("mpi", "on", "limit"),
    [
        ("openmpi", "server-100g-all", 65_480),
        ("mpich", "server-100g-all", 20_552),
        ("openmpi", "server-100g-all(mpi.openmpi.eager=10 KiB)", 10_240),
    ],
)
def test_thresholds_finds_where_a_librarys_eager_messages_end(
    tmp_path: Path, mpi: str, on: str, limit: int
) -> None:
    sizes = 'steps.*.sizes={ schedule = "octaves", per_octave = 8, min = "6 KiB", max = "100 KiB" }'
    over = ("--transport", "mpi", "--mpi", mpi, "--set", sizes)
    out = tmp_path / "run"
    assert weft("run", "thresholds", "--on", f"node:{on}", *over, "--out", out).returncode == 0
    (found,) = (one for one in thresholds(RunFolder.open(out)) if "eager to" in (one.name or ""))
    assert found.found.kind == "jump" and found.found.height.median > 0.1
    assert (
        found.found.last_before <= limit < found.found.first_after < 1.2 * found.found.last_before
    )
    assert found.name == f"eager to rendezvous, eager_limit_bytes = {limit:,} B"


def test_copies_cost_a_slow_node_more_than_a_rendezvous(tmp_path: Path) -> None:
    sizes = 'steps.*.sizes=["65480 B", "65481 B"]'
    over = ("--transport", "mpi", "--mpi", "openmpi", "--set", sizes)
    weft("run", "latency", "--on", "node:p4-400-base", *over, "--out", tmp_path / "run")
    eager, rendezvous = summarise(RunFolder.open(tmp_path / "run")).points
    assert eager.latency_us and rendezvous.latency_us
    assert eager.latency_us.median > 1.5 * rendezvous.latency_us.median


def test_calls_that_are_not_simulated_are_refused(tmp_path: Path) -> None:
    with refused("options.calls would change nothing"):
        run(
            tmp_path,
            "p4-400-base",
            "latency",
            **{"steps.*.transport": '"mpi"', "steps.*.options.calls": '"nonblocking"'},
        )
