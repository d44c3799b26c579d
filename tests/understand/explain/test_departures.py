"""What a run set and its hosts would not have is the first suspect."""

from pathlib import Path
from typing import Any

from support.here import weft
from support.made.explained import SIZES, STREAM, even, explained, noise_counters, two_modes
from support.plans import a_step
from support.runs import step_rows, write_run
from weft.plan.plan import Options
from weft.runs.folder import RunFolder
from weft.understand.comparison.comparison import compare
from weft.understand.explain.departures import CAUSE, departures

HOST = {"tcp_wmem_max": 4 * 2**20, "tcp_rmem_max": 32 * 2**20, "congestion": "cubic"}


def made(folder: Path, *options: Options, times: Any = None) -> RunFolder:
    """A stream of each of these options on hosts with HOST's settings."""
    steps = [a_step(STREAM, sizes=SIZES, options=one) for one in options]
    rows = [
        step_rows(SIZES, even() if times is None else times, step=at, pattern="stream")
        for at in range(len(options))
    ]
    effective = [
        {"step": at, "launch": 0, "node": "n1", "settings": {"send_buffer_bytes": 16384}}
        for at in range(len(options))
    ]
    run = write_run(folder, rows, steps, effective=effective)
    run.meta.nodes[0]["facts"] = {"settings": HOST}
    return run


SMALL = Options(send_buffer_bytes=8192)


def test_a_small_send_buffer_is_named_before_all_else(tmp_path: Path) -> None:
    run = made(tmp_path / "run", SMALL, times=two_modes()[0])
    first, second = explained(run, noise_counters(run))
    says = (
        "a send buffer of 8 KiB was set (16 KiB in force), which the host would let grow to 4 MiB"
    )
    assert (first.kind, first.cause, first.text) == ("setting", CAUSE, f"stream: {says}")
    assert second.text.endswith("no counter moved with it: suspect what was set first")


def test_what_the_hosts_would_have_chosen_too_is_no_suspect(tmp_path: Path) -> None:
    assert departures(made(tmp_path / "run", Options(congestion="cubic"))) == []
    (other,) = departures(made(tmp_path / "other", Options(congestion="reno")))
    assert other.text == "stream: congestion control reno instead of cubic"


def test_every_setting_that_can_slow_a_run_is_a_suspect(tmp_path: Path) -> None:
    every = Options(
        receive_buffer_bytes=4096,
        nodelay=False,
        mss_bytes=536,
        pacing_bits_per_s=10**7,
        busy_poll_ns=50_000,
        knobs={"mtu": "576"},
    )
    said = "\n".join(one.text for one in departures(made(tmp_path / "run", every)))
    for part in ("4 KiB", "nodelay is off", "536 B", "10.0 Mb/s", "50.0 µs", "mtu was set to 576"):
        assert part in said


def test_a_setting_that_the_steps_vary_is_what_they_are_about(tmp_path: Path) -> None:
    run = made(tmp_path / "run", SMALL, Options(send_buffer_bytes=65536))
    assert departures(run) == []


def test_compare_begins_with_what_one_run_set(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", Options()), made(tmp_path / "b", SMALL)
    assert compare(a, b).differences[0].what.endswith("options.send_buffer_bytes")
    said = weft("compare", tmp_path / "a", tmp_path / "b").stdout.splitlines()
    assert next(line for line in said if line.startswith("differs")).endswith(": - | 8192")
