"""The `weft` command."""

from __future__ import annotations

import errno
import os
import signal
import sys
from importlib.abc import MetaPathFinder
from typing import NoReturn

import click

from weft import __version__
from weft.base.errors import WeftError
from weft.faces.cli.commands import Commands
from weft.faces.cli.error_pages import local_page, page_of
from weft.faces.cli.output import print_error, print_json
from weft.faces.cli.streams import guard_streams

INTERRUPTED = 130
FEWEST_COLUMNS = 40
LONGEST_MESSAGE = 1000
"""A message that quotes a file may be as long as a line of the file."""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="weft")
def weft() -> None:
    """Measure, simulate and explain the interconnect of a cluster.

    Start with `weft demo`, or `weft run signature --on lab:pair`.
    """


def main() -> NoReturn:
    """The entry point of a process, which does not load pandas for tables."""
    do_without_pandas()
    run_command()


def run_command() -> NoReturn:
    """Run the command line. Exit codes: 0 success, 1 the work failed, 2 the request was invalid."""
    _speak_utf8()
    guard_streams()
    _interrupt_on_terminate()
    _widen()
    if "_WEFT_COMPLETE" in os.environ:
        _answer_shells()
    try:
        sys.exit(weft.main(standalone_mode=False, complete_var="_WEFT_COMPLETE") or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.ClickException as error:
        # Here, as it needs all commands.
        from weft.faces.cli.misuse import hint_of, message_of

        _fail(message_of(error), hint_of(error), 2)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except WeftError as error:
        _fail(error.message, error.hint, error.exit_code, local_page(page_of(error.__traceback__)))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        if error.filename is not None:
            _fail(f"{os.fsdecode(error.filename)}: {error.strerror}", "", 1)
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        # Otherwise flushing the buffer at exit would fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _fail(f"cannot write what was asked for: {error.strerror}", "free some space", 1)


def _speak_utf8() -> None:
    """Restart with UTF-8 if the locale cannot represent all file names, such as LC_ALL=C with PYTHONUTF8=0."""
    if sys.getfilesystemencoding() != "utf-8":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _interrupt_on_terminate() -> None:
    """Turn the first termination request into an interrupt, so that labs are removed. Further ones, as from `timeout`,
    which signals both the process and its group, are ignored, because they would cut off the clean-up."""

    def interrupt(*_: object) -> NoReturn:
        signal.signal(signal.SIGTERM, lambda *_: None)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, interrupt)


def _widen() -> None:
    """Set a minimum width, because tables and help do not fit into fewer columns: the terminal then breaks lines."""
    if os.environ.get("COLUMNS", "").isdigit() and int(os.environ["COLUMNS"][:9]) < FEWEST_COLUMNS:
        os.environ["COLUMNS"] = str(FEWEST_COLUMNS)


def _answer_shells() -> None:
    from weft.faces.cli.shell.shells import (
        register,  # here, because commands that run do not need it
    )

    register()


def _fail(message: str, hint: str, exit_code: int, page: str = "") -> NoReturn:
    """Print an error to standard error and, for a program that asked for JSON, to standard output; `page` says more."""
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[:LONGEST_MESSAGE]}..."
    print_error(message, hint, page)
    if "--json" in sys.argv:
        print_json({"error": {"message": message, "hint": hint, "page": page}})
    sys.exit(exit_code)


def do_without_pandas() -> None:
    """Hide pandas from this process. Must be called before Arrow creates its first array."""
    sys.meta_path.insert(0, _PandasRefuser())


class _PandasRefuser(MetaPathFinder):
    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Raise ImportError for pandas."""
        if name == "pandas":
            raise ImportError(name)
