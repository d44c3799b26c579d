"""The values that a knob is tried with: those of the catalogue, or computed from what was measured of the path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weft.knobs.knob import Knob
from weft.operate.tuning.first_look import FirstLook
from weft.operate.tuning.race import SettingsCandidate

OF_PRODUCT = (2, 8, 32)
"""Buffers in bandwidth-delay products: a window that limits also hides how fast the path is, so the range is wide."""
LEAST_BUFFER_BYTES = 64 * 1024
"""Smaller than a message of a stream, a buffer limits any path."""
PACKETS_BYTES = {"mtu": (1280, 1400, 1500, 4000, 9000), "mss": (1200, 1360, 1448)}
"""What tunnels, Ethernet and jumbo frames carry; larger than the path allows, a candidate fails and is dropped."""
OF_RATE = (1.0, 0.95, 0.9)
MOST_PROCESSORS = 4
TOGETHER = (("send_buffer", "receive_buffer"), ("tcp_wmem", "tcp_rmem"))
"""The smaller of the two is the window, so that one alone may show nothing."""


def values(knob: Knob, look: FirstLook | None, processors: int) -> tuple[str, ...]:
    """The values of one knob, as the step option takes them; none of a path that was not measured yet."""
    return tuple(dict.fromkeys([*_advised(knob, look), *_usual(knob, look, processors)]))


def _advised(knob: Knob, look: FirstLook | None) -> Iterator[str]:
    if look and knob.name in look.advised:
        yield look.advised[knob.name]


def _usual(knob: Knob, look: FirstLook | None, processors: int) -> Sequence[str]:
    if knob.prior is None:
        return knob.candidates or ((knob.transport,) if knob.transport else ())
    return [knob.form.format(value) for value in _computed(knob, look, processors)]


def _computed(knob: Knob, look: FirstLook | None, processors: int) -> Sequence[int | str]:
    chosen = range(min(processors, MOST_PROCESSORS))
    match knob.prior:
        case "processors":
            return list(chosen)
        case "processor-mask":
            return [f"{1 << one:x}" for one in chosen]
        case "path-mtu":
            return PACKETS_BYTES.get(knob.name, ())
        case "path-rate" if look:
            return [round(look.rate_mbps * part) for part in OF_RATE]
        case "bandwidth-delay" if look:
            return list(dict.fromkeys(_buffer_bytes(look, times) for times in OF_PRODUCT))
    return ()


def _buffer_bytes(look: FirstLook, times: int) -> int:
    """The next power of two."""
    least = max(LEAST_BUFFER_BYTES, int(times * look.bandwidth_delay_bytes))
    return 1 << (least - 1).bit_length()


def candidates(
    knobs: Sequence[Knob], values: Mapping[str, Sequence[str]], settled: Mapping[str, str]
) -> Iterator[SettingsCandidate]:
    """Each value of one knob, or of several together and then of each alone; on top of what is settled already,
    which is no candidate itself."""
    names = [knob.name for knob in knobs]
    if len(names) > 1:
        for together in zip(*(values[name] for name in names), strict=False):
            settings = dict(zip(names, together, strict=True))
            if settings.items() <= settled.items():
                continue
            yield SettingsCandidate(f"{' and '.join(names)} {together[0]}", {**settled, **settings})
    for name in names:
        alone = values[name][1:2] if len(names) > 1 else values[name]
        for value in alone:
            if value != settled.get(name):
                yield SettingsCandidate(f"{name} {value}", {**settled, name: value})
