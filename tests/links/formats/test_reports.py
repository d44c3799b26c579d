"""Files as public reports describe them, with what is right of each (tests/data/reports)."""

import itertools
from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json
from support.importing import DATA
from weft.links.analysis.findings import WatchFindings, analyse
from weft.links.analysis.series import ProbeSeries
from weft.links.formats.read import read_probes
from weft.links.formats.source import ProbeOptions

REPORTS = DATA / "reports"
START_S = 1_793_577_600.0


def _read(path: Path, interval_s: float = 1.0) -> tuple[list[ProbeSeries], list[str]]:
    _, found = read_probes(path, ProbeOptions("a", start_s=START_S, interval_s=interval_s))
    return found.series, found.notes


def _only(name: str, interval_s: float = 1.0) -> tuple[ProbeSeries, list[str]]:
    [series], notes = _read(REPORTS / name, interval_s)
    return series, notes


def _not_measured_s(found: WatchFindings) -> float:
    return sum(end - begin for begin, end in found.links[0].gaps)


def test_rounds_that_are_all_lost_are_an_outage() -> None:
    series, _ = _only("csv_rounds_outage.csv")
    found = analyse([series])
    [outage] = found.outages
    assert (outage.end_s or 0) - outage.begin_s == pytest.approx(80 * 60)
    assert outage.lost == 60
    up = found.links[0].availability
    assert up is not None and up.down_s == pytest.approx(80 * 60)
    assert found.links[0].gaps == []


def test_a_monitor_of_rounds_that_stopped_for_an_hour_did_not_measure_then(tmp_path: Path) -> None:
    lines = [
        f"{START_S + 240 * one + packet},12.3"
        for one in itertools.chain(range(20), range(40, 60))
        for packet in range(3)
    ]
    file = tmp_path / "rounds.csv"
    file.write_text("\n".join(["time,rtt_ms", *lines]))
    found = analyse(_read(file)[0])
    assert _not_measured_s(found) == pytest.approx(20 * 240)
    assert found.outages == []


def test_what_ripe_atlas_never_sent_is_not_lost() -> None:
    series, notes = _only("atlas_star_dup_error.json")
    assert (len(series), int(series.lost.sum())) == (3, 1)
    assert sorted(notes) == [
        "answers that came twice, each counted once: 1",
        "rounds not measured, as nothing was sent (dns resolution failed: non-recoverable failure in name "
        "resolution): 1",
        "rounds not measured, as nothing was sent (sendto failed: Network is unreachable): 1",
    ]


def test_rounds_that_ripe_atlas_never_sent_are_not_measured() -> None:
    series, notes = _only("atlas_dns_and_unsent.json")
    found = analyse([series])
    assert (len(series), int(series.lost.sum())) == (90, 0)
    assert _not_measured_s(found) == pytest.approx(160 * 60)
    assert found.outages == []
    assert [note.rpartition(": ")[2] for note in notes] == ["20", "20"]


def test_hosts_that_fping_did_not_probe_are_said() -> None:
    found, notes = _read(REPORTS / "fping_C_icmp_errors.txt")
    assert {one.dst: int(one.lost.sum()) for one in found} == {"n2": 0, "n3": 1, "n4": 5}
    assert notes[0] == "n9 was not probed: Name or service not known"
    assert notes[1].startswith(
        "2 lines are no probes and were passed over, first line 2: 'ICMP Host"
    )


def test_ping_says_unreachable_and_duplicates() -> None:
    series, notes = _only("ping_D_O.txt")
    assert (len(series), int(series.lost.sum())) == (6, 2)
    assert series.lost.tolist() == [False, True, False, False, True, False]
    assert notes == ["1 answer came twice (DUP!), and counts once"]


def test_ping_without_times_is_read_with_start_and_interval() -> None:
    series, _ = _only("ping_busybox.txt", 2.0)
    assert series.time_s == pytest.approx([0, 2, 4, 6])
    assert series.start == START_S
    assert series.lost.tolist() == [False, False, True, False]
    series, notes = _only("ping_macos.txt", 2.0)
    assert series.time_s == pytest.approx([0, 2, 4, 6, 8, 10])
    assert series.lost.tolist() == [False, False, True, True, False, False]
    assert series.dst == "peer.example" and notes == []
    said = refusal("watch", "replay", str(REPORTS / "ping_macos.txt"), "--out", "/nowhere")
    assert "say with --start when it began" in said


def test_probes_before_the_first_answer_and_behind_the_last_were_lost(tmp_path: Path) -> None:
    """Sequence numbers of iputils begin at 1; the last may have had no time for its answer."""
    file = tmp_path / "ping.txt"
    file.write_text(
        "PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.\n"
        "64 bytes from 192.0.2.7: icmp_seq=3 ttl=64 time=0.4 ms\n"
        "64 bytes from 192.0.2.7: icmp_seq=4 ttl=64 time=0.4 ms\n"
        "warning: time of day goes back\n"
        "\n--- 192.0.2.7 ping statistics ---\n10 packets transmitted, 2 received, 80% packet loss\n"
    )
    [series], notes = _read(file)
    assert series.time_s == pytest.approx(range(9))
    assert series.lost.tolist() == [True] * 2 + [False] * 2 + [True] * 5
    assert notes == [
        "1 line is no probe and was passed over, first line 4: 'warning: time of day goes back'"
    ]


def test_without_a_header_the_first_that_is_told_was_the_first_probe(tmp_path: Path) -> None:
    """The head of a log that was rotated: nothing says that probes before it were lost."""
    file = tmp_path / "ping.txt"
    file.write_text(
        "".join(
            f"64 bytes from 192.0.2.7: icmp_seq={number} ttl=64 time=0.4 ms\n"
            for number in (57, 58)
        )
    )
    [series], _ = _read(file)
    assert series.time_s == pytest.approx([0, 1]) and not series.lost.any()


def test_show_says_losses_and_what_an_importer_left_out(tmp_path: Path) -> None:
    folder = str(tmp_path / "links")
    weft("watch", "replay", str(REPORTS / "ping_D_O.txt"), "--out", folder)
    done = weft("watch", "show", folder)
    assert "1 answer came twice (DUP!)" in done.stderr
    assert done.stdout.splitlines()[2].split()[-1] == "lost"
    [link] = weft_json("watch", "show", folder)["links"]
    assert (link["probes"], link["lost"]) == (6, 2)
    assert link["availability"]["share"]["low"] is None
    assert "no agent measures now" in refusal("watch", "status", folder)
