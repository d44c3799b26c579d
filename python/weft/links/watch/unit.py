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
"""Settings that a user's service manager can apply too: all others need a mount namespace, which not every kernel
grants users."""

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
    """The unit for one folder; `account` is the user that it runs as, "" for the user's own service manager."""

    file: Path
    folder: Path
    sites: SitesFile
    account: str = ""
    home: Path = Path("/root")

    @property
    def name(self) -> str:
        """The name, derived from the folder's last component."""
        return f"weft-watch-{re.sub('[^A-Za-z0-9_.-]', '-', self.folder.name)}.service"

    @property
    def command(self) -> list[str]:
        """The command line."""
        return [sys.executable, "-m", "weft", *self.arguments]

    @property
    def arguments(self) -> list[str]:
        """The arguments of weft."""
        return ["watch", "start", str(self.file), "--out", str(self.folder)]

    def text(self) -> str:
        """The contents of the file."""
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
        # Agents on this machine store what they measure in the state folder.
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
    """A command line for a unit: each word quoted, and escaped so that systemd expands nothing."""
    return " ".join(_quote(_literal(word).replace("$", "$$")) for word in command)


def _path(path: str) -> str:
    return _quote(_literal(path)) if re.search(r"[\s\"'\\]", path) else _literal(path)


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _literal(text: str) -> str:
    return text.replace("%", "%%")
