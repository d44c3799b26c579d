"""What is said of a command line that click refuses: the message, and what to write."""

from __future__ import annotations

import difflib
import shlex
import sys
from collections.abc import Iterator, Sequence

import click

from weft.measure.testbed.kinds import looks_like_testbed


def message_of(error: click.ClickException) -> str:
    """Click's words; without the options of another command that an unknown one resembles."""
    if isinstance(error, click.NoSuchOption) and _commands_with(error):
        return error.message
    return error.format_message()


def hint_of(error: click.ClickException, words: Sequence[str] | None = None) -> str:
    """What to write instead, of the `words` behind `weft`, then where help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return ""
    words = sys.argv[1:] if words is None else words
    found = _meant(error, context, list(words))
    return f"{found}see `{context.command_path} --help`"


def _meant(error: click.ClickException, context: click.Context, words: list[str]) -> str:
    if isinstance(error, click.NoSuchOption):
        listed = _commands_with(error)
        return f"{error.option_name} is an option of {_some(listed)}; " if listed else ""
    if isinstance(error, click.BadParameter) and isinstance(_type(error), click.Choice):
        return _choice_meant(error)
    testbed = next((word for word in words if looks_like_testbed(word)), None)
    if testbed and _takes_testbed(context.command) and _may_be_testbed(error):
        at = words.index(testbed)
        if at == 0 or words[at - 1] != "--on":
            line = [*words[:at], "--on", *words[at:]]
            return f"did you mean `weft {shlex.join(line)}`? "
    return ""


def _may_be_testbed(error: click.ClickException) -> bool:
    """Whether an option is missing, or there is a word too many."""
    if isinstance(error, click.MissingParameter):
        return error.param is not None and "--on" in error.param.opts
    return "unexpected extra argument" in error.format_message()


def _takes_testbed(command: click.Command) -> bool:
    return any("--on" in parameter.opts for parameter in command.params)


def _type(error: click.BadParameter) -> click.ParamType[object] | None:
    return error.param.type if error.param is not None else None


def _choice_meant(error: click.BadParameter) -> str:
    kind = _type(error)
    assert isinstance(kind, click.Choice)
    wrong = error.message.partition("'")[2].partition("'")[0]
    near = difflib.get_close_matches(wrong, [str(one) for one in kind.choices], n=1)
    return f"did you mean {near[0]}? " if near else ""


def _commands_with(error: click.NoSuchOption) -> list[str]:
    """Commands that have an option of this name, where the one that was called has none that is similar."""
    context = error.ctx
    if context is None or (context.parent is not None and error.possibilities):
        return []
    root = context.find_root().command
    return list(_having(root, error.option_name, context.find_root(), "weft"))


def _having(
    command: click.Command, option: str, context: click.Context, path: str
) -> Iterator[str]:
    if any(option in parameter.opts for parameter in command.params):
        yield f"`{path}`"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from _having(below, option, context, f"{path} {name}")


def _some(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    preferred = sorted(names, key=lambda one: one != "`weft run`")
    return f"{', '.join(preferred[:most])}{more}"
