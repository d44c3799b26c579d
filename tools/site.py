"""What mkdocs does not have in docs/: pages beside it, and the reference of the commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
import cloup

import weft as weft_package
from weft.faces.cli.commands import SECTIONS
from weft.faces.cli.main import weft

ROOT = Path(__file__).resolve().parent.parent
BESIDE = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "start.md",
}
"""Pages above docs/, and what they are in the site."""


def on_files(files, config):
    """Add the pages that are not in docs/."""
    from mkdocs.structure.files import File

    pages = {name: (ROOT / file).read_text() for file, name in BESIDE.items()}
    pages |= {"commands.md": "\n".join(commands()) + "\n", "api.md": api()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Point links at where pages are in the site."""
    inside = page.file.src_uri not in BESIDE.values()
    up, down = ("../", "") if inside else ("", "docs/")
    for file, name in BESIDE.items():
        markdown = markdown.replace(f"]({up}{file}", f"]({name}")
    return markdown if inside else markdown.replace(f"]({down}", "](")


def on_page_content(html, page, config, files):
    """Leave out of notebooks what would load formulas and diagrams from the network; they have none."""
    script = r"<script[^>]*>(?:(?!</script>).)*?{}(?:(?!</script>).)*</script>"
    if not page.file.src_uri.endswith(".ipynb"):
        return html
    return re.sub(script.format("(?:mermaid|MathJax)"), "", html, flags=re.DOTALL)


def api() -> str:
    """The page of all that `import weft` gives: functions first, then what they return."""
    names = sorted(weft_package.__all__, key=lambda name: (name[0].isupper(), name))
    return "\n\n".join(["# What does Python have?", *(f"::: weft.{name}" for name in names)])


def commands() -> Iterator[str]:
    """The page of all commands, from what their help says."""
    yield "# Which commands are there?"
    with click.Context(weft, info_name="weft") as context:
        for section, names in SECTIONS.items():
            yield f"\n## {section.partition(',')[0]}\n"
            for name in names:
                command = weft.get_command(context, name)
                assert command is not None
                yield from _command(command, click.Context(command, context, name), "###")


def _command(command: click.Command, context: click.Context, level: str) -> Iterator[str]:
    yield f"\n{level} {context.command_path}\n"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        is_table = paragraph.startswith("\b\n")
        yield f"```\n{paragraph[2:]}\n```\n" if is_table else f"{paragraph}\n"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"```\n{usage}\n```\n"
    if command.epilog:
        yield f"Example:\n\n```\n{command.epilog.removeprefix('Example: ')}\n```\n"
    for title, options in _options(command, context):
        yield f"| {title} | |\n|---|---|"
        yield from (_row(*record) for one in options if (record := one.get_help_record(context)))
        yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            one = command.get_command(context, name)
            assert one is not None
            yield from _command(one, click.Context(one, context, name), level + "#")


def _options(
    command: click.Command, context: click.Context
) -> Iterator[tuple[str, list[click.Parameter]]]:
    """Options in their groups, without --help."""
    every = [one for one in command.get_params(context) if "--help" not in one.opts]
    if not isinstance(command, cloup.OptionGroupMixin):
        yield "option", every
        return
    for group in command.option_groups:
        yield group.title.lower(), list(group.options)
    grouped = {id(one) for group in command.option_groups for one in group.options}
    yield "other options", [one for one in every if id(one) not in grouped]


def _row(names: str, text: str) -> str:
    shown = re.sub(r"\s+", " ", text).replace("|", "\\|").replace("[", "\\[")
    return f"| `{names}` | {shown} |"
