"""A web server between two agents: one runs a real server on its node, the other simulates its users."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from msgspec.structs import asdict

from weft.base.errors import RequestError
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.pair import StepJob, all_of, endpoint
from weft.measure.testbed.agent.agent import Agent, AgentError, Recorded
from weft.measure.testbed.agent.reply import (
    BatchesDone,
    ConnectReply,
    CountEndReply,
    CountStartReply,
    Done,
    RecordReply,
    Responses,
    ServerReply,
)
from weft.measure.testbed.agent.request import After, Before, NoMoreBatches, WebServe, WebUsers
from weft.measure.testbed.agent.wire_format import Evidence
from weft.measure.testbed.base import Testbed
from weft.plan.pattern import Server
from weft.plan.plan import Step

USERS = 0
SERVER = 1
"""Index of the server's node among the two."""
TIME_NS = 5_000_000_000
"""How long each number of users is measured in a launch."""
LATE_SHARE = 0.1
"""A warning is given if the load generator is later than this share of the median response time."""


async def server_of(agent: Agent, testbed: Testbed, step: Step) -> Server:
    """The web server of a node, after a trial start and stop; raises RequestError if it cannot run."""
    job = StepJob(0, step, 0, [], testbed.nodes, "00" * 32, 0, 1.0)
    try:
        serving = await _start(agent, job)
        await agent.send(NoMoreBatches())
        await agent.expect(Done, beside=lambda said: None)
    except AgentError as error:
        raise RequestError(
            f"step {step.name!r}: {error.message}",
            "--server chooses apache or nginx; `weft doctor` says what is installed here",
        ) from None
    return "nginx" if serving.program == "nginx" else "apache"


async def _start(agent: Agent, job: StepJob) -> ServerReply:
    await agent.send(WebServe(**asdict(job.serve_request(SERVER))))
    return await agent.expect(ServerReply)


async def run_web_step(agents: list[Agent], job: StepJob, logbook: Logbook) -> None:
    """Measure the phases of a step, each with fresh connections to the same server. Raises AgentError; what was
    measured before is kept."""
    users, server = agents[USERS], agents[SERVER]
    ahead_ns = await users.clock_offset_ns()
    serving = await _start(server, job)
    logbook.settings(server.node, {"server": serving.program, "version": serving.version})
    peer = endpoint(job.nodes[SERVER].address, serving.port)
    for phase in job.phases:
        asked = WebUsers(
            **asdict(job.serve_request(USERS)),
            peer=peer,
            step_index=job.step_index,
            launch=job.launch,
            phase=phase,
            epoch_ns=job.epoch_ns + ahead_ns,
        )
        await users.send(asked)
        await _Phase(users, server, logbook, phase).run()
    await server.send(NoMoreBatches())
    await server.expect(Done, beside=lambda said: logbook.evidence.take(SERVER, said))


class _Phase:
    """One number of users and one page."""

    def __init__(self, users: Agent, server: Agent, logbook: Logbook, phase: int) -> None:
        self._users, self._server = users, server
        self._logbook, self._phase = logbook, phase

    async def run(self) -> None:
        """Measure the phase. The server's node reports nothing until it is asked, unless its server ends."""
        await all_of([self._follow_users(), self._follow_server()])

    async def _follow_server(self) -> None:
        await self._server.expect(BatchesDone, beside=self._of(SERVER))

    async def _follow_users(self) -> None:
        while True:
            said = await self._users.receive()
            match said:
                case CountStartReply():
                    await self._server.send(Before(phase=self._phase))
                case CountEndReply():
                    await self._server.send(After())
                case Evidence() | RecordReply():
                    self._logbook.evidence.take(USERS, said)
                case ConnectReply(effective):
                    self._logbook.settings(self._users.node, effective)
                case Responses():
                    self._take(said)
                case pa.RecordBatch():
                    self._logbook.phases_measured([self._phase], [said])
                case Done():
                    return

    def _of(self, node: int) -> Callable[[Recorded], None]:
        return lambda said: self._logbook.evidence.take(node, said)

    def _take(self, found: Responses) -> None:
        self._logbook.pages(found)
        failed = found.errors + found.timeouts
        if failed:
            self._warn_once(
                "pages-failed",
                f"{found.users} users got no page for {failed} of {found.requests + failed} requests "
                f"({found.errors} errors, {found.timeouts} time-outs)",
                "response times are those of the others: look at the server's load, take fewer users",
            )
        if found.late_ns > LATE_SHARE * found.median_ns:
            self._warn_once(
                "generator-late",
                f"with {found.users} users requests left up to {found.late_ns / 1e3:.0f} us late (99 %), "
                f"the median response time is {found.median_ns / 1e3:.0f} us",
                "response times hold that time: give the users' node a processor of its own, or take fewer users",
            )

    def _warn_once(self, code: str, message: str, hint: str) -> None:
        """Warn once for each step and code."""
        name, meta = self._logbook.step_name, self._logbook.meta
        if not any(one.code == code and one.message.startswith(name) for one in meta.warnings):
            meta.warn(code, f"{name}: {message}", hint)
