"""The values with which a knob is tried: from the catalogue, or computed from measurements of the path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weft.knobs.knob import Knob
from weft.operate.tuning.first_look import InitialDiagnosis
from weft.operate.tuning.race import SettingsCandidate

OF_PRODUCT = (2, 8, 32)
"""Buffer sizes in bandwidth-delay products. A limiting window also hides how fast the path is, so the range is wide."""
LEAST_BUFFER_BYTES = 64 * 1024
"""A buffer smaller than a message of a stream limits any path."""
PACKETS_BYTES = {"mtu": (1280, 1400, 1500, 4000, 9000), "mss": (1200, 1360, 1448)}
"""Sizes for tunnels, Ethernet and jumbo frames; a candidate too large for the path fails and is dropped."""
OF_RATE = (1.0, 0.95, 0.9)
MOST_PROCESSORS = 4
TOGETHER = (("send_buffer", "receive_buffer"), ("tcp_wmem", "tcp_rmem"))
"""The smaller of the two is the window, so changing one alone may show nothing."""


def values(knob: Knob, look: InitialDiagnosis | None, processors: int) -> tuple[str, ...]:
    """The values of one knob in the form of step options; empty if they depend on a path that was not measured yet."""
    return tuple(dict.fromkeys([*_advised(knob, look), *_usual(knob, look, processors)]))


def _advised(knob: Knob, look: InitialDiagnosis | None) -> Iterator[str]:
    if look and knob.name in look.advised:
        yield look.advised[knob.name]


def _usual(knob: Knob, look: InitialDiagnosis | None, processors: int) -> Sequence[str]:
    if knob.prior is None:
        return knob.candidates or ((knob.transport,) if knob.transport else ())
    return [knob.form.format(value) for value in _computed(knob, look, processors)]


def _computed(knob: Knob, look: InitialDiagnosis | None, processors: int) -> Sequence[int | str]:
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


def _buffer_bytes(look: InitialDiagnosis, times: int) -> int:
    """A multiple of the bandwidth-delay product, rounded up to a power of two."""
    least = max(LEAST_BUFFER_BYTES, int(times * look.bandwidth_delay_bytes))
    return 1 << (least - 1).bit_length()


def candidates(
    knobs: Sequence[Knob], values: Mapping[str, Sequence[str]], settled: Mapping[str, str]
) -> Iterator[SettingsCandidate]:
    """Each value of one knob; for several knobs, their values together and then each knob alone. All on top of what is
    `settled`, which itself is not a candidate."""
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
