"""Options that several commands share."""

from __future__ import annotations

import click

from weft.errors import RequestError

nodes_option = click.option(
    "--nodes", type=click.IntRange(min=1), help="Use the first N nodes of a real cluster."
)
ports_option = click.option("--ports", metavar="RANGE", help="Ports for data, such as 5000-5100.")


def split_setting(setting: str) -> tuple[str, str]:
    """The key and the value of --set; raises RequestError."""
    key, equals, value = setting.partition("=")
    if not equals or not key:
        raise RequestError(f"--set {setting}: not KEY=VALUE", "for example --set launches=3")
    return key.strip(), value.strip()
