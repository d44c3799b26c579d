"""Resolves a user's description of a node's networks to the addresses that agents measure on."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain

from weft.base.errors import RequestError
from weft.measure.testbed.agent.agent import AgentError
from weft.measure.testbed.agent.reply import Facts, Interface
from weft.measure.testbed.hosts.host import NetworkAddress, RemoteHost
from weft.measure.testbed.hosts.launcher import Ssh

_AT_ONCE = 32


def resolve_all(hosts: Sequence[RemoteHost]) -> list[RemoteHost]:
    """The hosts with names resolved to addresses; raises RequestError for a given name that is unknown.

    If no name was given, the node's own name is tried. If that is unknown here, or means this machine's loopback, which
    says nothing about how others reach the node, the node itself is asked later.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        resolved = list(pool.map(_resolve, hosts))
    given = [bool(host.places) for host in hosts]
    if all(map(_is_on_loopback, resolved)):
        return resolved
    return [
        replace(host, places=()) if not was_given and _is_on_loopback(host) else host
        for host, was_given in zip(resolved, given, strict=True)
    ]


def is_loopback(address: str) -> bool:
    """Whether an address can be reached only from its own machine."""
    return bool(address) and ipaddress.ip_address(address).is_loopback


def settle(host: RemoteHost, facts: Facts) -> tuple[str, ...]:
    """A node's addresses, one for each network, from its facts; raises AgentError."""
    if not host.places:
        return (_only_address(host.name, facts.interfaces),)
    return tuple(
        place.address or _of_interface(host.name, place, facts.interfaces) for place in host.places
    )


def _is_on_loopback(host: RemoteHost) -> bool:
    return bool(host.places) and is_loopback(host.places[0].address)


def _resolve(host: RemoteHost) -> RemoteHost:
    if host.places:
        return replace(host, places=tuple(_resolve_place(host, place) for place in host.places))
    address = _look_up(host.name) or _ask_ssh(host)
    return replace(host, places=(NetworkAddress(address=address),) if address else ())


def _resolve_place(host: RemoteHost, place: NetworkAddress) -> NetworkAddress:
    if not place.address:
        return place
    address = _look_up(place.address)
    if address is None:
        raise RequestError(
            f"{host.name}: its address {place.address} is not known here",
            "give it as a number, such as 10.0.0.1, or name the interface",
        )
    return NetworkAddress(address=address)


def _look_up(name: str) -> str | None:
    """The address of a name, IPv4 first."""
    if not name:
        return None
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    found.sort(key=lambda one: one[0] != socket.AF_INET)
    return str(found[0][4][0])


def _ask_ssh(host: RemoteHost) -> str | None:
    """The host's address in the user's ssh configuration, if it is reached directly."""
    settings = host.launcher.settings(host.login) if isinstance(host.launcher, Ssh) else {}
    is_behind_others = bool({"proxyjump", "proxycommand"} & settings.keys())
    return None if is_behind_others else _look_up(settings.get("hostname", ""))


def _only_address(node: str, interfaces: Sequence[Interface]) -> str:
    """The address of a node that has only one, besides loopback."""
    listed = [address for one in interfaces for address in one.addresses]
    others = [address for address in listed if not is_loopback(address)]
    found = [one for one in others if ":" not in one] or others or listed[:1]
    if len(found) != 1:
        raise AgentError(
            node, "agent-address", f"where its data goes is not clear: {_shown(interfaces)}; {_SAY}"
        )
    return found[0]


def _of_interface(node: str, place: NetworkAddress, interfaces: Sequence[Interface]) -> str:
    mine = [one.addresses for one in interfaces if one.name == place.interface]
    if not any(mine):
        has = f"it has no address on {place.interface}: {_shown(interfaces)}"
        raise AgentError(node, "agent-address", has)
    return min(chain.from_iterable(mine), key=lambda address: ":" in address)


_SAY = "give `address` or `interface` in a host file"


def _shown(interfaces: Sequence[Interface]) -> str:
    named = [f"{one.name} {' '.join(one.addresses)}" for one in interfaces]
    return f"it has {', '.join(named) or 'no interfaces that are up'}"
