"""The weather of a lab: its events as a table, its log as lines."""

from __future__ import annotations

import click
import msgspec

from weft.base.quantity import format_mbps
from weft.faces.cli.output import print_json
from weft.faces.cli.tables.layout import plain_table, terminal
from weft.measure.testbed.lab.weather import FaultSchedule, LabEvent, LogLine

NS_PER_MS = 1e6
PPM_PER_PERCENT = 1e4


def print_weather(weather: FaultSchedule) -> None:
    """Print the events of a lab, each with its next change."""
    table = plain_table("", "event", "where", "what", "now")
    for event in weather.events:
        now = _now(event, weather.lab_s)
        table.add_row(str(event.number), event.name, _where(event), _what(event), now)
    quiet = "no events: the lab is as described"
    terminal(soft_wrap=True).print(table if weather.events else quiet)


def print_log(lines: list[LogLine], as_json: bool) -> None:
    """Print a line of JSON for each entry, or one document."""
    if as_json:
        print_json({"log": lines})
        return
    for line in lines:
        click.echo(msgspec.json.encode(line).decode())


def _where(event: LabEvent) -> str:
    links = ["-".join(ends) for ends in event.between]
    direction = "" if event.direction == "both" else f", {event.direction}"
    network = f", network {event.network + 1}" if event.network else ""
    return ",".join([*event.ids, *links]) + direction + network


def _what(event: LabEvent) -> str:
    """An event as text, such as "delay 5 ms, loss 2 %"."""
    change = event.change
    flags = {"dead": change.dead, "unplugged": change.unplugged, "off": change.off}
    parts = [
        None if change.rate_bits_per_s is None else format_mbps(change.rate_bits_per_s / 1e6),
        _part("delay", change.delay_ns, NS_PER_MS, "ms"),
        _part("jitter", change.jitter_ns, NS_PER_MS, "ms"),
        _part("loss", change.loss_ppm, PPM_PER_PERCENT, "%"),
        _part("load", change.load_ppm, PPM_PER_PERCENT, "%"),
        _part("drops above", change.drops_above_bytes, 1, "B"),
        "blocks " + " ".join(change.blocks) if change.blocks else None,
    ]
    said = [part for part in parts if part is not None]
    return ", ".join(said + [name for name, is_set in flags.items() if is_set])


def _part(name: str, value: int | None, unit: float, symbol: str) -> str | None:
    return None if value is None else f"{name} {value / unit:g} {symbol}"


def _now(event: LabEvent, lab_s: float) -> str:
    """The state of an event, such as "for 12 s more"; times are on this clock, whatever the weather's speed."""
    if event.next_s is None:
        return "until cleared" if event.active else "over"
    left_s = event.next_s - lab_s
    return f"for {left_s:.1f} s more" if event.active else f"in {left_s:.1f} s"
