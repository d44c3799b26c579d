"""CSV with a header becomes links, and a wrong value is refused with its line."""

from pathlib import Path

import pytest

from support.importing import DATA
from weft.base.errors import RequestError
from weft.links.formats.read import read_probes
from weft.links.formats.source import ProbeOptions
from weft.runs.probes import KINDS

HEADER = "time,src,dst,rtt_ms,size,kind,network\n"


def test_links_kinds_sizes_and_losses() -> None:
    name, found = read_probes(DATA / "probes.csv", ProbeOptions())
    usual, vpn = found.series
    assert (name, usual.network, vpn.network) == ("csv", "", "vpn")
    assert usual.lost.tolist() == [False, True, False]
    assert usual.rtt_s[0] == pytest.approx(1.31e-3)
    assert usual.start == 1795492800
    assert (KINDS[vpn.kind[0]], vpn.size_bytes[0]) == ("tcp-echo", 8)


def test_probes_at_one_time_stay_apart(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("time,rtt_ms\n" + "1795492800,1\n" * 3)
    _, found = read_probes(file, ProbeOptions())
    assert found.series[0].time_s == pytest.approx([0, 1e-6, 2e-6])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("time,rtt\n1,2\n", r":1: a column 'rtt'"),
        ("src,rtt_ms\na,2\n", r":1: no column time"),
        (HEADER + "1795492800,a,b,-1,56,icmp,\n", r":2: rtt_ms -1 is no time"),
        (HEADER + "1795492800,a,b,nan,56,icmp,\n", r":2: rtt_ms nan is no time"),
        (HEADER + "1795492800000,a,b,1,56,icmp,\n", r":2: time 1795492800000 is no Unix time"),
        (HEADER + "soon,a,b,1,56,icmp,\n", r":2: time soon"),
        (HEADER + "1795492800,a,b,1,-4,icmp,\n", r":2: size -4"),
        (HEADER + "1795492800,a,b,1,56,arp,\n", r":2: kind arp"),
        (HEADER + "1795492800,a,b\n", r":2: not as many values"),
        (HEADER, r"no probes"),
        ("\n", r": empty"),
    ],
)
def test_wrong_tables_are_refused(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "x.csv"
    file.write_text(text)
    with pytest.raises(RequestError, match=r"x\.csv" + why.replace("no probes", ": no probes")):
        read_probes(file, ProbeOptions())
