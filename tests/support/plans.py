"""Plans and steps for tests, resolved."""

from collections.abc import Sequence

from weft.plan.pattern import Pattern
from weft.plan.plan import CountRule, Options, Plan, SizeList, Step, StopRule


def a_step(
    pattern: Pattern,
    *,
    name: str = "",
    transport: str = "tcp",
    sizes: Sequence[int] = (1,),
    stop: StopRule | None = None,
    options: Options | None = None,
) -> Step:
    """A step of a pattern, called like it unless named."""
    return Step(
        name=name or pattern.kind,
        pattern=pattern,
        transport=transport,
        options=options or Options(),
        sizes=SizeList(tuple(sizes)),
        stop=stop or CountRule(repeats=1, trials=1),
        until_ns=None,
    )


def a_plan(*steps: Step, name: str = "made", title: str = "", launches: int = 1) -> Plan:
    """A plan of these steps."""
    return Plan(name=name, title=title, launches=launches, steps=steps)
