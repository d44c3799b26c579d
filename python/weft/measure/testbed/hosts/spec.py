"""Real clusters by their names on the command line: ssh:n[1-4], hosts:cluster.toml, template:COMMAND:n[1-4]."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

from weft.base.errors import RequestError
from weft.measure.testbed.hosts.host import RemoteHost
from weft.measure.testbed.hosts.host_file import HostFile, read_host_file
from weft.measure.testbed.hosts.launcher import Launcher, Mpirun, Ssh, Template
from weft.measure.testbed.hosts.node_set import expand
from weft.measure.testbed.hosts.slurm import open_slurm
from weft.measure.testbed.hosts.testbed import Hosts
from weft.measure.testbed.ports import PortRange


def open_hosts(
    kind: str,
    name: str,
    nodes: int | None,
    ports: str | None,
    may_ask: bool,
    wanted: Sequence[str] = (),
) -> Hosts:
    """The cluster for KIND:NAME; raises RequestError. Nothing is started, but Slurm may be asked for nodes."""
    chosen = None if ports is None else PortRange.parse(ports, "--ports")
    if kind == "slurm":
        return open_slurm(name, nodes, chosen, may_ask, wanted)
    cluster = _READERS[kind](name)
    hosts = _first(cluster.hosts, nodes, f"{kind}:{name}")
    if chosen is not None:
        hosts = [replace(host, ports=chosen) for host in hosts]
    return Hosts(kind, name, hosts, cluster.pace)


def named_commands(spec: str) -> list[str]:
    """The commands, besides weft's own, that KIND:NAME runs: templates, options of ssh, mpirun and salloc, and agents
    that are on nodes. Nothing is started; raises RequestError."""
    kind, _, name = spec.partition(":")
    if kind == "slurm":
        return [f"salloc {name}"] if name else []
    if kind not in _READERS:
        return []
    hosts = _READERS[kind](name).hosts
    launchers = {host.launcher for host in hosts} - {Ssh(), Mpirun()}
    return sorted({_named_command(one) for one in launchers} | {h.agent for h in hosts if h.agent})


def _named_command(launcher: Launcher) -> str:
    if isinstance(launcher, Template):
        return shlex.join(launcher.words)
    assert isinstance(launcher, Ssh | Mpirun)
    return shlex.join([launcher.name, *launcher.options])


def _first(hosts: list[RemoteHost], count: int | None, name: str) -> list[RemoteHost]:
    if count is not None and count > len(hosts):
        raise RequestError(f"--nodes {count}: {name} has {len(hosts)}")
    return hosts[:count]


def _from_file(name: str) -> HostFile:
    """All nodes of a file, or those of a node set after it: cluster.toml:@rack1."""
    path, colon, chosen = name.partition(".toml:")
    if not colon:
        return read_host_file(name)
    cluster = read_host_file(f"{path}.toml")
    names = expand(chosen, cluster.groups)
    by_name = {host.name: host for host in cluster.hosts}
    if unknown := [one for one in names if one not in by_name]:
        raise RequestError(f"{path}.toml has no node {unknown[0]}")
    return replace(cluster, hosts=[by_name[one] for one in names])


def _over_template(name: str) -> HostFile:
    command, colon, nodes = name.rpartition(":")
    if not colon:
        raise RequestError(
            f"template:{name}: a command and nodes are needed, with a colon between them",
            "for example template:docker exec -i {node}:web[1-4]",
        )
    return _named(nodes, Template.parse(command, "template"))


def _named(nodes: str, launcher: Launcher) -> HostFile:
    return HostFile([RemoteHost(name, name, (), launcher) for name in expand(nodes)])


_READERS: dict[str, Callable[[str], HostFile]] = {
    "hosts": _from_file,
    "ssh": lambda name: _named(name, Ssh()),
    "mpirun": lambda name: _named(name, Mpirun()),
    "template": _over_template,
}
