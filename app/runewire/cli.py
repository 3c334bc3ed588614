"""The ``runewire`` command: registers the commands and turns what goes wrong into one line on stderr."""

import functools
import importlib
import os
import signal
import sys
import threading
import warnings
from types import FrameType
from typing import Annotated, Any

import typer
from runewire_jobs.errors import ToolError
from runewire_model import __version__
from typer.core import TyperGroup

from .commands import COMMANDS, Command
from .failure import ReaderGone, UsageFailure, os_failure

USAGE = 2
INTERRUPTED = 130
READER_GONE = 141
"""As the shell has it of programs that a closed pipe ended."""


def _guarded(command: Command) -> Command:
    """The command, with everything that a user can put right turned into UsageFailure."""
    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> int | None:
        try:
            status = command(*args, **options)
            sys.stdout.flush()
            return status
        except BrokenPipeError as error:
            raise ReaderGone from error
        except OSError as error:
            # Typer gives a broken pipe a meaning of its own; it must not see one.
            doing = "cannot use" if error.filename else "cannot write to standard output"
            raise os_failure(error, doing) from error
        except (ToolError, ValueError) as error:
            raise UsageFailure(str(error)) from error
    return guarded


class _Commands(TyperGroup):
    """Imports a command's module, and what that needs, when the command is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            module, _ = COMMANDS[name]
            function = getattr(importlib.import_module(f".commands.{module}", __package__), name)
            app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            app.command(name)(_guarded(function))
            command = typer.main.get_command(app)
        return name, command, rest


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"runewire {__version__}")
        raise typer.Exit


def _options(version: Annotated[bool, typer.Option(
        "--version", is_eager=True, callback=_version, help="Show the version and exit.")] = False) -> None:
    """UTF-8 at line rate, in hardware."""


def application() -> typer.Typer:
    """The Typer application with all commands."""
    app = typer.Typer(name="runewire", cls=_Commands, no_args_is_help=True, add_completion=False,
                      pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]})
    app.callback()(_options)
    for name, (_, summary) in COMMANDS.items():
        app.command(name, help=summary)(_options)  # `_Commands` puts the command in its place
    return app


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status: 0, 1 (hardware and model differ), 2 (usage), 130 (Ctrl-C),
    141 (nobody reads standard output any more)."""
    if sys.stdout is None:
        print("runewire: standard output is closed", file=sys.stderr)
        return USAGE
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    # Amaranth's word on a core that was interrupted half built.
    warnings.filterwarnings("ignore", message=".* created but never used")
    try:
        status = application()(arguments, standalone_mode=False, prog_name="runewire")
        return status if isinstance(status, int) else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except ReaderGone:
        return READER_GONE
    except SystemExit as ended:
        # Typer's and Rich's way to end where a help's reader has gone.
        if ended.code == 1:
            return READER_GONE
        raise
    except UsageFailure as failure:
        message = str(failure)
    except Exception as error:
        # Typer's usage errors; its releases differ in where that class lives.
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()
    finally:
        _settle_stdout()
    if message:  # without a command Typer has printed the help, and has nothing to add
        print(f"runewire: {' '.join(message.split())}", file=sys.stderr)
    return USAGE


def _stop(signum: int, frame: FrameType | None) -> None:
    """End the command. Python drops what a finalizer raises, and Amaranth's objects have one: in there the signal is
    sent again a little later."""
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            threading.Timer(0.01, os.kill, (os.getpid(), signum)).start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt if signum == signal.SIGINT else SystemExit(128 + signum)


def _settle_stdout() -> None:
    """What cannot be written to standard output any more must not be tried again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
