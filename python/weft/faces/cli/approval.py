"""Asks before something is done that a folder names."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

yes_option = click.option(
    "--yes", is_flag=True, help="Run the commands and change the settings that DIR names, unasked."
)


def is_agreed(folder: str | os.PathLike[str], side_effects: Sequence[str], yes: bool) -> bool:
    """Whether the user approves what a folder makes this machine do; on a terminal they are asked."""
    if not side_effects or yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    listed = "".join(f"\n  {one}" for one in side_effects)
    question = f"{os.fspath(folder)}: it names what this machine would do:{listed}\nRun it?"
    return click.confirm(question, err=True)
