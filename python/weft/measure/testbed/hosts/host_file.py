"""Host files: the nodes of a cluster, their logins and data addresses, in TOML."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.toml_file import TomlFile, TomlTable, Word, WordList
from weft.measure.testbed.hosts.host import NetworkAddress, Pace, RemoteHost
from weft.measure.testbed.hosts.launcher import Launcher, Mpirun, Ssh, Template
from weft.measure.testbed.hosts.mpi_host_file import hosts_of_mpi
from weft.measure.testbed.hosts.node_set import expand
from weft.measure.testbed.ports import PortRange

_LAUNCHERS = ("ssh", "template", "mpirun")


class _HostKeys(TomlTable, frozen=True):
    """Keys of a node, with defaults for all nodes at the top of the file."""

    launcher: Word | None = None
    command: Word | None = None
    options: WordList = WordList()
    ports: Word | None = None
    cache: Word | None = None
    agent: Word | None = None
    deadline_s: Annotated[int, Meta(ge=1, le=3600)] | None = None


class _Nodes(_HostKeys, frozen=True, kw_only=True):
    ids: Word
    login: Word = "{node}"
    address: WordList = WordList()
    interface: WordList = WordList()
    groups: WordList = WordList()


class _Document(_HostKeys, frozen=True, kw_only=True):
    nodes: Annotated[tuple[_Nodes, ...], Meta(min_length=1)]
    at_once: Annotated[int, Meta(ge=1, le=4096)] = Pace.at_once
    tree: Annotated[int, Meta(ge=0, le=4096)] = 0


@dataclass(frozen=True)
class HostFile:
    """The content of a host file."""

    hosts: list[RemoteHost]
    groups: dict[str, list[str]] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)


def read_host_file(name: str) -> HostFile:
    """The cluster that a file describes; raises RequestError with file, table and key."""
    path = Path(name)
    if not path.is_file():
        raise RequestError(
            f"{name}: no such host file", "hosts:FILE is a TOML file or MPI's; ssh:a,b names hosts"
        )
    text = catalog.read(path)
    if (found := hosts_of_mpi(text)) is not None:
        return HostFile([RemoteHost(one.rpartition("@")[2], one, (), Ssh()) for one in found])
    file = TomlFile(text, name, '[[nodes]]\nids = "n[1-4]"')
    return _cluster(file, file.decode(_Document))


def _cluster(file: TomlFile, document: _Document) -> HostFile:
    hosts: dict[str, RemoteHost] = {}
    groups: dict[str, list[str]] = {}
    for index, nodes in enumerate(document.nodes):
        entry = _Entry(file, f"nodes[{index}].", nodes, document)
        for host in entry.hosts():
            if host.name in hosts:
                raise RequestError(f"{entry.where('ids')} names {host.name} a second time")
            hosts[host.name] = host
            for group in nodes.groups:
                groups.setdefault(group, []).append(host.name)
    return HostFile(list(hosts.values()), groups, Pace(document.at_once, document.tree))


@dataclass(frozen=True)
class _Entry:
    """An entry of the file at its `path`; missing keys are taken from the `document`."""

    _file: TomlFile
    _path: str
    _nodes: _Nodes
    _document: _Document

    def where(self, key: str) -> str:
        """The name of a key in messages: in the entry, or else in the file."""
        is_own = getattr(self._nodes, key) or not hasattr(self._document, key)
        return self._file.where(self._path + key if is_own else key)

    def hosts(self) -> list[RemoteHost]:
        nodes = self._nodes
        names = self._expanded("ids", nodes.ids)
        launcher, places = self._launcher(), self._places(names)
        ports = self._text("ports")
        return [
            RemoteHost(
                name=name,
                login=nodes.login.replace("{node}", name),
                places=places[name],
                launcher=launcher,
                ports=PortRange.parse(ports, self.where("ports")) if ports else None,
                cache=self._text("cache"),
                agent=self._text("agent"),
                deadline_s=self._deadline_s(),
            )
            for name in names
        ]

    def _launcher(self) -> Launcher:
        kind, command = self._text("launcher") or "ssh", self._text("command")
        where = self.where("launcher")
        if kind == "template" or (command and not self._text("launcher")):
            if command is None:
                raise RequestError(
                    f"{where} = 'template' needs a command", 'command = "docker exec -i {node}"'
                )
            if self._nodes.options:
                where = self.where("options")
                raise RequestError(f"{where}: are for ssh and mpirun", "put them into the command")
            return Template.parse(command, self.where("command"))
        if kind not in _LAUNCHERS:
            raise RequestError(f"{where} = {kind!r} is none", f"launchers: {', '.join(_LAUNCHERS)}")
        options = tuple(self._nodes.options or self._document.options)
        if kind == "mpirun":
            return Mpirun(options)
        return Ssh(options, max(Ssh.connect_s, round(self._deadline_s() / 2)))

    def _deadline_s(self) -> float:
        return self._nodes.deadline_s or self._document.deadline_s or RemoteHost.deadline_s

    def _text(self, key: str) -> str | None:
        """The node's own value, or else the file's default."""
        found: str | None = getattr(self._nodes, key) or getattr(self._document, key)
        return found

    def _places(self, names: list[str]) -> dict[str, tuple[NetworkAddress, ...]]:
        """For each node, its address on each network; empty if the file does not give them."""
        addresses, interfaces = self._nodes.address, self._nodes.interface
        if addresses and interfaces:
            raise RequestError(f"{self.where('address')} and interface both say where data goes")
        if interfaces:
            return dict.fromkeys(names, tuple(NetworkAddress(interface=one) for one in interfaces))
        columns = [self._addresses(names, one) for one in addresses]
        return {
            name: tuple(NetworkAddress(address=column[index]) for column in columns)
            for index, name in enumerate(names)
        }

    def _addresses(self, names: list[str], text: str) -> list[str]:
        """An address for each node: from a pattern with {node}, or from a set with as many addresses."""
        if "{node}" in text:
            return [text.replace("{node}", name) for name in names]
        found = [text] if ":" in text else self._expanded("address", text)
        if len(found) == 1:
            return found * len(names)
        if len(found) != len(names):
            raise RequestError(
                f"{self.where('address')} = {text!r} has {len(found)} addresses for {len(names)} nodes",
                'one for each, such as "10.0.0.[1-4]", or a pattern such as "{node}-ib"',
            )
        return found

    def _expanded(self, key: str, text: str) -> list[str]:
        try:
            return expand(text)
        except RequestError as error:
            raise RequestError(f"{self.where(key)}: {error.message}", error.hint) from None
