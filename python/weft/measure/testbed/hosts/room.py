"""How many logins this machine allows one program: each takes some open files and a process."""

from __future__ import annotations

import contextlib
import resource

FILES_OF_A_LOGIN = 4
"""Three pipes and the process."""
OTHER_FILES = 256


def room_for(logins: int) -> int:
    """How many of the `logins` fit, after soft limits were raised as far as the hard limits allow."""
    wanted = logins * FILES_OF_A_LOGIN + OTHER_FILES
    files = _raise(resource.RLIMIT_NOFILE, wanted)
    _raise(resource.RLIMIT_NPROC, resource.RLIM_INFINITY)
    if _holds(files, wanted):
        return logins
    return max(0, files - OTHER_FILES) // FILES_OF_A_LOGIN


def no_room(room: int) -> str:
    """The reason why a node gets no login, with the number that fit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return (
        f"this machine lets a program open {hard:,} files (`ulimit -Hn`), enough for {room:,} logins: "
        "raise that, or set `tree = 16` in a host file"
    )


def _raise(kind: int, wanted: int) -> int:
    """Raise a soft limit as far as needed and allowed; returns the resulting limit."""
    soft, hard = resource.getrlimit(kind)
    if not _holds(soft, wanted):
        possible = wanted if _holds(hard, wanted) else hard
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (possible, hard))
    return resource.getrlimit(kind)[0]


def _holds(limit: int, wanted: int) -> bool:
    """Whether a limit is sufficient; RLIM_INFINITY is a negative number."""
    return limit == resource.RLIM_INFINITY or limit >= wanted != resource.RLIM_INFINITY
