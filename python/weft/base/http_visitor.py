"""A connection to a server: idle clients must not keep others out."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_SILENT = 64
"""Connections that may wait for the rest of a request; if there are more, the oldest is closed."""
ASKS_WITHIN_S = 5.0


class Visitor(H11Protocol):
    """Closes the connection unless the complete head of the next request arrives in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._fall_silent()
        silent = [one for one in self.connections if isinstance(one, Visitor) and one.is_silent]
        if len(silent) > MOST_SILENT:
            min(silent, key=lambda one: one.since_s).turn_away()

    def connection_lost(self, exc: Exception | None) -> None:
        self._speak()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._speak()

    def on_response_complete(self) -> None:
        self._fall_silent()
        super().on_response_complete()

    def turn_away(self) -> None:
        """Close without a response."""
        self._speak()
        self.connections.discard(self)
        self.transport.abort()

    def _fall_silent(self) -> None:
        self.is_silent = True
        self.since_s = self.loop.time()
        self._patience = self.loop.call_later(ASKS_WITHIN_S, self.turn_away)

    def _speak(self) -> None:
        self.is_silent = False
        self._patience.cancel()
