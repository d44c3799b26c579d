"""Users that request pages from a web server."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.execute.applications.web_server import (
    SERVER,
    TIME_NS,
    run_web_step,
    server_of,
)
from weft.measure.execute.crew import Crew
from weft.measure.execute.kinds.kind import LaunchedStep, Settled
from weft.measure.execute.kinds.pair import PairKind
from weft.measure.execute.kinds.stream import refuse_without_applications
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.plan.pattern import Webserver
from weft.plan.plan import Step


class WebserverKind(PairKind[Webserver]):
    """A real server on one node and its users on another, or both simulated."""

    @property
    def asks_nodes(self) -> bool:
        """Settling starts a server to check that there is one."""
        return True

    def live_steps(self) -> Iterator[Step]:
        """An open loop and a closed loop of users, if the plan does not choose one."""
        pattern = replace(self.pattern, time_ns=self.pattern.time_ns or TIME_NS)
        if pattern.arrivals is not UNSET:
            yield replace(self.step, pattern=pattern)
            return
        yield replace(self.step, pattern=replace(pattern, arrivals="open"))
        name = f"{self.step.name}-closed"
        yield replace(self.step, name=name, pattern=replace(pattern, arrivals="closed"))

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        live = ", or with a real server on ssh:, hosts:, local: or lab:"
        refuse_without_applications(self.step, testbed, "is a web server", live)
        self._refuse_live_keys()
        return super().settle_simulated(testbed, cpus)

    def _refuse_live_keys(self) -> None:
        """Refuse keys that only a simulated web server supports; raises RequestError."""
        asked = {
            "server": self.pattern.server,
            "loop": self.pattern.arrivals,
            "time": self.pattern.time_ns,
        }
        live = [key for key, value in asked.items() if value not in (UNSET, "closed")]
        if live:
            raise RequestError(
                f"step {self.step.name!r}: {live[0]} is of a real web server; a simulated one has users in a closed "
                "loop",
                "leave it out, or run it on ssh:, hosts:, local: or lab:",
            )

    def asked_nodes(self, testbed_nodes: int) -> list[int]:
        return sorted({SERVER, *super().asked_nodes(testbed_nodes)})

    async def ask(self, crew: Crew, testbed: Testbed) -> Step:
        """The step with the web server that is installed."""
        step = await super().ask(crew, testbed)
        if SERVER not in crew.agents:
            return step
        server = await server_of(crew.agents[SERVER], testbed, step)
        return replace(step, pattern=replace(self.pattern, server=server))

    async def carry_out(self, launched: LaunchedStep) -> None:
        agents = launched.crew.need(launched.nodes)
        await run_web_step(agents, launched.job, launched.logbook)
