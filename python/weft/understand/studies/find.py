"""The studies of a run, each evaluated by the kind of its setting."""

from __future__ import annotations

from weft.runs.folder import RunFolder
from weft.understand.studies import buffers, segments, spread
from weft.understand.studies.study import SettingStudy, value_of
from weft.understand.studies.varied import VariedStep, varied

_KINDS = (
    (buffers.KEYS, buffers.buffer_study),
    (spread.KEYS, spread.affinity_study),
    (segments.KEYS, segments.segment_study),
)
"""The kinds that give more than a ratio: a study with only these keys, and the function that evaluates it."""


def studies(run: RunFolder) -> list[SettingStudy]:
    """A study for each step that was repeated for the values of a setting, in the plan's order."""
    return [_study(one) for one in varied(run)]


def _study(found: VariedStep) -> SettingStudy:
    for keys, read in _KINDS:
        if keys.issuperset(found.keys):
            return read(found)
    rows = [value_of(one, found) for one in found.variants]
    what = "latency" if found.variants[0].is_of_latency else "peak rate"
    sure = [
        f"{row.value} has {row.ratio.median:.3g} times the {what} ({row.ratio.low:.3g} to {row.ratio.high:.3g})"
        for row in rows[1:]
        if not row.ratio.low <= 1 <= row.ratio.high
    ]
    text = (
        f"Beside {rows[0].value}, {', '.join(sure)}."
        if sure
        else f"No value surely changes the {what}."
    )
    is_of_latency = found.variants[0].is_of_latency
    return SettingStudy("setting", found.name, found.keys, is_of_latency, rows, text)
