"""Keeps Arrow from importing an installed pandas, which would take much of the time of short commands."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder


def do_without_pandas() -> None:
    """Hide pandas from this process. Must be called before Arrow creates its first array."""
    sys.meta_path.insert(0, _PandasRefuser())


class _PandasRefuser(MetaPathFinder):
    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Raise ImportError for pandas."""
        if name == "pandas":
            raise ImportError(name)
