"""``runewire configure``."""

import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from runewire_configurator.form import Field, form_fields
from runewire_configurator.server import LOOPBACK, serving
from runewire_configurator.site import site_folder, write_site
from runewire_rtl.packages import PACKAGES

from ..console import output_console
from ..files import made_folder
from ..options import at_least, whole_number, writable_folder
from ..usage_errors import UsageFailure
from .generate import generate

MOST_PORT = 65535


def command_fields() -> list[Field]:
    """The form's fields, as `runewire generate` has its options."""
    return form_fields(generate, {name: package.text for name, package in PACKAGES.items()})


def configure(
    write: Annotated[Path | None, typer.Option(
        "--write", metavar="DIR", show_default=False, callback=lambda folder: folder and writable_folder(folder),
        help="Write the page's files into this folder, for a server of static files, instead of showing the page.",
    )] = None,
    port: Annotated[int | None, typer.Option(
        parser=at_least(1, whole_number), metavar="N", show_default=False,
        help=f"Port of {LOOPBACK} that the page is served at. Default: any free one.")] = None,
    browser: Annotated[bool, typer.Option(
        "--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Choose, try and generate a core on a page in the browser.

    The page computes everything in the browser. The first call fetches Pyodide with npm; later ones need no network.
    Ctrl-C ends the server.
    """
    fields = command_fields()
    if write is not None:
        if port is not None or not browser:
            raise UsageFailure(f"--write shows no page, so it goes without {'--port' if port else '--no-browser'}")
        with made_folder(write):
            for path in write_site(write, fields):
                output_console().print(str(path))
        return
    if port is not None and port > MOST_PORT:
        raise UsageFailure(f"--port must be from 1 to {MOST_PORT}, got {port}")
    folder = site_folder(fields)
    try:
        with serving(folder, port or 0) as address:
            output_console().print(address)
            if browser:
                webbrowser.open(address)
            threading.Event().wait()
    except OSError as error:
        raise UsageFailure(f"cannot serve at port {port}: {error.strerror}") from error
    except KeyboardInterrupt:
        return
