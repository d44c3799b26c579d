"""Messages in one direction, and an application that computes with the data of a stream."""

from __future__ import annotations

import os

from weft.base.errors import RequestError
from weft.measure.execute.applications.costs import with_work
from weft.measure.execute.kinds.kind import LaunchedStep, Settled
from weft.measure.execute.kinds.pair import PairKind
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.computed.base import Simulator
from weft.measure.testbed.processors import blocking
from weft.plan.pattern import Stream
from weft.plan.plan import Step
from weft.runs.meta import Warning

MOST_GAMMA = 1000.0


class StreamKind(PairKind[Stream]):
    """Messages in one direction."""


class LoadedStreamKind(StreamKind):
    """A stream whose application computes for gamma times the processor time of receiving."""

    def refuse_testbed(self, kind: str, name: str) -> None:
        """Refuse testbeds whose agents cannot compute or cannot measure the cost of receiving; raises RequestError."""
        if kind in ("sim", "node"):
            return
        where = f"step {self.step.name!r} has an application load (gamma) on {kind}:{name}"
        most = max(self.pattern.gamma)
        if most > MOST_GAMMA:
            raise RequestError(
                f"{where}: at {most:g} times the work of receiving hardly a message comes through",
                f"gamma is at most {MOST_GAMMA:g} where it is measured",
            )
        if self.step.options.wait == "spin":
            raise RequestError(
                f"{where}: a receiver that spins is always busy, so its time says nothing of what receiving costs",
                'leave options.wait out, or set "block"',
            )
        if self.step.options.evidence is False:
            raise RequestError(
                f"{where}: options.evidence = false leaves out the processor time that gamma is a multiple of",
                "leave it out",
            )

    def settle_simulated(self, testbed: Simulator, cpus: list[int] | None) -> Settled:
        refuse_without_applications(self.step, testbed, "has an application load (gamma)")
        return super().settle_simulated(testbed, cpus)

    def settle_live(self, testbed: Testbed, cpus: list[int] | None) -> Settled:
        settled = blocking(self.step, testbed, cpus)
        _check_apart(settled, testbed)
        return settled, _too_few_processors(self.step, testbed)

    async def job(self, launched: LaunchedStep) -> StepJob:
        """The job with the cost of receiving a byte of each size, which is measured first."""
        agents = launched.crew.need(launched.nodes)
        return await with_work(agents, launched.job, self.pattern, launched.logbook.meta)


def refuse_without_applications(step: Step, testbed: Simulator, what: str, live: str = "") -> None:
    """Raise RequestError for a simulator without applications that compute."""
    if not testbed.computes:
        raise RequestError(
            f"step {step.name!r} {what}; on {testbed.kind}:{testbed.name} no application computes",
            f"run it inside a simulated node, such as --on node:p4-400-base{live}",
        )


def _check_apart(step: Step, testbed: Testbed) -> None:
    """Raise RequestError if the ends share processors: their work is told apart by its processor."""
    cpus = step.options.cpus
    if cpus is None or testbed.kind != "local" or cpus[0] != cpus[1]:
        return
    raise RequestError(
        f"step {step.name!r}: both ends of the stream are on processor {cpus[0]}; the sender would take the receiver's "
        "time",
        "give each its own (--cpus 0,1), or measure between two machines (--on ssh:a,b); with one processor "
        "only simulate (--on node:p4-400-base)",
    )


def _too_few_processors(step: Step, testbed: Testbed) -> list[Warning]:
    """A warning if protocol processing is moved to another processor that the sender needs."""
    count = len(os.sched_getaffinity(0))
    if testbed.kind != "local" or not step.options.knobs or count > 2:
        return []
    return [
        Warning(
            "few-processors",
            f"{count} processors are too few to show what moving protocol processing gives back: the sender needs one "
            "of them, and whatever leaves the receiver's takes the sender's time",
            "measure between two machines (--on ssh:a,b), or on one of three processors or more with `rps_cpus` set to "
            "one that neither end has",
        )
    ]
