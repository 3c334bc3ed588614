"""Hooks of MkDocs for the site: pages outside of ``docs``, and the pages that are made when it is built.

MkDocs loads this file by its path (``hooks`` in mkdocs.yml), and calls the functions named ``on_…``.
"""

import inspect
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.structure.files import File, Files
from runewire.cli import application
from runewire.commands import COMMANDS
from runewire.commands.configure import command_fields
from runewire_configurator.site import site_folder

from runewire_pages.part import README, ROOT

OUTSIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
           "LICENSE": "LICENSE.txt", "CITATION.cff": "CITATION.cff"}
"""Files of the checkout that pages link to, and their names in the site."""
CONFIGURATOR = "configure"
"""Folder of the configurator in the site."""
CHOOSER = "## Which core?"
"""Heading of the tables of cores in README.md."""
LINK = re.compile(r"(\]\()(docs/|(?:\.\./)*)([\w./-]+)")


def on_files(files: Files, config: Any) -> Files:
    """Add the files of `OUTSIDE`."""
    for name, place in OUTSIDE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        if name.endswith(".md"):
            text = LINK.sub(lambda link: f"{link[1]}{OUTSIDE.get(link[3], link[3])}", text)
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files of `OUTSIDE` lead to their places in the site. The first page gets README's tables of cores, the
    page of the command its contents."""
    if page.file.src_uri == "index.md":
        chooser = README.read_text(encoding="utf-8").partition(f"\n{CHOOSER}\n")[2].partition("\n## ")[0]
        chooser = LINK.sub(lambda link: f"{link[1]}{link[3]}", chooser)
        markdown = markdown.replace("\n## ", f"\n{CHOOSER}\n{chooser}\n## ", 1)
    if page.file.src_uri == "command.md":
        markdown = f"{markdown}\n{''.join(_commands())}"
    return LINK.sub(lambda link: (
        f"{link[1]}{link[2].removeprefix('../')}{OUTSIDE[link[3]]}" if link[3] in OUTSIDE else link[0]), markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Add the configurator. Raises ToolError where npm does not fetch what it needs."""
    shutil.copytree(site_folder(command_fields()), Path(config.site_dir) / CONFIGURATOR, dirs_exist_ok=True)


def _commands() -> Iterator[str]:
    """A section for each command, in Markdown."""
    group: Any = typer.main.get_command(application())
    context = group.make_context("runewire", [], resilient_parsing=True)
    for name, listed in COMMANDS.items():
        _, command, _ = group.resolve_command(context, [name])
        own = command.make_context(name, [], parent=context, resilient_parsing=True)
        usage = " ".join(["runewire", name, *command.collect_usage_pieces(own)])
        yield f"\n## `{name}`\n\n{inspect.cleandoc(command.help or '')}\n\n```text\n{usage}\n```\n\n"
        yield "| option | meaning |\n|---|---|\n"
        for parameter in command.params:
            if getattr(parameter, "hidden", False):
                continue
            yield f"| {_names(parameter)} | {_meaning(parameter)} |\n"
        yield "\n```sh\n" + "\n".join(listed.examples) + "\n```\n"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"*{parameter.make_metavar() if parameter.metavar is None else parameter.metavar}*"
    metavar = "" if parameter.is_flag else f" *{parameter.metavar or parameter.type.name.upper()}*"
    names = [*parameter.opts, *parameter.secondary_opts]
    return ", ".join(f"`{each}`" for each in names) + metavar.replace("|", "\\|")


def _meaning(parameter: Any) -> str:
    said = (getattr(parameter, "help", None) or "").replace("|", "\\|")
    default = parameter.default
    if getattr(parameter, "show_default", False) and default not in (None, False, ()) and not callable(default):
        said = f"{said} Default: `{default}`."
    return said
