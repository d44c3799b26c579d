"""`weft export`: a run as tables, or in another tool's format."""

from __future__ import annotations

import click

from weft.faces.cli.output import json_option, print_json

FORMATS = ("csv", "goal", "netpipe", "parquet", "xlsx")


@click.command(epilog="Example: weft export runs/pair xlsx --out pair.xlsx")
@click.argument("run")
@click.argument("format", metavar=f"FORMAT ({', '.join(FORMATS)})")
@click.option(
    "--out",
    metavar="FILE",
    help="File to write, or a folder for a file of each table.  [default: standard output]",
)
@click.option("--table", metavar="NAME", help="Only this table, such as points, routes or phases.")
@json_option
def export(run: str, format: str, out: str | None, table: str | None, as_json: bool) -> None:
    """Write RUN as tables, or in the format of another tool."""
    from weft.faces.api.publish.export import export as write  # Arrow is slow to import
    from weft.faces.api.publish.export import exported_text

    if out is None:
        text = exported_text(run, format, table)
        if as_json:
            print_json({"run": run, "format": format, "file": None, "text": text})
        else:
            click.echo(text, nl=False)
        return
    files = [str(path) for path in write(run, format, out, table=table)]
    if as_json:
        print_json({"run": run, "format": format, "file": out, "text": None, "files": files})
    elif files != [out]:
        click.echo("\n".join(files))
