"""Why an agent did not start on a node."""

from __future__ import annotations

from weft.testbed.agent.agent import Reason


class StartFailure(Exception):
    """An agent did not start; the caller has the node's name."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason
