"""What tests wait for: runs under way and their processes."""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from support.command import descendants

T = TypeVar("T")


def wait_for(condition: Callable[[], T], seconds: float = 60) -> T:
    """What a condition is once it holds; a file that it reads may not be there yet."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            if found := condition():
                return found
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def wait_for_samples(folder: Path, size_bytes: int = 1200) -> None:
    """Until the stream of a run is that long: a schema alone takes less than 1200 bytes."""
    wait_for(lambda: (folder / "samples.arrows").stat().st_size > size_bytes)


def agents(pid: int) -> list[int]:
    """The agents that a process has started here; copies of the program have more of a name."""
    return [child for child, name in descendants(pid) if name.startswith("weft-probe")]


def wait_for_agents(pid: int, count: int) -> list[int]:
    """The agents of a process once it has so many, all seen at one look."""

    def all_of_them() -> list[int]:
        found = agents(pid)
        return found if len(found) == count else []

    return wait_for(all_of_them)
