"""The ``runewire`` command line: registers the commands, and reports each failure as one line on stderr."""

import functools
import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Annotated, Any, TextIO

import typer
from runewire_jobs.errors import ToolError
from runewire_model import ParameterError, __version__
from runewire_model.errors import Named
from runewire_model.transcoder import option_text
from typer.core import TyperGroup

from .commands import COMMANDS, PANELS, Command
from .console import readable_output
from .help import HelpfulCommand, print_examples, without_types
from .usage_errors import ReaderGone, UsageFailure, os_failure

USAGE = 2
INTERRUPTED = 130
READER_GONE = 141
"""Exit status after a broken pipe, the same as in a shell."""


def _guarded(command: Command, flags: Mapping[str, str]) -> Command:
    """The command, with every error that the user can fix turned into UsageFailure. ``flags``: `option_names`."""
    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> int | None:
        try:
            status = command(*args, **options)
            sys.stdout.flush()
            return status
        except BrokenPipeError as error:
            raise ReaderGone from error
        except OSError as error:
            # Typer handles a broken pipe in its own way; it must not see one.
            doing = "cannot use" if error.filename else "cannot write to standard output"
            raise os_failure(error, doing) from error
        except ParameterError as error:
            raise UsageFailure(error.shown(lambda named: _as_typed(named, flags))) from error
        except (ToolError, ValueError) as error:
            raise UsageFailure(str(error)) from error
    return guarded


def option_names(parameters: Sequence[Any]) -> dict[str, str]:
    """A command's names for parameters of cores: ``--offset-bits``, ``CORE``. A list option, for example ``--targets``,
    is also the name of each of its elements."""
    names = {each.name: each.metavar for each in parameters if each.param_type_name == "argument" and each.metavar}
    flags = {flag[2:].replace("-", "_"): flag
             for each in parameters for flag in each.opts if flag.startswith("--")}
    return {**names, **{name.removesuffix("s"): flag for name, flag in flags.items()}, **flags}


def _as_typed(named: Named, flags: Mapping[str, str]) -> str:
    """A parameter as the user writes it on the command line: ``--records 0A``."""
    name = flags.get(named.name, named.name)
    return name if named.value is None else f"{name} {option_text(named.name, named.value)}"


class _Commands(TyperGroup):
    """Imports a command's module and its dependencies when the command is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            listed = COMMANDS[name]
            function = getattr(importlib.import_module(listed.full_module), name)
            app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            flags: dict[str, str] = {}
            app.command(name, cls=HelpfulCommand)(_guarded(function, flags))
            command = typer.main.get_command(app)
            assert isinstance(command, HelpfulCommand)
            command.examples, command.pages = listed.examples, listed.pages
            flags.update(option_names(command.params))
        return name, command, rest

    def get_params(self, ctx: Any) -> list[Any]:
        return without_types(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        print_examples(("runewire generate decoder --lanes 8 -o build", "runewire simulate decoder README.md",
                        "runewire plan --rate 100G", "runewire generate --help"), ("README.md", "docs/project.md"))


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"runewire {__version__}")
        raise typer.Exit


def _options(version: Annotated[bool, typer.Option(
        "--version", is_eager=True, callback=_version, help="Show the version and exit.")] = False) -> None:
    """Unicode text at line rate, in hardware."""


def application() -> typer.Typer:
    """The Typer application with all commands."""
    app = typer.Typer(name="runewire", cls=_Commands, pretty_exceptions_enable=False,
                      context_settings={"help_option_names": ["-h", "--help"]})
    app.callback()(_options)
    for panel, commands in PANELS.items():
        for name, listed in commands.items():
            # `_Commands` replaces this by the command.
            app.command(name, help=listed.summary, rich_help_panel=panel)(_options)
    return app


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. Returns the exit status: 0, 1 (hardware and model differ), 2 (usage), 130 (Ctrl-C), 141
    (standard output is closed)."""
    if sys.stdout is None:
        print("runewire: standard output is closed", file=sys.stderr)
        return USAGE
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    # Amaranth's warning about a core whose construction was interrupted.
    warnings.filterwarnings("ignore", message=".* created but never used")
    readable_output()
    try:
        given = sys.argv[1:] if arguments is None else arguments
        status = application()(given or ["--help"], standalone_mode=False, prog_name="runewire")
        return status if isinstance(status, int) else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except ReaderGone:
        return READER_GONE
    except SystemExit as ended:
        # Typer and Rich end like this after the reader of a help has closed the pipe.
        if ended.code == 1:
            return READER_GONE
        raise
    except UsageFailure as failure:
        message = str(failure)
    except Exception as error:
        # Typer's usage errors; the class is in different modules in different releases.
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()
    finally:
        _settle_stdout()
    if sys.stderr is not None:
        try:
            print(f"runewire: {' '.join(message.split())}", file=sys.stderr, flush=True)
        except OSError:  # the reader has closed the pipe, or the disk is full
            _discard(sys.stderr)
    return USAGE


def _stop(signum: int, frame: FrameType | None) -> None:
    """Stop the command. Python discards exceptions in finalizers, and Amaranth's objects have one. Inside a finalizer
    the signal is therefore sent again a little later."""
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            threading.Timer(0.01, os.kill, (os.getpid(), signum)).start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt if signum == signal.SIGINT else SystemExit(128 + signum)


def _settle_stdout() -> None:
    """Discard output that cannot be written to standard output any more, so that it is not written at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard(sys.stdout)


def _discard(stream: TextIO) -> None:
    """Send what a stream's buffer still holds nowhere: Python would write it at exit, and end with status 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
