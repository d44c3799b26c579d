"""Recordings in the trace-event format of Chrome, which Perfetto opens.

The format is "Trace Event Format" by N. Duca and D. Sinclair: a JSON object with `traceEvents`, times in microseconds.
Slices are pairs of B and E events instead of single X events, so that adjacent slices share one timestamp and do not
overlap in readers that round to nanoseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from operator import itemgetter
from typing import Any

from weft.simulation.trace.replay import GAUGES, Columns, MessageTrace

Event = dict[str, Any]
"""An event of the format; its `ts` is in ps until it is written."""
MESSAGE = "messages"
"""The process (in the sense of the format) whose tracks are round trips and the latency budget of each direction."""
ROUND_TRIPS = "round trips"


def trace_text(recording: MessageTrace) -> str:
    """The document with one event per line."""
    lines = ",\n".join(json.dumps(event) for event in trace_events(recording))
    about = json.dumps(_about(recording))
    return f'{{"displayTimeUnit": "ns",\n"otherData": {about},\n"traceEvents": [\n{lines}\n]}}\n'


def trace_events(recording: MessageTrace) -> list[Event]:
    """The names of tracks, then all events by time; simultaneous events stay in the order of their creation."""
    kinds = (_slices, _round_trips, _passages, _readings)
    timed = sorted((event for kind in kinds for event in kind(recording)), key=itemgetter("ts"))
    return [*_names(recording), *(event | {"ts": event["ts"] / 1e6} for event in timed)]


def _about(recording: MessageTrace) -> dict[str, Any]:
    return {
        "machine": recording.name,
        "pattern": recording.pattern,
        "size_bytes": recording.size_bytes,
        "is_cut": recording.is_cut,
    }


def _names(recording: MessageTrace) -> Iterator[Event]:
    groups = dict.fromkeys(recording.nodes, recording.tracks)
    if recording.batches_ps and len(recording.passages["way"]):
        groups = {MESSAGE: [ROUND_TRIPS, *_ways(recording)]} | groups
    for place, (group, tracks) in enumerate(groups.items()):
        pid = _pid(recording, group)
        yield _meta("process_name", pid, 0, name=f"{recording.name} {group}")
        yield _meta("process_sort_index", pid, 0, sort_index=place)
        for number, track in enumerate(tracks, start=1):
            yield _meta("thread_name", pid, number, name=track)
            yield _meta("thread_sort_index", pid, number, sort_index=number)


def _meta(kind: str, pid: int, tid: int, **args: Any) -> Event:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": args}


def _pid(recording: MessageTrace, group: str) -> int:
    """The process number of a group, in the sense of the format."""
    return [*recording.nodes, MESSAGE].index(group) + 1


def _ways(recording: MessageTrace) -> list[str]:
    first, second = recording.nodes
    return [f"{first} to {second}", f"{second} to {first}"]


def _slices(recording: MessageTrace) -> Iterator[Event]:
    """The activities of processors, buses, links and interfaces, with arrows between slices of the same flow."""
    width = len(recording.tracks)
    arrows = _arrows(recording.slices)
    for index, row in enumerate(_rows(recording.slices)):
        act = recording.acts[row["name"]]
        args = {"bytes": row["bytes"]} if row["bytes"] else {}
        if row["is_put_off"]:
            args["preempted"] = True
        place = {"pid": row["track"] // width + 1, "tid": row["track"] % width + 1}
        yield from _slice(act, place, (row["begin_ps"], row["end_ps"]), args, arrows.get(index))


def _slice(
    name: str,
    place: dict[str, int],
    span_ps: tuple[int, int],
    args: Mapping[str, Any],
    arrow: Event | None = None,
) -> Iterator[Event]:
    begin_ps, end_ps = span_ps
    yield {"ts": begin_ps, "ph": "B", "name": name, "cat": "work", **place, "args": args}
    if arrow:
        yield {"ts": begin_ps, **arrow, **place}
    yield {"ts": end_ps, "ph": "E", **place}


def _arrows(slices: Columns) -> dict[int, Event]:
    """By slice, the event that links it to the others of its flow, if there are any."""
    flows: dict[int, list[int]] = {}
    for index, flow in enumerate(slices["flow"].tolist()):
        if flow >= 0:
            flows.setdefault(flow, []).append(index)
    found: dict[int, Event] = {}
    for flow, members in flows.items():
        name = "frame" if flow & 1 else "message"
        common = {"name": name, "cat": "flow", "id": flow}
        for index in members if len(members) > 1 else ():
            phase = {members[0]: "s", members[-1]: "f"}.get(index, "t")
            # Binds the arrow's end to the enclosing slice instead of the next one.
            found[index] = {"ph": phase, **common} | ({"bp": "e"} if phase == "f" else {})
    return found


def _round_trips(recording: MessageTrace) -> Iterator[Event]:
    """The warm-up, then each measured round trip."""
    ends = recording.passages["end_ps"].tolist()
    if not ends:
        return
    place = {"pid": _pid(recording, MESSAGE), "tid": 1}
    edges = [0, *recording.batches_ps, ends[-1]]
    for number, span_ps in enumerate(pairwise(edges)):
        yield from _slice(f"round trip {number}" if number else "warm-up", place, span_ps, {})


def _passages(recording: MessageTrace) -> Iterator[Event]:
    """The stages of the latency budget, with a track for each direction."""
    pid = _pid(recording, MESSAGE)
    for row in _rows(recording.passages):
        span_ps = row["begin_ps"], row["end_ps"]
        args = {"way": row["way"], "ps": row["end_ps"] - row["begin_ps"]}
        place = {"pid": pid, "tid": 2 + row["way"] % 2}
        yield from _slice(recording.stages[row["stage"]], place, span_ps, args)


def _readings(recording: MessageTrace) -> Iterator[Event]:
    """The changes of counters."""
    last: dict[tuple[int, int], int] = {}
    for row in _rows(recording.readings):
        key = row["node"], row["gauge"]
        if last.get(key) != row["value"]:
            last[key] = row["value"]
            name = GAUGES[row["gauge"]]
            event = {"ph": "C", "name": name, "pid": row["node"] + 1, "tid": 0}
            yield {"ts": row["at_ps"], **event, "args": {"bytes": row["value"]}}


def _rows(columns: Columns) -> Iterable[dict[str, int]]:
    lists = [column.tolist() for column in columns.values()]
    for values in zip(*lists, strict=True):
        yield dict(zip(columns, values, strict=True))
