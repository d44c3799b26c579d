"""Commands that weft prints are ones that it has: in messages, hints, tables of the catalogue, and pages."""

import ast
import re
import shlex
from collections.abc import Iterator

import click
import pytest

from support.paths import CHECKOUT
from weft.faces.cli.main import weft

PLACEHOLDER = "X"
QUOTED = re.compile(r"`\$? ?(?:\.venv/bin/)?(weft(?: [^`]*)?)`")


def _texts(tree: ast.AST) -> Iterator[str]:
    """The strings of a module, values in them as a placeholder."""
    parts = {
        id(value)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for value in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(one.value) if isinstance(one, ast.Constant) else PLACEHOLDER
                for one in node.values
            )
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
        ):
            yield node.value


def _sources() -> Iterator[str]:
    for path in (CHECKOUT / "python/weft").rglob("*.py"):
        yield from _texts(ast.parse(path.read_text()))
    for folder, pattern in (("catalog", "*.toml"), ("docs", "*.md"), ("crates", "*.rs")):
        for path in (CHECKOUT / folder).rglob(pattern):
            yield path.read_text()


COMMANDS = sorted(
    {" ".join(found.split()) for text in _sources() for found in QUOTED.findall(text)}
)


def test_there_are_many() -> None:
    assert len(COMMANDS) > 150


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_and_its_options_exist(command: str) -> None:
    words = _words(command)
    group: click.Command = weft
    while isinstance(group, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        found = group.get_command(click.Context(group), name)
        if found is None and (name == PLACEHOLDER or name.isupper()):
            return
        assert found is not None, f"{command}: no command {name}"
        group = found
    known = {option for one in group.params for option in (*one.opts, *one.secondary_opts)}
    used = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert used <= known | {"--help", "-h"}, command


def _words(command: str) -> list[str]:
    """Up to a pipe, a comment, or what is another program's."""
    try:
        words = shlex.split(command)[1:]
    except ValueError:
        words = command.split()[1:]
    ends = [
        at
        for at, word in enumerate(words)
        if word in ("|", ">", "&", "&&", "--") or word[0] in "#([…"
    ]
    return [word.rstrip(",;:") for word in words[: min(ends, default=len(words))]]
