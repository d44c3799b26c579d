"""The help of `weft run PLAN`: after its options, the steps of the plan with the keys of their patterns."""

from __future__ import annotations

import click
import cloup

from weft.base.errors import RequestError
from weft.plan.step_keys import PatternKey, StepKeys, step_keys


class PlanCommand(cloup.Command):
    """A command with the argument PLAN."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as usual, but find the plan first, because --help is answered before arguments are parsed."""
        plan = self.make_parser(ctx).parse_args(list(args))[0].get("plan")
        ctx.obj = plan if isinstance(plan, str) else None
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The steps of the plan come last; for an invalid plan, what is wrong with it."""
        super().format_epilog(ctx, formatter)
        if ctx.obj is None:
            return
        try:
            steps = step_keys(ctx.obj)
        except RequestError as error:
            formatter.write_paragraph()
            formatter.write_text(f"{error.message}\n{error.hint}")
            return
        for step in steps:
            _write(step, formatter)


def _write(step: StepKeys, formatter: click.HelpFormatter) -> None:
    rows = [(_term(key), _text(step, key)) for key in step.keys]
    change = f"--set steps.{step.name}.KEY=VALUE" if rows else "no keys of its own"
    formatter.write_paragraph()
    formatter.write_text(f"Step {step.name}, pattern {step.pattern}: {change}")
    with formatter.indentation():
        if rows:
            formatter.write_dl(rows)


def _term(key: PatternKey) -> str:
    return key.name if key.given is None else f"{key.name}={key.given}"


def _text(step: StepKeys, key: PatternKey) -> str:
    usual = step.usual(key) if key.given is None else None
    return key.values if usual is None else f"{key.values}  [default: {usual}]"
