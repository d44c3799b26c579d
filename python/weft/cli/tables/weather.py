"""The weather of a lab: its events as a table, its log as lines."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from weft.cli.output import print_json
from weft.cli.tables.layout import plain_table, terminal
from weft.quantity import format_mbps

NS_PER_S = 1e9
PPM_PER_PERCENT = 1e4


def print_weather(weather: dict[str, Any]) -> None:
    """The events of a lab, each with what it does next."""
    table = plain_table("", "event", "where", "what", "now")
    for event in weather["events"]:
        now = _now(event, weather["lab_s"])
        table.add_row(str(event["number"]), event["name"], _where(event), _what(event), now)
    terminal(soft_wrap=True).print(
        table if weather["events"] else "no events: the lab is as described"
    )


def print_log(lines: list[dict[str, Any]], as_json: bool) -> None:
    """The lines of a log as they are, or as one document."""
    if as_json:
        print_json({"log": lines})
        return
    for line in lines:
        click.echo(msgspec.json.encode(line).decode())


def _where(event: dict[str, Any]) -> str:
    links = ["-".join(ends) for ends in event.get("between", [])]
    which = {"both": "", "out": ", out", "in": ", in"}[event["direction"]]
    network = f", network {event['network'] + 1}" if event["network"] else ""
    return ",".join([*event.get("ids", []), *links]) + which + network


def _what(event: dict[str, Any]) -> str:
    """Such as "delay 5 ms, loss 2 %"."""
    change = event["change"]
    known = {
        "rate_bits_per_s": lambda value: f"rate {format_mbps(value / 1e6)}",
        "delay_ns": lambda value: f"delay {value / 1e6:g} ms",
        "jitter_ns": lambda value: f"jitter {value / 1e6:g} ms",
        "loss_ppm": lambda value: f"loss {value / PPM_PER_PERCENT:g} %",
        "load_ppm": lambda value: f"load {value / PPM_PER_PERCENT:g} %",
        "drops_above_bytes": lambda value: f"drops above {value} B",
        "blocks": lambda value: "blocks " + " ".join(value),
    }
    parts = [known[key](value) for key, value in change.items() if key in known]
    return ", ".join(parts + [key for key, value in change.items() if value is True])


def _now(event: dict[str, Any], lab_s: float) -> str:
    """Such as "for 12 s more"; times are those of this clock, whatever the weather's speed."""
    if event["next_s"] is None:
        return "until cleared" if event["active"] else "over"
    left_s = event["next_s"] - lab_s
    return f"for {left_s:.1f} s more" if event["active"] else f"in {left_s:.1f} s"
