"""Node sets in ClusterShell's syntax, such as n[01-32], @rack1, n[1-8]!n3."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from ClusterShell.NodeSet import NodeSet, NodeSetException
from ClusterShell.NodeUtils import (
    GroupResolver,
    GroupResolverConfig,
    GroupResolverError,
    GroupSource,
)

from weft.base.errors import RequestError

MOST_NODES = 65_536
_SYNTAX = "for example n[01-32], n[1-8]!n3 or n1,n4"
_OPERATORS = re.compile(r"[!&^]")
_BETWEEN_SETS = re.compile(r",(?![^\[]*\])")
_MOST_DIGITS = 18
_RANGE = re.compile(r"(?<!\d)(\d++)-(\d++)")


def expand(text: str, groups: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """The nodes of a set, in the order in which they are named; raises RequestError.

    @GROUP is a group of `groups`, or without these one that ClusterShell is configured with on this machine. A set
    with an operator has no order of its own and is sorted.
    """
    pieces = [text] if _OPERATORS.search(text) else _BETWEEN_SETS.split(text)
    names = dict.fromkeys(name for piece in pieces for name in _expand_one(piece, text, groups))
    if odd := [name for name in names if re.search(r"[\s:/'\"\\]", name) or name.startswith("-")]:
        raise RequestError(f"node set {text!r}: {odd[0]!r} is not the name of a node", _SYNTAX)
    return list(names)


def _expand_one(piece: str, text: str, groups: Mapping[str, Sequence[str]] | None) -> list[str]:
    if not piece.strip():
        raise RequestError(f"node set {text!r}: a name is missing", _SYNTAX)
    _check_size(piece, text)
    try:
        names = list(NodeSet(piece, resolver=_resolver(groups)))
    except GroupResolverError:
        raise RequestError(
            f"node set {text!r}: no group of that name is configured on this machine",
            "groups are in ClusterShell's groups.conf or in a host file",
        ) from None
    except (NodeSetException, ValueError) as error:
        raise RequestError(f"node set {text!r}: {error}", _SYNTAX) from None
    if not names:
        known = "" if groups is None else f"groups: {', '.join(sorted(groups)) or 'none'}"
        raise RequestError(f"node set {text!r}: {piece.strip()!r} has no nodes", known or _SYNTAX)
    return names


def _check_size(piece: str, text: str) -> None:
    """Refuse huge sets: a typing error must not fill memory."""
    count = 1
    for first, last in _RANGE.findall(piece):
        if max(len(first), len(last)) > _MOST_DIGITS:
            raise RequestError(f"node set: a number of more than {_MOST_DIGITS} digits")
        count *= max(1, int(last) - int(first) + 1)
    if count > MOST_NODES:
        raise RequestError(
            f"node set {text!r}: {piece.strip()!r} has {count:,} nodes, at most {MOST_NODES:,} are taken"
        )


def _resolver(groups: Mapping[str, Sequence[str]] | None) -> GroupResolver:
    if groups is None:
        return _configured_groups()
    members = {name: ",".join(nodes) for name, nodes in groups.items()}
    return GroupResolver(GroupSource("weft", members))


@cache
def _configured_groups() -> GroupResolver:
    """Groups configured by the site and the user, without the library's examples."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    folders = [Path("/etc/clustershell"), Path(home) / "clustershell"]
    if chosen := os.environ.get("CLUSTERSHELL_CFGDIR"):
        folders.append(Path(chosen))
    files = [str(folder / "groups.conf") for folder in folders]
    return GroupResolverConfig(files, illegal_chars=set("@,!&^*"))
