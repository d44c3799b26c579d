"""The effect of a setting: throughput over socket buffers with knee and bandwidth-delay product, or all timings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from weft.base.interval import Interval
from weft.base.quantity import format_bytes, format_mbps, format_us
from weft.understand.report.figures.drawing import axes, parts
from weft.understand.report.figures.drawing.figure import Figure, Row, Spec, short
from weft.understand.report.material import ReportMaterial
from weft.understand.studies.segments import fitted_mbps
from weft.understand.studies.study import SettingStudy, SettingValue

HEIGHT = 340
KNEE, PRODUCT, AUTOTUNED = "knee", "bandwidth-delay product", "autotuning"
WITHOUT_FRAMES = "no time for frames"


def study_figures(material: ReportMaterial) -> list[Figure]:
    """A figure for each study of each run."""
    several = len(material.runs) > 1
    return [
        _figure(f"study-{at}", study, f"{name}: " if several else "")
        for at, (name, study) in enumerate(material.studies)
    ]


def _figure(table: str, study: SettingStudy, prefix: str) -> Figure:
    title = f"{prefix}{study.title}"
    if study.kind in ("buffers", "segments"):
        return _sized_figure(table, title, study)
    rows = [row for at, value in enumerate(study.values) for row in _timings(study, at, value)]
    spec = _timing_spec(table, rows, [one.value for one in study.values], study.is_of_latency)
    return Figure(table, title, study.text, spec, {table: rows})


def _sized_figure(table: str, title: str, study: SettingStudy) -> Figure:
    """Throughput over the sizes that the kernel granted."""
    is_segments = study.kind == "segments"
    axis, granted = (
        ("Payload of a segment", "segment that the kernel sent")
        if is_segments
        else ("Socket buffer at both ends", "socket buffer that the kernel gave")
    )
    rows = [*_given(study, granted), *_fit(study)]
    marks = [*(_segment_marks if is_segments else _marks)(study)]
    tables = {f"{table}-{study.kind}": rows, f"{table}-marks": marks}
    return Figure(table, title, study.text, _sized_spec(axis, *tables.items()), tables)


def _given(study: SettingStudy, series: str) -> Iterator[Row]:
    for one in study.values:
        if one.granted_bytes:
            title = f"asked for {one.value}" + (", capped" if one.note == "capped" else "")
            yield _at(series, title, one.granted_bytes, one.peak_mbps)


def _at(series: str, title: str, size_bytes: int, rate: Interval) -> Row:
    return {
        "series": series,
        "size": size_bytes,
        "value": short(rate.median),
        "low": short(rate.low),
        "high": short(rate.high),
        "value_text": format_mbps(rate.median),
        "size_text": format_bytes(size_bytes),
        "title": title,
    }


def _fit(study: SettingStudy) -> Iterator[Row]:
    """The fitted rates at the measured sizes."""
    for size in sorted({one.granted_bytes for one in study.values if one.granted_bytes}):
        if rate := fitted_mbps(study.numbers, size):
            yield _at(
                "fit: a time for a frame and one for a byte", "fit", size, Interval(*3 * [rate])
            )


def _segment_marks(study: SettingStudy) -> Iterator[Row]:
    """A line at the rate that no frame size exceeds."""
    if most := study.numbers.get("most_mbps"):
        yield _mark(WITHOUT_FRAMES, f"{WITHOUT_FRAMES}: {format_mbps(most.median)}", None, most)


def _marks(study: SettingStudy) -> Iterator[Row]:
    """Vertical lines at knee and bandwidth-delay product, with intervals, and a horizontal one for autotuning."""
    for kind, name in ((KNEE, "knee_bytes"), (PRODUCT, "bandwidth_delay_bytes")):
        if found := study.numbers[name]:
            yield _mark(kind, f"{kind}: {format_bytes(found.median)}", found, None)
    for one in study.values:
        if one.note == "autotuned":
            yield _mark(
                AUTOTUNED,
                f"{AUTOTUNED}: {format_mbps(one.peak_mbps.median)}",
                None,
                one.peak_mbps,
            )


def _mark(kind: str, series: str, size: Interval | None, rate: Interval | None) -> Row:
    ends = ("median", "low", "high")
    found = {f"size_{end}": short(getattr(size, end)) if size else None for end in ends}
    return {
        "kind": kind,
        "series": series,
        **found,
        "rate": short(rate.median) if rate else None,
    }


def _sized_spec(
    title: str, curve: tuple[str, Sequence[Row]], marks: tuple[str, Sequence[Row]]
) -> Spec:
    table, rows = curve
    sizes = [row["size"] for row in rows]
    sizes += [row[end] for row in marks[1] for end in ("size_low", "size_high") if row[end]]
    highest = max(
        [row["high"] for row in rows] + [row["rate"] for row in marks[1] if row["rate"]], default=1
    )
    scale = axes.log_scale(sizes, 2)
    axis = axes.size_axis("x", scale)
    axis.title = title
    x = alt.X("size:Q", scale=scale, axis=axis)
    rates = axes.linear_scale(highest)
    y = alt.Y("value:Q", scale=rates, axis=axes.rate_axis(highest))
    labels = [*dict.fromkeys(row["series"] for row in (*rows, *marks[1]))]
    tooltip = {"title": "title", "size_text": "Kernel gave", "value_text": "Fastest size"}
    rule = {"strokeWidth": 2, "strokeDash": [6, 4]}
    layers = [
        parts.layer(
            table, "area", {"opacity": 0.15}, x=x, y=alt.Y("low:Q", scale=rates), y2="high"
        ),
        parts.layer(table, "line", {"strokeWidth": 1.8}, x=x, y=y).add_params(parts.zoom()),
        parts.layer(table, "circle", {"size": 36, "opacity": 1}, x=x, y=y),
        parts.layer(
            marks[0], "rect", {"opacity": 0.12}, x=alt.X("size_low:Q", scale=scale), x2="size_high"
        ),
        parts.layer(marks[0], "rule", rule, x=alt.X("size_median:Q", scale=scale)),
        parts.layer(marks[0], "rule", rule, y=alt.Y("rate:Q", scale=rates)),
        parts.hover(table, tooltip, x=x, y=y),
    ]
    colour = parts.colour(labels)
    return parts.sized(alt.layer(*(each.encode(color=colour) for each in layers)), HEIGHT)


def _timings(study: SettingStudy, at: int, value: SettingValue) -> Iterator[Row]:
    write = format_us if study.is_of_latency else format_mbps
    middle = value.latency_us if study.is_of_latency and value.latency_us else value.peak_mbps
    for launch, timing in enumerate(value.timings):
        yield {
            "series": value.value,
            "at": at,
            "value": short(timing),
            "median": short(middle.median),
            "value_text": write(timing),
            "title": f"{value.value}, launch {launch + 1}",
        }


def _timing_spec(
    table: str, rows: Sequence[Row], values: Sequence[str], is_of_latency: bool
) -> Spec:
    """Each timing as a ring, the median as a bar across."""
    low, high = (end(row["value"] for row in rows) for end in (min, max))
    axis = axes.rate_axis(high, "Throughput")
    if is_of_latency:
        axis = alt.Axis(title="One way of a message (µs)", tickCount=7)
    scale = axes.airy_scale(min(low, 0.8 * high), high)
    y = alt.Y("value:Q", scale=scale, axis=axis)
    x = alt.X("series:N", sort=list(values), axis=alt.Axis(title=None, labelAngle=0))
    tooltip = {"title": "title", "value_text": "Timing"}
    layers = [
        parts.layer(table, "point", {"size": 50, "opacity": 0.7, "filled": False}, x=x, y=y),
        parts.layer(
            table, "tick", {"thickness": 2, "size": 90}, x=x, y=alt.Y("median:Q", scale=scale)
        ),
        parts.hover(table, tooltip, x=x, y=y),
    ]
    colour = parts.colour(list(values))
    return parts.sized(alt.layer(*(each.encode(color=colour) for each in layers)), HEIGHT)
