"""The systemd unit that runs a watch."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from weft.links.watch.sites import SitesFile

WATCHDOG_S = 120

_AFTER_NETWORK = ("Wants=network-online.target", "After=network-online.target")

_SERVICE = (
    "Type=notify",
    "NotifyAccess=main",
    f"WatchdogSec={WATCHDOG_S}",
    f"TimeoutStopSec={WATCHDOG_S}",
    "Restart=always",
    "RestartSec=10",
    "# Status 0 is an end that was asked for, as by `weft watch stop`.",
    "RestartPreventExitStatus=0",
    "# Agents on this machine go on while the service is started again.",
    "KillMode=process",
)

_ANYWHERE = (
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "SystemCallArchitectures=native",
)
"""What a user's manager can set up as well: all else needs a mount namespace, which not each kernel gives a user."""

_SYSTEM = (
    "ProtectSystem=strict",
    "ProtectHome=read-only",
    "ProtectKernelModules=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "RestrictNamespaces=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
)


@dataclass(frozen=True)
class Unit:
    """A unit for one folder; `account` is the user that it runs as, "" for the one whose manager runs it."""

    file: Path
    folder: Path
    sites: SitesFile
    account: str = ""
    home: Path = Path("/root")

    @property
    def name(self) -> str:
        """Of the folder's last part."""
        return f"weft-watch-{re.sub('[^A-Za-z0-9_.-]', '-', self.folder.name)}.service"

    @property
    def command(self) -> list[str]:
        """What is run."""
        return [sys.executable, "-m", "weft", *self.arguments]

    @property
    def arguments(self) -> list[str]:
        """What weft is given."""
        return ["watch", "start", str(self.file), "--out", str(self.folder)]

    def text(self) -> str:
        """The file."""
        sections = {
            "Unit": [
                f"Description=weft watch of the links in {_literal(str(self.file))}",
                *(_AFTER_NETWORK if self.account else ()),
                "StartLimitIntervalSec=0",
            ],
            "Service": [
                f"ExecStart={quoted(self.command)}",
                *([f"User={self.account}"] if self.account else ()),
                *_SERVICE,
                *self._hardening(),
            ],
            "Install": [f"WantedBy={'multi-user' if self.account else 'default'}.target"],
        }
        text = "\n\n".join("\n".join([f"[{name}]", *lines]) for name, lines in sections.items())
        return f"# Written by `weft watch install`; `weft watch uninstall` removes it.\n{text}\n"

    def _hardening(self) -> list[str]:
        if any(site.on.startswith("lab:") for site in self.sites.sites):
            return ["# Sites in a lab need its namespaces and this machine's privileges."]
        if not self.account:
            return list(_ANYWHERE)
        # Agents on this machine keep what they measure in the state folder.
        writable = [str(self.folder), f"-{self.home}/.local/state", f"-{self.home}/.ssh"]
        own = [self.folder, self.file, Path(sys.executable)]
        is_in_tmp = any(one.is_relative_to("/tmp") for one in own)
        temporary = "ReadWritePaths=/tmp" if is_in_tmp else "PrivateTmp=yes"
        return [
            *_ANYWHERE,
            *_SYSTEM,
            temporary,
            f"ReadWritePaths={' '.join(map(_path, writable))}",
        ]


def quoted(command: list[str]) -> str:
    """A command line of a unit: each word in quotes, with nothing in it that systemd would replace."""
    return " ".join(_quote(_literal(word).replace("$", "$$")) for word in command)


def _path(path: str) -> str:
    return _quote(_literal(path)) if re.search(r"[\s\"'\\]", path) else _literal(path)


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _literal(text: str) -> str:
    return text.replace("%", "%%")
