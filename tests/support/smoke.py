"""`pytest --smoke TOOL ...`: one test of each external tool, of which none may be skipped."""

from collections.abc import Generator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--smoke", nargs="+", metavar="TOOL", help="Run one test of each of these.")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "smoke(*tools): what shows that these tools work here")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tools = config.getoption("--smoke")
    if tools is None:
        return
    tests = {
        tool: item for item in items for mark in item.iter_markers("smoke") for tool in mark.args
    }
    if missing := set(tools) - set(tests):
        raise pytest.UsageError(f"no test is marked as smoke of {', '.join(sorted(missing))}")
    chosen = {tests[tool] for tool in tools}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and item.config.getoption("--smoke"):
        report.outcome = "failed"
    return report
