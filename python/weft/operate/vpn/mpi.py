"""Whether an MPI job would use a path or a tunnel, from interfaces, routes and Open MPI's settings."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from msgspec import Struct

from weft.measure.testbed.agent.reply import Interface
from weft.operate.vpn.node_look import VpnState


class MpiChoice(Struct, frozen=True):
    """Open MPI's `interfaces` on the first node, whether the `tunnel` and the `raw` path are among them, and `advice`
    for the user; `is_routed_through_tunnel` if even the raw address is reached through the tunnel."""

    interfaces: list[str]
    tunnel: bool
    raw: bool
    is_routed_through_tunnel: bool
    text: str
    advice: str


def choice(
    listed: Sequence[Interface], seen: VpnState, raw_interface: str, tunnel_interface: str
) -> MpiChoice:
    """Open MPI's TCP uses all interfaces that are up except excluded ones (loopback by default), and spreads large
    messages over them; `btl_tcp_if_include` names the only ones to use."""
    used = [one.name for one in listed if _is_used(one, seen.mpi)]
    has_tunnel, has_raw = tunnel_interface in used, raw_interface in used
    is_routed = seen.route == tunnel_interface != raw_interface
    if is_routed:
        text = f"the usual address is routed through {tunnel_interface}: every job uses the tunnel"
    elif has_tunnel and has_raw:
        text = (
            f"Open MPI would spread messages over {raw_interface} and the tunnel {tunnel_interface}"
        )
    elif has_tunnel:
        text = f"Open MPI would use the tunnel {tunnel_interface} and not {raw_interface}"
    elif has_raw:
        text = f"Open MPI would use {raw_interface} and not the tunnel"
    else:
        text = f"Open MPI would use neither {raw_interface} nor {tunnel_interface}"
    wrongly = has_tunnel and has_raw and not is_routed
    advice = (
        f"mpirun --mca btl_tcp_if_include {raw_interface} for the path, "
        f"--mca btl_tcp_if_include {tunnel_interface} for the tunnel; MPICH: -iface NAME"
        if wrongly
        else "ip route get shows which way addresses take"
        if is_routed
        else ""
    )
    return MpiChoice(used, has_tunnel, has_raw, is_routed, text, advice)


def setting(interfaces: Sequence[str], addresses: Sequence[str]) -> str:
    """The setting that keeps an MPI's messages on an interface of both nodes; a network if its names differ, because
    Open MPI does not accept a list of both addresses."""
    if len(set(interfaces)) == 1:
        return f"mpirun --mca btl_tcp_if_include {interfaces[0]} (MPICH: -iface {interfaces[0]})"
    first, second = map(ipaddress.ip_address, addresses)
    bits = first.max_prefixlen - (int(first) ^ int(second)).bit_length()
    network = ipaddress.ip_network(f"{first}/{bits}", strict=False)
    return f"mpirun --mca btl_tcp_if_include {network}"


def _is_used(interface: Interface, settings: dict[str, str]) -> bool:
    if include := settings.get("btl_tcp_if_include"):
        return any(_means(one, interface) for one in include.split(","))
    exclude = settings.get("btl_tcp_if_exclude", "127.0.0.1/8,sppp")
    return bool(interface.addresses) and not any(
        _means(one, interface) for one in exclude.split(",")
    )


def _means(text: str, interface: Interface) -> bool:
    """Whether text names the interface, or a network with one of its addresses."""
    if "/" not in text:
        return text.strip() == interface.name
    network = ipaddress.ip_network(text.strip(), strict=False)
    return any(ipaddress.ip_address(one) in network for one in interface.addresses)
