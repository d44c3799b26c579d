"""The command that installs a package here."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Mapping

INSTALL = {
    "apt": "apt-get install",
    "dnf": "dnf install",
    "zypper": "zypper install",
}
_FAMILIES = {
    "debian": "apt",
    "ubuntu": "apt",
    "fedora": "dnf",
    "rhel": "dnf",
    "centos": "dnf",
    "suse": "zypper",
    "opensuse": "zypper",
    "sles": "zypper",
}
"""The package manager of each distribution, by ID or ID_LIKE of /etc/os-release."""


def manager() -> str | None:
    """The package manager of this distribution; None if unknown."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    names = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    by_name = (_FAMILIES[name] for name in names if name in _FAMILIES)
    return next(by_name, next(filter(shutil.which, INSTALL), None))


def install(packages: Mapping[str, str]) -> str:
    """The command that installs packages with these names, by package manager."""
    here = manager()
    if here and here in packages:
        return f"{INSTALL[here]} {packages[here]}"
    if here:
        return "no package of this distribution: build it from its sources"
    return " or ".join(f"{INSTALL[one]} {package}" for one, package in packages.items())
