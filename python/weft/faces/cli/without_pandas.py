"""Keeps Arrow from importing pandas where it is installed, which short commands would spend much of their time on."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder


def do_without_pandas() -> None:
    """Have this process find no pandas from now on. To be called before Arrow makes its first array."""
    sys.meta_path.insert(0, _PandasRefuser())


class _PandasRefuser(MetaPathFinder):
    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Raise ImportError for it."""
        if name == "pandas":
            raise ImportError(name)
