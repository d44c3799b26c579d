"""Why an agent did not start on a node."""

from __future__ import annotations

from weft.errors import WorkError


class StartFailure(WorkError):
    """The reason as a code for programs and a clause for people, without the node's name."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
