"""A knob: a setting of a socket, an interface, a host or an MPI that may affect performance."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Scope = Literal["socket", "interface", "host", "mpi"]
Goal = Literal["stream", "latency"]
NAMED_GOALS = ("stream", "latency", "mixed")
"""Goals that can be tuned for by name: one of the two, or both."""
Prior = Literal["bandwidth-delay", "path-mtu", "path-rate", "processors", "processor-mask"]
"""Source of candidates: bytes around 2 x the bandwidth-delay product, sizes up to the path's MTU, rates up to the
path's, and processors that an agent may run on, by number or as a hexadecimal mask."""


class Access(Struct, frozen=True, omit_defaults=True):
    """How a node reads or sets a value: a file under /proc or /sys, or a command if there is no file.

    Texts may contain {interface} and {value}. A file with "*" means all files that match. Of a command that reads, the
    value is the first word `after` these texts, which follow each other in its output. `each` are files whose names, in
    place of {each}, lead to the `file`: for /proc/irq/{each}/smp_affinity_list, the interrupts of a card.
    """

    file: str = ""
    each: str = ""
    command: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Knob(Struct, frozen=True, omit_defaults=True):
    """A setting, by its name in catalog/knobs.

    A socket's knob has the step `option` that sets it, or is a `transport`. A knob of an interface or a host is set by
    the step option `knobs`, with `set`, and restored in the same way. With `reset` only the default can be restored, so
    it is changed only from the default, in which case the output of `read` has the text `default`. An MPI's knob is set
    by that option too; `environment` is its variable. Candidates of a `prior` are computed and then written as `form`
    says; `allowed` reads what a node offers. `by_hand` sets it until the next reboot, `permanent` permanently: commands
    with {interface} and {value}. `side` is the end on which it matters. A knob that `drops_link` may take the link
    down.
    """

    name: str
    title: str
    scope: Scope
    needs_root: bool = False
    option: str | None = None
    transport: str | None = None
    read: Access | None = None
    set: Access | None = None
    reset: Access | None = None
    default: str = ""
    environment: dict[str, str] = {}
    candidates: tuple[str, ...] = ()
    prior: Prior | None = None
    form: str = "{}"
    allowed: Access | None = None
    goals: tuple[Goal, ...] = ("stream", "latency")
    side: Literal["sender", "receiver", "both"] = "both"
    disturbs: str = ""
    by_hand: tuple[str, ...] = ()
    permanent: tuple[str, ...] = ()
    drops_link: bool = False

    @property
    def is_of_node(self) -> bool:
        """Whether it is set on a node, where it outlasts a run unless it is restored."""
        return self.set is not None
