"""A knob: a setting of a socket, an interface, a host or an MPI that may change what a network gives."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Scope = Literal["socket", "interface", "host", "mpi"]
Goal = Literal["stream", "latency"]
NAMED_GOALS = ("stream", "latency", "mixed")
"""What can be tuned for by name: one of the goals, or both."""
Prior = Literal["bandwidth-delay", "path-mtu", "path-rate", "processors", "processor-mask"]
"""Where candidates come from: bytes about 2 x bandwidth-delay product, sizes up to the path's MTU, rates up to the
path's, processors that an agent may run on, by number or as a hexadecimal mask."""


class Access(Struct, frozen=True, omit_defaults=True):
    """How a node reads or sets a value: a file under /proc or /sys, or a command where no file serves.

    Texts may have {interface} and {value}. A file may have "*": it then means all files that match. Of a command that
    reads, the value is the first word `after` these texts, which follow each other in what it prints. `each` are files
    whose names, in place of {each}, lead to the `file`: of /proc/irq/{each}/smp_affinity_list the interrupts of a card.
    """

    file: str = ""
    each: str = ""
    command: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Knob(Struct, frozen=True, omit_defaults=True):
    """A setting, by its name in catalog/knobs.

    A socket's has the step `option` that sets it, or the `transport` that is it. An interface's or a host's is set by
    the step option `knobs`, with `set`, and put back in the same way. With `reset` only the default can be put back, so
    that only it is changed; what `read` prints of it has the text `default`. An MPI's is set by that option too, and
    `environment` has its variable. Candidates of a `prior` are computed and then written as `form` says; `allowed`
    reads what a node offers. `by_hand` sets it until the next reboot, `permanent` for good: commands with {interface}
    and {value}. `side` is the end on which it matters. One that `drops_link` may take the link down.
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
        """Whether it is set on a node, where it outlives a run unless it is put back."""
        return self.set is not None
