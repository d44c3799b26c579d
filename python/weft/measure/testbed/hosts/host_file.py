"""Host files: the nodes of a cluster, how to log in there and where their data goes, in TOML."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from weft.base import catalog
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml
from weft.measure.testbed.hosts.checked_table import CheckedTable, Document
from weft.measure.testbed.hosts.host import NetworkAddress, Pace, RemoteHost
from weft.measure.testbed.hosts.launcher import Launcher, Mpirun, Ssh, Template
from weft.measure.testbed.hosts.mpi_host_file import hosts_of_mpi
from weft.measure.testbed.hosts.node_set import expand
from weft.measure.testbed.ports import PortRange

_HOST_KEYS = ("launcher", "command", "options", "ports", "cache", "agent", "deadline_s")
_FILE_KEYS = ("nodes", *_HOST_KEYS, "at_once", "tree")
_NODE_KEYS = ("ids", "login", "address", "interface", "groups", *_HOST_KEYS)
_LAUNCHERS = ("ssh", "template", "mpirun")


@dataclass(frozen=True)
class HostFile:
    """What a host file says."""

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
    return _Reader(Document(name, text), parse_toml(text, name)).cluster()


class _Reader:
    def __init__(self, document: Document, values: dict[str, object]) -> None:
        self._document = document
        self._top = CheckedTable(values, document, "", _FILE_KEYS)
        tables = values.get("nodes")
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            raise RequestError(f"{document.name}: it has no [[nodes]]", '[[nodes]]\nids = "n[1-4]"')
        self._tables: list[dict[str, object]] = tables

    def cluster(self) -> HostFile:
        hosts: dict[str, RemoteHost] = {}
        groups: dict[str, list[str]] = {}
        for index, values in enumerate(self._tables):
            table = CheckedTable(values, self._document, f"nodes[{index}].", _NODE_KEYS)
            for host in self._hosts(table):
                if host.name in hosts:
                    raise RequestError(f"{table.where('ids')} names {host.name} a second time")
                hosts[host.name] = host
                for group in table.texts("groups"):
                    groups.setdefault(group, []).append(host.name)
        at_once = self._top.number("at_once", 1, 4096)
        tree = self._top.number("tree", 0, 4096)
        return HostFile(list(hosts.values()), groups, Pace(at_once or Pace.at_once, tree or 0))

    def _hosts(self, table: CheckedTable) -> list[RemoteHost]:
        ids = table.text("ids")
        if ids is None:
            raise RequestError(f"{table.where('ids')} is missing", 'ids = "n[1-4]"')
        names = _located(table, "ids", ids)
        launcher = self._launcher(table)
        places = _places(table, names)
        login = table.text("login") or "{node}"
        ports = self._text(table, "ports")
        deadline_s = self._deadline_s(table)
        return [
            RemoteHost(
                name=name,
                login=login.replace("{node}", name),
                places=places[name],
                launcher=launcher,
                ports=PortRange.parse(ports, self._where(table, "ports")) if ports else None,
                cache=self._text(table, "cache"),
                agent=self._text(table, "agent"),
                deadline_s=deadline_s,
            )
            for name in names
        ]

    def _launcher(self, table: CheckedTable) -> Launcher:
        kind = self._text(table, "launcher") or "ssh"
        options = tuple(table.texts("options") or self._top.texts("options"))
        command = self._text(table, "command")
        where = self._where(table, "launcher")
        if kind == "template" or (command and not self._text(table, "launcher")):
            if command is None:
                raise RequestError(
                    f"{where} = 'template' needs a command", 'command = "docker exec -i {node}"'
                )
            if "options" in table:
                where = table.where("options")
                raise RequestError(f"{where}: are for ssh and mpirun", "put them into the command")
            return Template.parse(command, self._where(table, "command"))
        if kind not in _LAUNCHERS:
            raise RequestError(f"{where} = {kind!r} is none", f"launchers: {', '.join(_LAUNCHERS)}")
        if kind == "mpirun":
            return Mpirun(options)
        return Ssh(options, max(Ssh.connect_s, round(self._deadline_s(table) / 2)))

    def _deadline_s(self, table: CheckedTable) -> float:
        own = table.number("deadline_s", 1, 3600)
        return own or self._top.number("deadline_s", 1, 3600) or RemoteHost.deadline_s

    def _text(self, table: CheckedTable, key: str) -> str | None:
        """A node's own value, or else the file's."""
        return table.text(key) or self._top.text(key)

    def _where(self, table: CheckedTable, key: str) -> str:
        return (table if key in table else self._top).where(key)


def _places(table: CheckedTable, names: list[str]) -> dict[str, tuple[NetworkAddress, ...]]:
    """One place for each network; none when the file does not say."""
    addresses, interfaces = table.texts("address"), table.texts("interface")
    if addresses and interfaces:
        raise RequestError(f"{table.where('address')} and interface both say where data goes")
    if interfaces:
        return dict.fromkeys(names, tuple(NetworkAddress(interface=one) for one in interfaces))
    columns = [_addresses(table, names, one) for one in addresses]
    return {
        name: tuple(NetworkAddress(address=column[index]) for column in columns)
        for index, name in enumerate(names)
    }


def _addresses(table: CheckedTable, names: list[str], text: str) -> list[str]:
    """An address for each node: a pattern with {node}, or a set of as many addresses."""
    if "{node}" in text:
        return [text.replace("{node}", name) for name in names]
    found = [text] if ":" in text else _located(table, "address", text)
    if len(found) == 1:
        return found * len(names)
    if len(found) != len(names):
        raise RequestError(
            f"{table.where('address')} = {text!r} has {len(found)} addresses for {len(names)} nodes",
            'one for each, such as "10.0.0.[1-4]", or a pattern such as "{node}-ib"',
        )
    return found


def _located(table: CheckedTable, key: str, text: str) -> list[str]:
    try:
        return expand(text)
    except RequestError as error:
        raise RequestError(f"{table.where(key)}: {error.message}", error.hint) from None
