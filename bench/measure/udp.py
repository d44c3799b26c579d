"""Are lost datagrams counted right?

What weft says of lost datagrams beside what was really lost.

usage: bench/run.py udp [lab] [known]     (both when none is named)
tier: quick

lab:   on labs with a line rate, the achievable rate and the loss at half of it, which must be 0.
known: on `lab:pair`, behind rules of nftables that drop a known share, or everything above a rate; the kernel counts,
those that warm up included.

Takes about a minute.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from common.machine import machine
from common.results import Goal, save
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.registry import LabEntry
from weft.measure.testbed.lab.testbed import bring_up
from weft.runs.folder import RunFolder
from weft.understand.curve.delivery import DeliveryCounts, deliveries
from weft.understand.curve.points import points

LABS = ("fast-ethernet-pair", "gigabit-pair")
LAUNCHES = "5"
SIZE_BYTES = 1000
OFFERED = "100 Mb/s"
RULES = {
    "0.1 % by chance": "numgen random mod 1000 < 1",
    "1 % by chance": "numgen random mod 100 < 1",
    "5 % by chance": "numgen random mod 100 < 5",
    "above 10,000 /s": "limit rate over 10000/second burst 50 packets",
}
"""The last is a policer of 80 % of what is offered. In bytes nftables would let a whole second's pass at once."""
TABLE = """
flush ruleset
table inet weft {{
  chain arriving {{
    type filter hook input priority 0;
    meta l4proto udp counter comment "all"
    meta l4proto udp {rule} counter drop comment "dropped"
  }}
}}
"""


@dataclass(frozen=True)
class Filtered:
    """A lab whose second node drops datagrams by a rule."""

    entry: LabEntry

    def nft(self, *arguments: str, text: str | None = None) -> str:
        command = self.entry.keeper.enter_command("n2", ["nft", *arguments])
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        return done.stdout

    def dropped_pct(self) -> float:
        """What the kernel counted."""
        listed = json.loads(self.nft("-j", "list", "ruleset"))["nftables"]
        rules = [one["rule"] for one in listed if "rule" in one]
        packets = {
            rule["comment"]: part["counter"]["packets"]
            for rule in rules
            for part in rule["expr"]
            if "counter" in part
        }
        return 100 * float(packets["dropped"]) / float(packets["all"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("parts", nargs="*", help="lab, known")
    parts = parser.parse_args().parts or ["lab", "known"]
    print(machine())
    if "lab" in parts:
        save("udp", [goal for lab in LABS for goal in half_rates(lab)], "lab")
    if "known" in parts and shutil.which("nft"):
        save("udp", list(known_losses()), "known")


def half_rates(lab: str) -> Iterator[Goal]:
    run = measured("udp", f"lab:{lab}", [("launches", LAUNCHES)])
    rates = {(one.step, one.size_bytes): one.throughput_mbps for one in points(run)}
    print(f"\nlab:{lab}, {LAUNCHES} launches; rates of payload in Mb/s")
    print("  size, B    arrived, fastest    offered at half   lost of sent   overrun")
    for one in deliveries(run):
        if one.step == 2:
            assert one.offered_mbps is not None
            print(
                f"  {one.size_bytes:7d}  {rates[1, one.size_bytes].median:18.2f}"
                f"  {one.offered_mbps.median:17.2f}   {one.lost:6d} / {one.sent:6d}"
                f"  {one.overrun:8d}",
                flush=True,
            )
            what = f"lost of {one.sent:,} datagrams of {one.size_bytes} B at half rate, {lab}"
            yield Goal(what, one.lost, at_most=0)


def known_losses() -> Iterator[Goal]:
    print(f"\nlab:pair, {OFFERED} of payload in messages of {SIZE_BYTES} B, {LAUNCHES} launches")
    print("  rule                kernel, %   weft, %   [from .. to]   holds")
    for name, rule in RULES.items():
        with filtered(rule) as lab:
            found = reported()
            known = lab.dropped_pct()
        loss = found.loss_pct
        print(
            f"  {name:18s}  {known:9.3f}  {loss.median:8.3f}   [{loss.low:.3f} .. {loss.high:.3f}]"
            f"   {'yes' if loss.low <= known <= loss.high else 'no'}   ({found.sent} sent, "
            f"{found.overrun} overrun)",
            flush=True,
        )
        what = f"{name}: kernel's count, held by weft's interval"
        yield Goal(what, known, "%", loss.high, loss.low)


def reported() -> DeliveryCounts:
    overrides = [
        ("steps.stream.transport", "udp"),
        ("steps.stream.sizes", f'["{SIZE_BYTES} B"]'),
        ("steps.stream.stop.trial", "500 ms"),
        ("steps.stream.stop.trials", "2"),
        ("steps.stream.options.rate", OFFERED),
        ("launches", LAUNCHES),
    ]
    (found,) = deliveries(measured("stream", "lab:pair", overrides))
    return found


def measured(plan: str, testbed: str, overrides: list[tuple[str, str]]) -> RunFolder:
    with tempfile.TemporaryDirectory() as folder:
        run = start_run(
            RunRequest(plan, testbed, RunOptions(out=f"{folder}/run", settings=dict(overrides)))
        )
        assert run.meta.status == "complete", run.meta.warnings
        _ = run.samples
        return run


@contextmanager
def filtered(rule: str) -> Iterator[Filtered]:
    entry = bring_up("pair", 1.0, None)
    try:
        lab = Filtered(entry)
        lab.nft("-f", "-", text=TABLE.format(rule=rule))
        yield lab
    finally:
        registry.remove(entry)


if __name__ == "__main__":
    main()
