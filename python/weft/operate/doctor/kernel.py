"""What this kernel allows this user: everything is tried, in a separate process if it would change this one."""

from __future__ import annotations

import ctypes
import os
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from weft.base.binaries import ask
from weft.operate.doctor.row import DoctorRow, answer

AREA = "kernel"
NEW_TIME, NEW_USER, NEW_NETWORK = 0x80, 0x10000000, 0x40000000
"""Flags of unshare(2)."""
ANSWER_S = 5.0
_BPF = {"x86_64": 321, "aarch64": 280}
"""System call number of bpf(2)."""
_USER_NAMESPACES = (
    "sysctl -w user.max_user_namespaces=10000, and kernel.unprivileged_userns_clone=1 or "
)
_USER_NAMESPACES += (
    "kernel.apparmor_restrict_unprivileged_userns=0 where there is one; or run weft as root"
)
_CONTAINER = (
    "in a container: --privileged, or --cap-add SYS_ADMIN --cap-add NET_ADMIN --cap-add NET_RAW"
)
_LABS = "labs, as in weft demo and weft run PLAN --on lab:FABRIC"


def kernel() -> Iterator[DoctorRow]:
    """Namespaces, sockets, queues and BPF."""
    for what, act, needed_for, get in _TRIALS:
        why_not = _try_apart(act)
        yield DoctorRow(
            AREA, what, answer(not why_not), why_not or "tried", needed_for, get if why_not else ""
        )


def unshare(flags: int) -> None:
    """Put this process into namespaces of its own; raises OSError."""
    _check(_LIBC.unshare(flags))


def _own_network() -> None:
    """Enter a network namespace, in a user namespace as root if needed, so that started programs keep its rights."""
    user = os.geteuid()
    unshare(NEW_NETWORK if user == 0 else NEW_NETWORK | NEW_USER)
    if user:
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")


def _own_clock() -> None:
    unshare(NEW_TIME if os.geteuid() == 0 else NEW_TIME | NEW_USER)


def _packet_socket() -> None:
    _own_network()
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


def _raw_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


def _bpf() -> None:
    """Create a BPF array with one element of eight bytes."""
    number = _BPF.get(os.uname().machine)
    if number is None:
        raise OSError(0, "not tried on this architecture")
    attributes = (ctypes.c_uint32 * 18)(2, 4, 8, 1)
    made = _LIBC.syscall(number, 0, attributes, ctypes.sizeof(attributes))
    _check(made)
    os.close(made)


def _queue(kind: str, *parameters: str) -> None:
    """Add a queueing discipline to the loopback interface of a new namespace."""
    _own_network()
    done = ask(["tc", "qdisc", "add", "dev", "lo", "root", kind, *parameters], ANSWER_S)
    if done is None:
        raise OSError(0, "there is no tc to try it with")
    if done.returncode:
        raise OSError(0, done.stderr.strip().splitlines()[0])


def _check(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _attempt(act: Callable[[], None]) -> str:
    """Why an attempt fails, "" if it succeeds."""
    try:
        act()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _try_apart(act: Callable[[], None]) -> str:
    """Why an attempt in a separate process fails, "" if it succeeds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, _attempt(act).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        return said.read()


_LIBC = ctypes.CDLL(None, use_errno=True)
_QUEUES = "links that you delay or limit yourself; labs need neither"
_TRIALS: list[tuple[str, Callable[[], None], str, str]] = [
    ("user namespaces", partial(unshare, NEW_USER), f"{_LABS}, without root", _USER_NAMESPACES),
    ("network namespaces", _own_network, _LABS, f"{_USER_NAMESPACES}; {_CONTAINER}"),
    ("packet sockets", _packet_socket, _LABS, _CONTAINER),
    ("raw sockets", _raw_socket, "weft run icmp", f"run weft as root; {_CONTAINER}"),
    ("time namespaces", _own_clock, "nodes with clocks of their own", "Linux 5.6 or newer"),
    ("netem", partial(_queue, "netem", "delay", "1ms"), _QUEUES, "modprobe sch_netem"),
    ("htb", partial(_queue, "htb"), _QUEUES, "modprobe sch_htb"),
    ("BPF", _bpf, "tracing beside weft, such as with bpftrace", "run it as root"),
]
"""What is tried, what needs it, and how to get it."""
