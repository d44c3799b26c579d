"""Delivers the agent's program to a node: a small shell script asks for it if the node does not have it yet.

The script chooses the program for the node's architecture, checks its hash, and becomes the agent. It is one line
without quotes, which login shells of other kinds (csh, fish) could misread. It prints lines that begin with
`weft-start`; all other output, such as a login shell's greeting, is skipped.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Sequence

from weft.measure.testbed.agent.agent import Reason
from weft.measure.testbed.agent.process import AgentProcess
from weft.measure.testbed.hosts.program import Programs
from weft.measure.testbed.hosts.relay import RelayedProcess

_SAID = re.compile(
    rb"weft-start (need|run|architecture|tool|home|folder|owner|damaged|disk|noexec)\b(.*)$"
)
_MOST_NOISE_BYTES = 64 << 10
_PIECE_BYTES = 256 << 10

_SCRIPT = " ".join(
    [
        "name=$1 cache=$2 m=$(uname -m) digest=; shift 2;",
        'until [ "$1" = -- ]; do [ "$1" = "$m" ] && digest=$2 bytes=$3; shift 3; done; shift;',
        'say() { echo "weft-start $*"; };',
        'fail() { say "$@"; exit 97; };',
        '[ -n "$digest" ] || fail architecture "$m";',
        "command -v sha256sum >/dev/null || fail tool sha256sum;",
        'b=${cache:-${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}}; [ -n "$b" ] || fail home;',
        "umask 077; d=$b/weft-$(id -u);",
        'e=$(mkdir -p "$d" 2>&1) || fail folder "$e";',
        '[ -O "$d" ] && [ ! -h "$d" ] || fail owner "$d";',
        "f=$d/$name-$digest; t=$f.$(uname -n).$$;",
        'tidy() { rm -f "$t"; exit 98; }; trap tidy HUP INT TERM;',
        'ok() { s=$(sha256sum 2>/dev/null <"$1") && [ "${s%% *}" = "$digest" ]; };',
        "tries=0;",
        'until [ -f "$f" ] && ok "$f"; do',
        'tries=$((tries+1)); [ $tries -le 2 ] || fail damaged "$d";',
        'say need "$m";',
        'e=$(head -c "$bytes" 2>&1 >"$t") || { rm -f "$t"; fail disk "$d: $e"; };',
        'if ok "$t"; then chmod 700 "$t" && mv -f "$t" "$f"; else rm -f "$t"; fi;',
        "done;",
        '[ -x "$f" ] || fail noexec "$d";',
    ]
)
_BECOME = 'say run "$m"; exec "$f" "$@"'
_TELL = 'say run "$f"'


def start_argv(programs: Programs, cache: str | None, arguments: Sequence[str]) -> list[str]:
    """The command that starts the agent on a node; `cache` is the folder in which the node keeps the program, by
    default in the user's own."""
    return [*_argv(_BECOME, programs, cache), *arguments]


def keep_argv(programs: Programs, cache: str | None) -> list[str]:
    """The command with which a node stores a program and prints its path."""
    return _argv(_TELL, programs, cache)


def _argv(last: str, programs: Programs, cache: str | None) -> list[str]:
    name = next(iter(programs.values())).name
    choice = [
        word
        for machine, program in programs.items()
        for word in (machine, program.digest, str(len(program.content)))
    ]
    return ["sh", "-c", f"{_SCRIPT} {last}", name, name, cache or "", *choice, "--"]


class StartFailure(Exception):
    """An agent did not start; the caller knows the node's name."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason


class LoginEnded(Exception):
    """The login ended before the script printed anything; `said` is the last line printed."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


async def deliver(process: AgentProcess, programs: Programs, on_login: Callable[[], None]) -> str:
    """Follow the script until it becomes the agent, and send the program if it asks for it.

    Returns the script's last answer: the node's architecture, or the path of a program that was to be stored. Raises
    StartFailure with the script's reason, or LoginEnded.
    """
    while True:
        word, rest = await _next_word(process.stdout)
        on_login()
        if word == "run":
            return rest
        if word != "need":
            raise StartFailure(_failure(word, rest, programs))
        if isinstance(process, RelayedProcess) and process.machine == rest:
            process.stdin.feed()
        elif program := programs.get(rest):
            await _send(process, program.content)
        else:
            raise StartFailure(_failure("architecture", rest, programs))


async def _next_word(stream: asyncio.StreamReader) -> tuple[str, str]:
    line, noise_bytes = b"", 0
    while noise_bytes < _MOST_NOISE_BYTES:
        try:
            line = await stream.readuntil(b"\n")
        except asyncio.LimitOverrunError:
            break
        except asyncio.IncompleteReadError as end:
            raise LoginEnded((end.partial or line).decode(errors="replace")) from None
        if said := _SAID.search(line):
            return said[1].decode(), said[2].decode(errors="replace").strip()
        noise_bytes += len(line)
    raise StartFailure(Reason("agent-garbled", "its login writes too much of something else"))


async def _send(process: AgentProcess, content: bytes) -> None:
    """Send in pieces, so that many nodes do not need many copies in memory. If the process ends, this is noticed when
    its output is read."""
    with contextlib.suppress(ConnectionError):
        for start in range(0, len(content), _PIECE_BYTES):
            process.stdin.write(content[start : start + _PIECE_BYTES])
            await process.stdin.drain()


def _failure(word: str, rest: str, programs: Programs) -> Reason:
    last = rest.rpartition(": ")[2] or rest
    reasons = {
        "architecture": Reason(
            "agent-architecture",
            f"its architecture is {rest}, the agent is built for {' and '.join(programs)}",
        ),
        "tool": Reason("agent-tool", f"it has no {rest}, with which the agent is checked"),
        "home": Reason(
            "agent-home",
            "it has no home directory to keep the agent in: set `cache` in a host file",
        ),
        "folder": Reason("agent-folder", f"its cache directory cannot be made: {rest}"),
        "owner": Reason(
            "agent-owner",
            f"its cache directory {rest} belongs to another user, or is a link: set `cache` in a host file",
        ),
        "damaged": Reason("agent-damaged", f"the agent arrived damaged twice in {rest}"),
        "disk": Reason(
            "agent-disk", f"the agent cannot be written to {rest.partition(': ')[0]}: {last}"
        ),
        "noexec": Reason(
            "agent-noexec", f"{rest} does not let programs run (noexec): set `cache` in a host file"
        ),
    }
    return reasons[word]
