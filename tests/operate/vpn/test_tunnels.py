"""Real tunnels in a lab of 20 Mb/s: which VPN it is, and what it costs."""

import shutil
from pathlib import Path

import pytest

from support.live.tunnels import ADDRESSES, INTERFACE, KINDS, tunnel
from weft.base.errors import RequestError
from weft.measure.testbed.lab.testbed import open_lab
from weft.operate.vpn.measure import VpnRequest, measure_vpn

pytestmark = pytest.mark.timed

SITES = """
name = "sites"
[[hosts]]
ids = "n[1-2]"
[[links]]
between = ["n1", "n2"]
rate = "20 Mb/s"
delay = "1 ms"
"""


@pytest.mark.parametrize(
    ("kind", "text", "mtu_bytes", "lacks_at_most"),
    [
        pytest.param(
            "openvpn-tcp",
            "OpenVPN over TCP port 1194 (AES-256-GCM)",
            1500,
            # Two layers of TCP take a while to fill the path; a second is short for them.
            0.3,
            marks=pytest.mark.smoke("openvpn", "ping"),
        ),
        pytest.param(
            "wireguard",
            "WireGuard over UDP port 51820 (ChaCha20-Poly1305)",
            1420,
            0.05,
            marks=pytest.mark.smoke("wireguard-go", "wg"),
        ),
    ],
)
def test_a_tunnel_is_named_and_its_headers_explain_its_throughput(
    kind: str, text: str, mtu_bytes: int, lacks_at_most: float, own_registry: None, tmp_path: Path
) -> None:
    if missing := [one for one in (KINDS[kind], "ping") if not shutil.which(one)]:
        pytest.skip(f"{', '.join(missing)} is not installed")
    fabric = tmp_path / "sites.toml"
    fabric.write_text(SITES)
    with open_lab(str(fabric)) as lab, tunnel(kind, lab, tmp_path) as through:
        with pytest.raises(
            RequestError, match=r"n1 has no interface with the address 10\.88\.0\.9"
        ):
            measure_vpn(lab, VpnRequest(("10.88.0.9", through[1])))
        found = measure_vpn(lab, VpnRequest(through, 4, trial_s=1.0), str(tmp_path / "out"))
    assert found.kind.text == text
    assert found.tunnel.addresses == ADDRESSES
    assert found.tunnel.interfaces[0].startswith(INTERFACE)
    assert (found.raw.mtu_bytes, found.tunnel.path_mtu_bytes) == (1500, mtu_bytes)
    assert found.beside_arithmetic is not None
    assert -lacks_at_most < found.beside_arithmetic < 0.03
    assert found.tcp_over_tcp == (kind == "openvpn-tcp")
    assert found.limit == "link" or found.tcp_over_tcp
    assert (found.mpi.tunnel, found.mpi.raw) == (True, True)
    assert found.tunnel_measured.vpn_s_per_gb > 0
    assert (tmp_path / "out/vpn.json").exists()
