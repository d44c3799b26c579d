"""The first look at a pair. If its path drops large packets, it is repeated with small segments."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from weft.base.errors import WorkError
from weft.base.quantity import format_mbps
from weft.measure.execute.lab_scale.settle import announce
from weft.measure.execute.progress import Showing
from weft.measure.execute.work_folder import WorkFolder
from weft.operate.tuning.candidates import PACKETS_BYTES
from weft.operate.tuning.choice import Have
from weft.operate.tuning.first_look import PLAN
from weft.runs.folder import RunFolder
from weft.understand.curve.points import points

FIRST_LOOK, SMALL = "first-look", "first-look-small-segments"
KNOB = "mss"


class OpeningRun(Struct, frozen=True):
    """The run in which the pair works; `needed` are the settings without which it does not, and `why`."""

    run: RunFolder
    needed: Mapping[str, str] = {}
    why: tuple[str, ...] = ()


def first_look(folder: WorkFolder, have: Mapping[str, Have], showing: Showing) -> OpeningRun:
    """Measure with the current settings, or with small segments if only small messages pass. Raises WorkError if that
    fails."""
    with showing(FIRST_LOOK) as reporter:
        announce(folder.notes, reporter)
        run = folder.measure(FIRST_LOOK, PLAN, reporter)
    if run.meta.status == "complete":
        return OpeningRun(run)
    if _only_small_pass(run) and KNOB in have and not have[KNOB].why_not:
        value = f"{min(PACKETS_BYTES[KNOB])} B"
        with showing(
            f"{FIRST_LOOK} with {KNOB} = {value}: large messages did not arrive"
        ) as reporter:
            small = folder.measure(SMALL, _with_segments(value), reporter)
        if small.meta.status == "complete":
            return OpeningRun(small, {KNOB: value}, _why(small, value))
    why = run.meta.warnings[0].message if run.meta.warnings else "it did not end"
    request = folder.request
    raise WorkError(
        f"{FIRST_LOOK}: {why}",
        f"nothing is tuned before a pair works: `weft check --on {request.testbed}`, then "
        f"`{folder.command} --resume {folder.path}`",
    )


def _with_segments(value: str) -> str:
    """The plan with the option in each of its steps."""
    return PLAN.replace(
        'transport = "tcp"', f'transport = "tcp"\noptions = {{ {KNOB} = "{value}" }}'
    )


def _only_small_pass(run: RunFolder) -> bool:
    return {point.pattern for point in points(run)} == {"pingpong"}


def _why(run: RunFolder, value: str) -> tuple[str, ...]:
    rates = {point.pattern: point.throughput_mbps.median for point in points(run)}
    return (
        f"as it is, messages of 1 B pass and messages of 64 KiB do not arrive; with {KNOB} = {value} they arrive, "
        f"at {format_mbps(rates['stream'])}",
        "so a part of the path drops large packets and does not say so: mend it there, or lower the interfaces' MTU, "
        "or let the kernel look for the size that passes (sysctl -w net.ipv4.tcp_mtu_probing=1)",
    )
