"""Generated networks that are requested as guests."""

from __future__ import annotations

from weft import _core
from weft.base.errors import RequestError
from weft.measure.testbed.vm.accelerator import likely_accelerator
from weft.measure.testbed.vm.room import GuestCapacity
from weft.measure.testbed.vm.settings import GuestSettings
from weft.network.fabrics.spec import split_spec


def refuse_generator(spec: str) -> None:
    """Raise RequestError if a fabric's name is a generator's, with what guests for all of its hosts would need."""
    name, values = split_spec(spec, f"vm:{spec}", "for example vm:pair(nic=e1000)")
    example = dict(_core.Network.generators()).get(name)
    if example is None:
        return
    room = GuestCapacity.here(likely_accelerator())
    simulated, count = _simulated(name, values)
    takes = f"; {room.text([GuestSettings()] * count)}" if count else ""
    most = room.carries(GuestSettings().memory_mbytes)
    raise RequestError(
        f"vm:{spec}: guests take fabrics of the catalogue or of a file, and {name} makes networks that are simulated"
        f"{takes}",
        f"a fabric of at most {most} hosts, such as --on vm:pair (`weft list fabrics` has all); or the simulation: "
        f"--on 'sim:{spec if simulated else example}'",
    )


def _simulated(name: str, values: dict[str, str]) -> tuple[bool, int]:
    """Whether the generator accepts the values, and the number of hosts; if it does not, the requested number, 0 if
    none is given."""
    try:
        network = _core.Network.generated(name, values, 1.0)
    except _core.RefusedError:
        asked = values.get("hosts", "")
        return False, int(asked) if asked.isascii() and asked.isdigit() else 0
    return True, len(network.hosts()) if network else 0
