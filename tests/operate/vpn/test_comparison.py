"""What blocks say, from trials with known ratios."""

import msgspec
import pytest

from weft.faces.cli.tables.vpn import print_comparison
from weft.measure.testbed.agent.reply import Interface
from weft.operate.vpn.blocks import PathTrial
from weft.operate.vpn.comparison import Ends, PathMedians, TunnelOutage, compare, limit_of
from weft.operate.vpn.headers import Encapsulation
from weft.operate.vpn.kind import VpnKind
from weft.operate.vpn.mpi import MpiChoice, choice
from weft.operate.vpn.node_look import VpnState
from weft.operate.vpn.outages import outages, remedy_of
from weft.runs.meta import Warning
from weft.runs.run_warnings import gathered

RAW = Ends(("10.0.0.1", "10.0.0.2"), ("eth0", "eth0"), 1500, 1500, 1448)
TUNNEL = Ends(("10.8.0.1", "10.8.0.2"), ("wg0", "wg0"), 1420, 1420, 1368)
WIREGUARD = VpnKind("wireguard", "udp", wrapping=Encapsulation("wireguard", "udp"))
HEADERS = (1368 / 1518) / (1448 / 1538)
LISTED = (
    Interface("lo", ("127.0.0.1",)),
    Interface("eth0", ("10.0.0.1",)),
    Interface("wg0", ("10.8.0.1",)),
)


def blocks(ratio: float, count: int = 8) -> list[list[PathTrial]]:
    """A path whose rate drifts by half, and a tunnel that always has the same share of it."""
    found = []
    for number in range(count):
        mbps = 20 * (1 + number / 16)
        pair = [
            PathTrial("raw", 1000, mbps, 10**7, 4.0, 1448, 0.1, 0.2),
            PathTrial("tunnel", 1200, ratio * mbps, 10**7, 4.0, 1368, 0.2, 0.3, vpn_s=0.1),
        ]
        found.append(pair if number % 2 else pair[::-1])
    return found


def test_drift_cancels_and_headers_explain_the_rest() -> None:
    found = compare(
        WIREGUARD, (RAW, TUNNEL), blocks(HEADERS), MpiChoice([], False, True, False, "", ""), 1
    )
    assert found.interval is not None
    assert (found.ratio, found.interval.low) == pytest.approx((HEADERS, HEADERS))
    assert found.beside_arithmetic == pytest.approx(0, abs=1e-9)
    assert (found.limit, found.rtt_added_us) == ("link", 200)
    assert found.to_json()["tcp_over_tcp"] is False


def test_limits() -> None:
    def at(vpn_cores: float = 0.1, busiest: float = 0.3, resent: float = 0) -> PathMedians:
        return PathMedians(1000, 10, 1.0, 1.0, vpn_cores, busiest, resent)

    assert limit_of(0.95, 0.96, at(busiest=1.0), False)[0] == "link"
    assert limit_of(0.1, 0.96, at(vpn_cores=0.8), False)[0] == "processor"
    assert limit_of(0.1, 0.96, at(busiest=0.95), False)[0] == "processor"
    by_others = at(busiest=1.0, vpn_cores=0.06, resent=40)
    assert limit_of(0.1, 0.96, by_others, False)[0] == "loss"
    limit, reason = limit_of(0.3, 0.96, at(resent=40), True)
    assert limit == "loss" and reason.startswith("TCP over TCP melts down: both layers")
    assert limit_of(0.3, 0.96, at(), False)[0] == "unknown"


def test_a_job_would_use_both_unless_it_is_told() -> None:
    usual = choice(LISTED, VpnState(route="eth0"), "eth0", "wg0")
    assert (usual.interfaces, usual.tunnel, usual.raw) == (["eth0", "wg0"], True, True)
    assert "btl_tcp_if_include eth0" in usual.advice
    told = VpnState(route="eth0", mpi={"btl_tcp_if_include": "10.0.0.0/24"})
    assert choice(LISTED, told, "eth0", "wg0").interfaces == ["eth0"]
    kept_out = VpnState(mpi={"btl_tcp_if_exclude": "lo,eth0"})
    assert choice(LISTED, kept_out, "eth0", "wg0").text.startswith("Open MPI would use the tunnel")
    routed = choice(LISTED, VpnState(route="wg0"), "eth0", "wg0")
    assert routed.is_routed_through_tunnel and "every job" in routed.text


def test_recovery_is_counted_from_when_the_path_answers() -> None:
    path = [0.0, 0.2, 0.4, 5.4, 5.6, 5.8, 9.0]
    tunnel = [0.1, 0.3, 8.4, 8.6]
    first, second = outages(path, tunnel)
    assert (first.begin_s, first.path_s, first.later_s) == (0.4, 5.0, 3.0)
    assert second.later_s is None


def test_a_tunnel_that_does_not_recover_is_told_what_to_set() -> None:
    kind = VpnKind("wireguard", "udp")
    assert remedy_of(kind, [TunnelOutage(0.4, 5.0, 0.2, 30.0)]) == ""
    assert remedy_of(kind, [TunnelOutage(0.4, 5.0, None, 2.0)]) == ""
    assert "PersistentKeepalive" in remedy_of(kind, [TunnelOutage(0.4, 5.0, None, 30.0)])
    assert "ping-restart" in remedy_of(
        VpnKind("openvpn", "udp"), [TunnelOutage(0.4, 5.0, 12.2, 30.0)]
    )


def test_what_the_testbed_warns_of_stands_beside_the_verdict(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mpi = MpiChoice([], False, True, False, "", "")
    found = compare(WIREGUARD, (RAW, TUNNEL), blocks(HEADERS), mpi, 1)
    assert found.to_json()["doubts"] == []
    late = gathered([("", [Warning("lab-late", "9 % of the frames left late")])])
    found = msgspec.structs.replace(found, warnings=late)
    print_comparison(found)
    printed = capsys.readouterr().out
    assert "us more; in doubt: frames left the lab late (lab-late)\n" in printed
    assert "  9 % of the frames left late [lab-late]" in printed
    assert found.to_json()["warnings"][0]["code"] == "lab-late"
