"""`weft watch install`: a watch as a systemd service."""

from __future__ import annotations

from pathlib import Path

import click

from weft.faces.cli.output import json_option, print_json


@click.command(epilog="Example: weft watch install sites.toml --out runs/campus")
@click.argument("sites", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The watch's folder.")
@click.option(
    "--system/--user",
    "is_system",
    default=None,
    help="For the machine, or for this user.  [default: the machine for root, else the user]",
)
@click.option("--dry-run", is_flag=True, help="Print the unit and do nothing.")
@json_option
def install(sites: Path, out: Path, is_system: bool | None, dry_run: bool, as_json: bool) -> None:
    """Run `weft watch start` as a service.

    Writes a systemd unit that starts with the machine, restarts whenever it ends, and logs to the journal; then starts
    it. Without systemd it prints equivalent commands for nohup and cron, and does nothing.
    """
    from weft.links.watch import install as services

    service = services.find_service(is_system)
    unit = services.unit_of(sites, out, service)
    path, commands = service.units / unit.name, []
    is_done = services.has_systemd() and not dry_run
    if is_done:
        services.install(unit, service)
    elif not services.has_systemd():
        commands = services.without_systemd(unit)
    if as_json:
        print_json(
            {"unit": str(path), "is_installed": is_done, "text": unit.text(), "commands": commands}
        )
    elif is_done:
        manage = " ".join(service.systemctl)
        click.echo(f"{path}: runs; `{manage} status {unit.name}` and `journalctl` say more")
        if not service.account:
            click.echo("`loginctl enable-linger` keeps it when you log out")
    else:
        _print_only(unit.text(), path, commands, dry_run)


def _print_only(text: str, path: Path, commands: list[str], dry_run: bool) -> None:
    if dry_run:
        click.echo(f"# {path}\n{text}")
    if commands:
        click.echo(
            "systemd does not run this machine, so nothing is installed. These do the same:",
            err=True,
        )
        click.echo("\n".join(commands))
