"""Rules for nftables and iptables, with the same text for all nodes."""

from __future__ import annotations

import ipaddress
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence

from weft.base.errors import WorkError
from weft.measure.testbed.ports import PortRange
from weft.operate.job_ports.rules import PortRule

TABLE = "weft_ports"
REFUSED = "refused"
"""The set in which the kernel records what no rule allowed."""
_VERSIONS = {4: "ip", 6: "ip6"}
_NFT_BYTES, _IPTABLES_BYTES = 127, 255
"""The longest comment of each, without the terminator."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_.+\-?,: ]")
_NOT_ITS_FAULT = re.compile(
    "Operation not permitted|Permission denied|can't initialize|does not exist|No such file|not supported"
)
"""Errors of a kernel without the module, or of a namespace that hides it."""
_PORTS_AT_ONCE = 15
"""Most ports of iptables' multiport match; a range counts as two."""
_KEPT = """    set {name} {{ type inet_proto . ipv4_addr . inet_service; flags dynamic; size 65535; }}
    set {name}6 {{ type inet_proto . ipv6_addr . inet_service; flags dynamic; size 65535; }}
"""
_KEEP = """        meta l4proto {{ tcp, udp }} add @{name} {{ meta l4proto . ip saddr . th dport }}
        meta l4proto {{ tcp, udp }} add @{name}6 {{ meta l4proto . ip6 saddr . th dport }}
"""


def nftables(rules: Iterable[PortRule], keeps_refused: bool = False) -> str:
    """A table that drops everything else; with `keeps_refused` it has a set of what was dropped."""
    lines = "".join(f"        {line}\n" for rule in rules for line in _nft_lines(rule))
    return (
        f"table inet {TABLE} {{\n"
        + (_KEPT.format(name=REFUSED) if keeps_refused else "")
        + "    chain input {\n"
        "        type filter hook input priority filter; policy drop;\n"
        '        iif "lo" accept\n'
        "        ct state established,related accept\n"
        + ("        icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept\n")
        + lines
        + (_KEEP.format(name=REFUSED) if keeps_refused else "")
        + "    }\n}\n"
    )


def _nft_lines(rule: PortRule) -> Iterator[str]:
    ports = ", ".join(map(str, rule.ports))
    for version, sources, targets in _by_version(rule):
        name = _VERSIONS[version]
        yield (
            f"{name} saddr {{ {', '.join(sources)} }} {name} daddr {{ {', '.join(targets)} }} "
            f'{rule.protocol} dport {{ {ports} }} accept comment "{_comment(rule, _NFT_BYTES)}"'
        )


def iptables(rules: Iterable[PortRule], version: int = 4) -> str:
    """Input of iptables-restore (version 6: ip6tables-restore); "" if no rule is of this version."""
    lines = [line for rule in rules for line in _iptables_lines(rule, version)]
    if not lines:
        return ""
    head = ["*filter", ":INPUT DROP [0:0]", "-A INPUT -i lo -j ACCEPT"]
    head += ["-A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT"]
    return "\n".join([*head, *lines, "COMMIT"]) + "\n"


def _iptables_lines(rule: PortRule, version: int) -> Iterator[str]:
    for mine, sources, targets in _by_version(rule):
        if mine == version:
            for ports in _at_once(rule.ports):
                yield (
                    f"-A INPUT -s {','.join(sources)} -d {','.join(targets)} -p {rule.protocol} "
                    f"-m multiport --dports {','.join(str(one).replace('-', ':') for one in ports)} "
                    f'-m comment --comment "{_comment(rule, _IPTABLES_BYTES)}" -j ACCEPT'
                )


def _comment(rule: PortRule, most_bytes: int) -> str:
    """The purpose of a rule, in characters that end neither a comment nor a line: processes choose their own names."""
    text = _UNSAFE.sub("?", rule.purpose)
    return text if len(text) <= most_bytes else f"{text[: most_bytes - 3]}..."


def refuse_unloadable(nft: str, ipt: str, ipt6: str) -> None:
    """Raise WorkError if a firewall program of this machine rejects its rules (they are not loaded). Programs that are
    missing, or that this user may not run, are not asked."""
    for argv, text in (
        (["nft", "-c", "-f", "-"], nft),
        (["iptables-restore", "--test"], ipt),
        (["ip6tables-restore", "--test"], ipt6),
    ):
        if not text or os.geteuid() != 0 or shutil.which(argv[0]) is None:
            continue
        done = subprocess.run(argv, input=text, capture_output=True, text=True, check=False)
        if done.returncode and not _NOT_ITS_FAULT.search(done.stderr):
            raise WorkError(
                f"{argv[0]} refuses the rules that weft made: {done.stderr.strip()[:300]}",
                "this is a fault of weft: report it with the output of `weft ports --json`",
            )


def _at_once(ports: Sequence[PortRange]) -> Iterator[list[PortRange]]:
    some: list[PortRange] = []
    for one in ports:
        if sum(min(2, len(each)) for each in [*some, one]) > _PORTS_AT_ONCE:
            yield some
            some = []
        some.append(one)
    yield some


def _by_version(rule: PortRule) -> Iterator[tuple[int, list[str], list[str]]]:
    """The sources and targets for each IP version that has both."""
    for version in _VERSIONS:
        sources, targets = (_of_version(all_, version) for all_ in (rule.sources, rule.targets))
        if sources and targets:
            yield version, sources, targets


def _of_version(addresses: Iterable[str], version: int) -> list[str]:
    return [one for one in addresses if ipaddress.ip_address(one).version == version]
