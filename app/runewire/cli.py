"""The ``runewire`` command: registers the commands and turns what goes wrong into one line on stderr."""

import functools
import os
import signal
import sys
from types import FrameType
from typing import Any

import typer
from runewire_sim import MissingToolError, SimulationError

from .commands import COMMANDS, Command
from .failure import UsageFailure, os_failure

USAGE = 2
INTERRUPTED = 130


def _guarded(command: Command) -> Command:
    """The command, with everything that a user can put right turned into UsageFailure."""
    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> int | None:
        try:
            status = command(*args, **options)
            sys.stdout.flush()
            return status
        except OSError as error:
            # Typer gives a broken pipe a meaning of its own; it must not see one.
            doing = "cannot use" if error.filename else "cannot write to standard output"
            raise os_failure(error, doing) from error
        except (MissingToolError, SimulationError, ValueError) as error:
            raise UsageFailure(str(error)) from error
    return guarded


def application() -> typer.Typer:
    """The Typer application with all commands."""
    app = typer.Typer(name="runewire", help="UTF-8 at line rate, in hardware.", no_args_is_help=True,
                      add_completion=False, pretty_exceptions_enable=False)
    for command in COMMANDS:
        app.command()(_guarded(command))
    return app


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status: 0, 1 (hardware and model differ), 2 (usage)."""
    if sys.stdout is None:
        print("runewire: standard output is closed", file=sys.stderr)
        return USAGE
    signal.signal(signal.SIGTERM, _terminate)
    try:
        status = application()(arguments, standalone_mode=False, prog_name="runewire")
        return status if isinstance(status, int) else 0
    except KeyboardInterrupt:
        return INTERRUPTED
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


def _terminate(signum: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + signum)


def _settle_stdout() -> None:
    """What cannot be written to standard output any more must not be tried again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
