"""What starts programs on nodes: the user's ssh, a command template, or mpirun."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from weft.base.binaries import ask
from weft.base.errors import RequestError
from weft.measure.testbed.agent.agent import Reason

Symptoms = Sequence[tuple[str, str, str]]
"""Regular expression for a launcher's standard error, code, and reason (which may refer to groups)."""

ASK_S = 5.0
SSH_PORT = "22"

SSH_SYMPTOMS: Symptoms = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "agent-host-key-changed",
        "its host key is another one than before; if that is right, `ssh-keygen -R` it and log in by hand",
    ),
    ("Host key verification failed", "agent-host-key-unknown", "its host key is not known here: log in once by hand"),
    (
        "Permission denied|Too many authentication failures",
        "agent-login-refused",
        "the login was refused: no key that fits, or another user",
    ),
    (r"Could not resolve hostname ([^\s:]+)", "agent-name-unknown", r"no host named \1 is known"),
    ("Connection refused", "agent-login-unreachable", "it refuses connections to its ssh port"),
    ("No route to host|Network is unreachable", "agent-login-unreachable", "there is no way to it"),
    ("timed out", "agent-login-silent", "its ssh port did not answer in time"),
    (
        "exchange_identification|Not allowed at this time",
        "agent-login-dropped",
        "its sshd, or that of a jump host, dropped the connection, as with more logins at a time than MaxStartups",
    ),
)  # fmt: skip


class Launcher(Protocol):
    """Starts a program on a node, with its standard input and output here."""

    @property
    def name(self) -> str:
        """Its name for users."""

    def command(self, login: str, argv: list[str]) -> list[str]:
        """The local command that runs `argv` on the node."""

    def way(self, login: str) -> str:
        """How the node is reached, as text."""

    def explain(self, said: str) -> Reason | None:
        """The reason behind its messages; None if they are unknown."""


@dataclass(frozen=True)
class Ssh:
    """The user's own ssh, with their configuration, jump hosts and keys; it never asks for a password."""

    options: tuple[str, ...] = ()
    connect_s: int = 10
    name = "ssh"

    def command(self, login: str, argv: list[str]) -> list[str]:
        """The user's options come first, because ssh uses the first value of an option."""
        own = ["-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={self.connect_s}"]
        return ["ssh", *self.options, *own, "--", login, shlex.join(argv)]

    def way(self, login: str) -> str:
        settings = self.settings(login)
        if not settings:
            return f"ssh to {login}"
        through = settings.get("proxyjump") or settings.get("proxycommand")
        port = "" if settings["port"] == SSH_PORT else f" port {settings['port']}"
        place = f"{settings['user']}@{settings['hostname']}{port}"
        return f"ssh to {place}" + (f" by way of {through}" if through else "")

    def settings(self, login: str) -> dict[str, str]:
        """The effective ssh configuration for a login (`ssh -G`); empty if ssh gives none."""
        done = ask(["ssh", *self.options, "-G", "--", login], ASK_S)
        lines = done.stdout.splitlines() if done else []
        return dict(line.split(" ", 1) for line in lines if " " in line)

    def explain(self, said: str) -> Reason | None:
        return explain_by(SSH_SYMPTOMS, said)


@dataclass(frozen=True)
class Template:
    """A user's command that contains {node}.

    The agent's command is appended as further arguments, or replaces {command}, quoted for a shell.
    """

    words: tuple[str, ...]
    name = "template"

    @classmethod
    def parse(cls, text: str, where: str) -> Template:
        """The template that a user wrote; raises RequestError."""
        example = "for example docker exec -i {node}"
        try:
            words = tuple(shlex.split(text))
        except ValueError as error:
            raise RequestError(f"{where}: {text!r} is not a command: {error}", example) from None
        if not any("{node}" in word for word in words):
            raise RequestError(f"{where}: {text!r} does not say where {{node}} goes", example)
        unknown = set(re.findall(r"\{[a-z_]+\}", text)) - {"{node}", "{command}"}
        if unknown:
            raise RequestError(
                f"{where}: {text!r} has {unknown.pop()}", "{node} and {command} can be filled in"
            )
        return cls(words)

    def command(self, login: str, argv: list[str]) -> list[str]:
        quoted = shlex.join(argv)
        words = [word.replace("{node}", login) for word in self.words]
        filled = [word.replace("{command}", quoted) for word in words]
        return filled if filled != words else [*words, *argv]

    def way(self, login: str) -> str:
        return shlex.join(self.command(login, [])).strip()

    def explain(self, said: str) -> Reason | None:
        return explain_by(SSH_SYMPTOMS, said) if "ssh" in " ".join(self.words) else None


@dataclass(frozen=True)
class Mpirun:
    """mpirun: one process on the named node, started in the site's own way."""

    options: tuple[str, ...] = ()
    name = "mpirun"

    def command(self, login: str, argv: list[str]) -> list[str]:
        return ["mpirun", *self.options, "-n", "1", "-host", login, *argv]

    def way(self, login: str) -> str:
        return shlex.join(self.command(login, [])) + ", on ports that mpirun chooses"

    def explain(self, said: str) -> Reason | None:
        if "as root" in said:
            text = "mpirun refuses to run as root: options = ['--allow-run-as-root']"
            return Reason("agent-not-started", text)
        return explain_by(SSH_SYMPTOMS, said)


def explain_by(symptoms: Symptoms, said: str) -> Reason | None:
    """The reason of the first symptom that matches."""
    shown = (
        Reason(code, sign.expand(why))
        for pattern, code, why in symptoms
        if (sign := re.search(pattern, said))
    )
    return next(shown, None)
