"""An executor on the workers of a Dask scheduler."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from types import ModuleType
from typing import Any

from weft.base.errors import WorkError


class DaskExecutor(Executor):
    """An executor on the scheduler at an address, which keeps running after shutdown; raises WorkError if none
    answers."""

    def __init__(self, distributed: ModuleType, address: str) -> None:
        try:
            self._client = distributed.Client(address, timeout="10s")
        except (OSError, ValueError) as error:
            raise WorkError(
                f"--executor dask:{address}: no scheduler answers: {error}",
                "start `dask scheduler` there",
            ) from None
        self._inner = self._client.get_executor()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submits a call to a worker."""
        future: Future[Any] = self._inner.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnects from the scheduler."""
        del cancel_futures  # Dask's executor does not support it.
        self._inner.shutdown(wait=wait)
        self._client.close()
