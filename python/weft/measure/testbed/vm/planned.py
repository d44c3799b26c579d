"""Guests that would boot, for a dry run, and the testbed that they would form."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, NoReturn

import msgspec
from msgspec import Struct

from weft.base import catalog
from weft.base.errors import WorkError
from weft.measure.testbed.base import BaseTestbed, Node
from weft.measure.testbed.lab.testbed import NAMESPACE_LOGIN
from weft.measure.testbed.vm.accelerator import likely_accelerator
from weft.measure.testbed.vm.bond import bond_address, check_bonds
from weft.measure.testbed.vm.brackets import Brackets, split_spec
from weft.measure.testbed.vm.described import settings_of
from weft.measure.testbed.vm.interfaces import address_of
from weft.measure.testbed.vm.needs import Need, needs
from weft.measure.testbed.vm.room import check_room
from weft.measure.testbed.vm.settings import GuestSettings
from weft.measure.testbed.vm.testbed import (
    GUEST_LOGIN,
    GuestLab,
    brackets_of,
    expand,
    fabric_of,
    kept_up,
    open_vm,
)
from weft.network.fabrics.load import load_fabric
from weft.runs.meta import Warning
from weft.runs.records import records
from weft.runs.records.fabric_records import FabricRecord


class PlannedGuest(Struct, frozen=True):
    """A guest: its processors, its memory in MB, and the model of each interface's card."""

    name: str
    cpus: int
    memory_mbytes: int
    cards: list[str]


class GuestsOutlook(Struct, frozen=True):
    """All guests of a fabric, whether they are up already, and requirements that this machine does not meet."""

    are_up: bool
    each: list[PlannedGuest]
    missing: list[Need]

    @property
    def can_run(self) -> bool:
        """Whether nothing essential is missing."""
        return not any(need.required for need in self.missing)

    def to_json(self) -> dict[str, object]:
        """Keys of the JSON document of a dry run."""
        return {
            "are_up": self.are_up,
            "can_run": self.can_run,
            "guests": msgspec.to_builtins(self.each),
            "missing": msgspec.to_builtins(self.missing),
        }


class PlannedGuests(BaseTestbed):
    """The testbed that the guests would form. Nothing can be started on it."""

    kind = "vm"
    cpus = None
    is_here = False
    may_spin = False
    warnings: ClassVar[list[Warning]] = []

    def __init__(self, name: str, scale: float, brackets: Brackets) -> None:
        """Raises RequestError for an unknown fabric or unknown nodes."""
        self.name = catalog.find("fabric", name).stem
        self._scale = scale
        self._fabric = load_fabric(name, scale)
        self._settings = settings_of(self._fabric, brackets)
        chosen = expand(self._fabric, brackets.nodes)
        hosts = [host["name"] for host in self._fabric["hosts"]]
        self.nodes = [self._node(at, host) for at, host in enumerate(hosts) if host in chosen]

    def describe(self) -> records.TestbedRecord:
        """The fabric's entry in run.json."""
        return {
            "kind": self.kind,
            "name": self.name,
            "scale": self._scale,
            "fabric": self._fabric,
        }

    def node_command(self, node: Node, argv: list[str]) -> NoReturn:
        raise WorkError(f"{node.name} is not up")

    def login(self, node: Node) -> str:
        return GUEST_LOGIN if node.name in self._settings else NAMESPACE_LOGIN

    def _node(self, at: int, host: str) -> Node:
        networks = sorted(_networks(self._fabric, host))
        addresses = tuple(address_of(network, at) for network in networks)
        node, guest = Node(host, addresses[0], addresses), self._settings.get(host)
        return replace(node, bond=bond_address(node.address)) if guest and guest.bond else node


def open_planned(spec: str, scale: float) -> GuestLab | PlannedGuests:
    """Guests that are up, or those that would boot; raises RequestError."""
    name, brackets = split_spec(spec)
    if kept_up(name, scale, brackets):
        return open_vm(spec, scale)
    return PlannedGuests(name, scale, brackets)


def foresee_guests(spec: str, scale: float) -> GuestsOutlook:
    """What would boot. Raises RequestError for an invalid request, but not for missing requirements."""
    name, brackets = split_spec(spec)
    if entry := kept_up(name, scale, brackets):
        fabric = fabric_of(entry)
        settings = settings_of(fabric, brackets_of(entry))
        return GuestsOutlook(True, _guests(fabric, settings), [])
    fabric = load_fabric(name, scale)
    settings = settings_of(fabric, brackets)
    check_room(settings.values(), likely_accelerator(brackets.icount))
    check_bonds(fabric, settings)
    modules = sorted({module for one in settings.values() for module in one.modules})
    missing = [need for need in needs(modules) if not need.found]
    return GuestsOutlook(False, _guests(fabric, settings), missing)


def _guests(fabric: FabricRecord, settings: dict[str, GuestSettings]) -> list[PlannedGuest]:
    return [
        PlannedGuest(
            name,
            guest.cpus,
            guest.memory_mbytes,
            [guest.nic(at) for at in range(len(_networks(fabric, name)))],
        )
        for name, guest in settings.items()
    ]


def _networks(fabric: FabricRecord, host: str) -> list[int]:
    """The networks of a host."""
    return [link.get("network", 0) for link in fabric["links"] if host in link["ends"]]
