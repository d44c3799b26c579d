"""Links and paths of a fabric that lose frames for other reasons than full queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.base.errors import RequestError
from weft.runs.records.fabric_records import Direction, FabricRecord


@dataclass(frozen=True)
class Loss:
    """A direction that loses frames: IP packets above a size, and a share of all, from 0 to 1."""

    src: str
    dst: str
    drops_above_bytes: int | None
    loss_share: float

    @property
    def text(self) -> str:
        """Such as "site1 to site2: packets over 1400 bytes are lost"."""
        parts = [f"{self.loss_share:.2g} of the frames"] if self.loss_share else []
        if self.drops_above_bytes is not None:
            parts.append(f"packets over {self.drops_above_bytes} bytes")
        return f"{self.src} to {self.dst}: {' and '.join(parts)} are lost"


def losses(fabric: FabricRecord | None) -> list[Loss]:
    """The losses of a resolved fabric, links first; none without a fabric."""
    if fabric is None:
        return []
    return [
        Loss(src, dst, direction.get("drops_above_bytes"), direction.get("loss_ppm", 0) / 1e6)
        for src, dst, direction in _directions(fabric)
        if direction.get("drops_above_bytes") is not None or direction.get("loss_ppm")
    ]


def refuse_losses(name: str, found: Sequence[Loss], why: str) -> None:
    """Raise RequestError if a fabric has losses; `why` ends the sentence "..., which"."""
    if found:
        raise RequestError(
            f"{name}: {found[0].text}, which {why}",
            f"build it (--on lab:{name}), or leave loss and drops_above_bytes out",
        )


def refuse_weather(name: str, fabric: FabricRecord | None) -> None:
    """Raise RequestError if a fabric changes over time."""
    if fabric is not None and fabric.get("weather"):
        raise RequestError(
            f"{name}: the fabric has weather, which is not simulated",
            f"build it (--on lab:{name}), or leave [[weather]] out",
        )


def refuse_spraying(name: str, fabric: FabricRecord | None) -> None:
    """Raise RequestError if packets of one connection take several paths."""
    routing = fabric.get("routing") if fabric is not None else None
    unit = routing["hash"].get("unit", "flow") if isinstance(routing, dict) else "flow"
    if unit != "flow":
        word = unit if isinstance(unit, str) else next(iter(unit))
        raise RequestError(
            f'{name}: the fabric has routing_unit = "{word}", and a simulated stream takes one path',
            f'build it (--on lab:{name}), or take routing_unit = "flow"',
        )


def _directions(fabric: FabricRecord) -> Iterator[tuple[str, str, Direction]]:
    for link in fabric["links"]:
        one, other = link["ends"]
        yield one, other, link["forward"]
        yield other, one, link["backward"]
    for path in fabric.get("paths", []):
        yield path["from"], path["to"], path["lane"]
