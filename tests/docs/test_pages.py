"""The pages: links lead somewhere, commands, plans, networks and files in them are accepted, and Python runs."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from support.made.computed import compute
from weft.base import catalog
from weft.decisions.decision.request import parse_request
from weft.decisions.what_if.alternative import read_alternatives
from weft.faces.cli.main import weft
from weft.links.watch.sites import parse_sites
from weft.measure.testbed.hosts.host_file import read_host_file
from weft.measure.testbed.open import open_testbed
from weft.network.cost.bill import bill_of
from weft.network.cost.prices import read_prices
from weft.network.fabrics.load import load_fabric
from weft.operate.acceptance.requirements import read_requirements
from weft.plan.load import load_plan, parse_plan
from weft.plan.phases import expand
from weft.simulation.calibrate.values import read_values
from weft.understand.formats.importers import FORMATS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
MOST_WORDS = 1500
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> Iterator[str]:
    """Lines of blocks that begin with weft, with or without a prompt; placeholders in capitals are left as they are."""
    plain = [text for language, text in BLOCK.findall(page.read_text()) if not language]
    for block in plain:
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r" ; |; ", line.removeprefix("$ ")):
                if part.startswith("weft "):
                    yield part


def arguments(command: str) -> list[str]:
    """What weft is given: without comments, pipes and redirections."""
    words = shlex.split(command, comments=True)[1:]
    ends = [at for at, word in enumerate(words) if word in ("|", ">", "2>", "&")]
    return words[: min(ends, default=len(words))]


def blocks(language: str) -> list[object]:
    """The blocks of all pages that say that they are in this language."""
    block = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    found = [(page, text) for page in PAGES for text in block.findall(page.read_text())]
    return [pytest.param(text, id=f"{page.name}: {text[:30]!r}") for page, text in found]


def examples(group: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    """The example in the help of each command, by its name."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, context, name)
        if isinstance(command, click.Group):
            yield from examples(command, inner)
        else:
            yield inner.command_path, (command.epilog or "").removeprefix("Example: ")


EXAMPLES = dict(examples(weft, click.Context(weft, info_name="weft")))
CASES = [
    pytest.param(one, id=f"{page.name}: {one[:60]}") for page in PAGES for one in commands(page)
] + [pytest.param(one, id=f"help: {one}") for one in EXAMPLES.values() if one]


def test_every_command_has_an_example_in_its_help() -> None:
    assert [name for name, one in EXAMPLES.items() if not one.startswith(name)] == []


@pytest.mark.parametrize("command", CASES)
def test_commands_in_pages_are_ones_that_weft_has(command: str) -> None:
    group: click.Command = weft
    context: click.Context | None = None
    words = arguments(command)
    while isinstance(group, click.Group):
        context = context or click.Context(weft)
        name = words.pop(0)
        found = group.get_command(context, name)
        assert found is not None, name
        group = found
    group.make_context(group.name, words)


RUNS = sorted(
    {
        tuple(arguments(one))
        for one in (*(one for page in PAGES for one in commands(page)), *EXAMPLES.values())
        if "--on" in arguments(one)
    }
)


@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_plans_and_testbeds_in_commands_exist(words: tuple[str, ...]) -> None:
    if words[0] == "run" and words[1] != "PLAN":
        load_plan(words[1])
    kind, _, name = words[words.index("--on") + 1].partition(":")
    if kind == "lab" and name != "FABRIC":
        load_fabric(name)
    elif kind in ("sim", "node") and not name.endswith(".xml"):
        open_testbed(f"{kind}:{name}")


@pytest.mark.parametrize("text", blocks("toml"))
def test_files_in_pages_are_accepted(text: str, tmp_path: Path) -> None:
    document, path = tomllib.loads(text), tmp_path / "shown.toml"
    is_named = "name" in document or not document.keys() & {"steps", "links"}
    path.write_text(text if is_named else f'name = "shown"\n{text}')
    if "steps" in document:
        steps = parse_plan(path.read_text(), str(path)).steps
        assert all(expand(step, 96) for step in steps)
    elif "sites" in document:
        assert parse_sites(text).links
    elif "network" in document:
        assert len(read_requirements(str(path))) > 10
    elif "designs" in document:
        assert parse_request(text, "shown").designs
    elif "cost" in document:
        assert bill_of("clos(leaves=4,spines=2,hosts=8)", read_prices(str(path))).total > 0
    elif "nodes" in document:
        read_host_file(str(path))
    elif "links" in document:
        load_fabric(str(path))
    elif "alternative" in document:
        assert len(read_alternatives(str(path))) > 1
    elif "weather" in document:
        head, mark, events = text.partition("[[weather]]")
        fabric = catalog.read(catalog.find("fabric", "two-sites"))
        path.write_text(head + fabric + mark + events)
        assert load_fabric(str(path))["weather"]["events"]
    elif "free" in document:
        for run in document["runs"]:
            compute(tmp_path / run["run"], "latency", "node:p4-400-base")
        assert read_values(str(path)).free.keys() == document["free"].keys()
    elif "interfaces" in document:
        path.write_text(catalog.read(catalog.find("machine", "p4-400")) + text)
        assert len(open_testbed(f"node:{path}(placement=base)").nodes[0].places) == 2
    else:
        assert set(document) == {"memory"}


@pytest.mark.parametrize("text", blocks("python"))
def test_python_in_pages_runs(text: str) -> None:
    exec(text, {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        place, _, anchor = link.partition("#")
        target = page.parent / place if place else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_tables_have_every_plan_and_format() -> None:
    plans, tools = ((ROOT / "docs" / name).read_text() for name in ("plans.md", "other-tools.md"))
    catalogue = plans[plans.index("## Catalogue") :]
    assert [one for one in catalog.names("plan") if f"`{one}`" not in catalogue] == []
    assert [one for one in FORMATS if f"| `{one}` |" not in tools] == []


def test_every_page_is_listed_and_has_a_place_in_the_site() -> None:
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs/README.md").read_text()))
    menu = set(re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    every = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert (every - listed, every - menu) == (set(), set())


def test_no_page_but_tables_is_long() -> None:
    made = {"codes.md", "glossary.md", "causes.md", "knobs.md"}
    long = {
        page.name: words
        for page in (ROOT / "docs").glob("*.md")
        if page.name not in made and (words := len(page.read_text().split())) > MOST_WORDS
    }
    assert long == {}


def test_every_picture_is_shown() -> None:
    text = "".join(page.read_text() for page in PAGES)
    assert [one.name for one in (ROOT / "docs").glob("*.svg") if f"{one.name})" not in text] == []


def anchors(page: Path) -> list[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings]
