"""``runewire compare``."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn
from runewire_benchmark import datasheet
from runewire_benchmark.inputs import LARGE_BYTES, PACKET_BYTES, builtin, from_files, lengthened
from runewire_benchmark.lines import TEXT_BYTES, measure_lines
from runewire_benchmark.page import render as page
from runewire_benchmark.peer_registry import jobs_on_lines, peers
from runewire_benchmark.run import compare as run
from runewire_benchmark.run import measure_large
from runewire_benchmark.table import render as table

from ..completion import devices
from ..console import error_console, output_console
from ..files import write_bytes
from ..options import DatasheetFolder, at_least, whole_number, writable
from ..units import number_of_bytes
from ..usage_errors import UsageFailure


def compare(
    files: Annotated[list[Path] | None, typer.Argument(
        metavar="FILE", help="Texts in UTF-8.", show_default=False)] = None,
    builtin_texts: Annotated[bool, typer.Option(
        "--builtin", help="Measure the built-in texts, one a script.")] = False,
    lines: Annotated[bool, typer.Option(
        "--lines", help="Measure too a verdict on each line, and dropping the ill-formed ones: lines of 8, 32 and "
        "128 bytes and of a log, 512 KiB of each, with and without ill-formed ones.")] = False,
    large: Annotated[bool, typer.Option(
        "--large", help="Measure the fastest software also on 64 MiB of each text, which caches do not hold; a shorter "
        "file is repeated.")] = False,
    size: Annotated[str, typer.Option(
        metavar="BYTES",
        help="Bytes of each text, few enough for a cache; of a longer file this much is read.")] = "64K",
    repeat: Annotated[int, typer.Option(
        parser=at_least(3, whole_number), metavar="N", help="Samples of each measurement.")] = 9,
    target: Annotated[str, typer.Option(
        metavar="DEVICE", autocompletion=devices, help="Device whose placed and routed cores are shown.")] = "ecp5-85k",
    datasheet_folder: DatasheetFolder = None,
    json_file: Annotated[Path | None, typer.Option(
        "--json", metavar="FILE", show_default=False, callback=writable, help="Write all figures as JSON.")] = None,
    html: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False, callback=writable,
        help="Write a page with charts that needs no network.")] = None,
) -> None:
    """Measure software on texts, next to the modelled throughput of the cores.

    Clean text, text with an error a KiB and every 64 bytes; whole and in packets of 1500 bytes.
    """
    if bool(files) == builtin_texts:
        raise UsageFailure("give the texts as FILE… or ask for --builtin, one of the two")
    length = number_of_bytes(size)
    if length < PACKET_BYTES:
        raise UsageFailure(f"--size must be at least {PACKET_BYTES} bytes, got {size}")
    entries = datasheet.load(datasheet_folder)
    datasheet.check_target(entries, target)
    texts = builtin(length) if builtin_texts else from_files(files or [], length)
    with Progress(SpinnerColumn("line"), TextColumn("{task.description}"), console=error_console(), transient=True,
                  disable=not error_console().is_terminal) as progress:
        task = progress.add_task("warming up")

        def say(name: str) -> None:
            progress.update(task, description=f"measuring {name}")

        known = peers()
        comparison = run(texts, known, entries, target, repeat, say)
        if large:
            long = builtin(LARGE_BYTES) if builtin_texts else [
                lengthened(text, LARGE_BYTES) for text in from_files(files or [], LARGE_BYTES)]
            comparison = replace(comparison, large=measure_large(comparison, long, known, repeat, say))
        if lines:
            comparison = replace(comparison, lines=tuple(
                measure_lines(job, able, entries, target, repeat, TEXT_BYTES, say) for job, able in jobs_on_lines()))
    output_console().print(table(comparison))
    if json_file is not None:
        content = json.dumps(comparison.as_json(), indent=1, ensure_ascii=False)
        write_bytes(json_file, content.encode() + b"\n")
    if html is not None:
        write_bytes(html, page(comparison).encode())
