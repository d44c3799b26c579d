"""OpenMetrics 1.0 (github.com/OpenObservability/OpenMetrics), and the text format 0.0.4 of Prometheus for older
scrapers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PLAIN = "text/plain; version=0.0.4; charset=utf-8"

Labels = dict[str, str]


@dataclass(frozen=True)
class Family:
    """Samples of one metric name, without `_total`; the name ends with the `unit`, if there is one."""

    name: str
    kind: Literal["counter", "gauge", "summary"]
    help: str
    unit: str = ""
    samples: list[tuple[Labels, float]] = field(default_factory=list)

    def add(self, value: float | None, **labels: str) -> None:
        """Add a sample; None adds nothing."""
        if value is not None:
            self.samples.append((labels, float(value)))


def content_type(accept: str) -> str:
    """The content type for a scraper's Accept header."""
    return OPEN_METRICS if "application/openmetrics-text" in accept else PLAIN


def text_of(families: Iterable[Family], format: str = OPEN_METRICS) -> str:
    """The whole response to a scrape."""
    is_open = format == OPEN_METRICS
    lines = [line for one in families if one.samples for line in _lines(one, is_open)]
    return "\n".join([*lines, "# EOF\n" if is_open else ""])


def _lines(family: Family, is_open: bool) -> Iterator[str]:
    sample_name = family.name + ("_total" if family.kind == "counter" else "")
    name = family.name if is_open else sample_name
    yield f"# TYPE {name} {family.kind}"
    if is_open and family.unit:
        yield f"# UNIT {name} {family.unit}"
    yield f"# HELP {name} {_escaped(family.help)}"
    for labels, value in family.samples:
        said = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        yield f"{sample_name}{{{said}}} {value!r}" if said else f"{sample_name} {value!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
