"""``runewire plan``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table
from runewire_model.parameters import CORES

from .. import datasheet
from ..console import output_console
from ..failure import UsageFailure
from ..files import input_bytes
from ..options import DatasheetFolder
from ..plan import Option, Plan
from ..plan import plan as make_plan
from ..units import bits_per_second, packet_sizes


def plan(
    rate: Annotated[str, typer.Option(help="Bits of UTF-8 a second, such as 100G.", show_default=False)],
    target: Annotated[str, typer.Option(help="Device, such as ecp5-85k.")] = "ecp5-85k",
    core: Annotated[str, typer.Option(help="validator, decoder or encoder.")] = "decoder",
    packet_size: Annotated[str, typer.Option(
        metavar="FROM..TO", help="Bytes that packets may have; the worst size is planned for.")] = "64..1500",
    text: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False,
        help="Plan for this text too, in packets of the largest size.")] = None,
    datasheet_folder: DatasheetFolder = None,
) -> int:
    """Say which lanes and clock carry a line rate, from the datasheet and the cycle model.

    Exit status 0: a core carries it in the worst case; 1: none does.
    """
    if core not in CORES:
        raise UsageFailure(f"--core must be one of {', '.join(CORES)}, got {core!r}")
    sizes = packet_sizes(packet_size)
    bits = bits_per_second(rate)
    entries = datasheet.load(datasheet_folder)
    placed = [entry for entry in entries if entry.core == core]
    chosen = [entry for entry in placed if entry.target == target]
    if not chosen:
        known = datasheet.targets(placed)
        raise UsageFailure(
            f"the datasheet has no {core} on {target!r}" + (
                f", only on {', '.join(known)}" if known
                else f": make figures with `runewire sweep`, or `runewire synth {core} --json`"
            )
        )
    content = None
    if text is not None:
        with input_bytes(text) as view:
            content = bytes(view)
        if not content:
            raise UsageFailure(f"{text} is empty: there is nothing to plan for")
    found = make_plan(chosen, bits, sizes, content)
    console = output_console()
    console.print(_table(found, text))
    for sentence in _sentences(found, target, text):
        console.print(sentence)
    return 0 if found.carrying else 1


def _gigabits(bits: float) -> str:
    return f"{bits / 1e9:.3g}"


def _kind(option: Option) -> str:
    """Packing and pipeline: what a user chooses beside the width."""
    chosen = (option.entry.packing, option.entry.pipeline)
    return " ".join(choice for choice in chosen if choice and choice != "fast")


def _table(found: Plan, text: Path | None) -> Table:
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    table.add_column("lanes", no_wrap=True)
    along = ["text, Gbit/s"] if text else []
    for heading in ["MHz", "needed", "worst, Gbit/s", *along, "LUT", "of device", "latency, ns"]:
        table.add_column(heading, justify="right")
    for option in found.options:
        entry = option.entry
        share = option.device_share
        carried = [option.worst_bits, *([] if option.text_bits is None else [option.text_bits])]
        table.add_row(
            f"{entry.lanes} {_kind(option)}".rstrip(), f"{entry.clock_mhz:.0f}", f"{option.needed_mhz:.0f}",
            *(f"{_gigabits(bits)} {'✓' if bits >= found.rate else '✗'}" for bits in carried),
            f"{entry.luts}", "–" if share is None else f"{100 * share:.1f} %", f"{option.latency_ns:.0f}",
            style="" if option.worst_bits >= found.rate else "dim",
        )
    return table


def _core(option: Option) -> str:
    entry = option.entry
    share = option.device_share
    fraction = "" if share is None else f", {100 * share:.1f} % of the {entry.device}"
    return (
        f"the {entry.name} at {entry.clock_mhz:.0f} MHz ({entry.luts} LUT{fraction}; latency "
        f"{entry.latency_cycles} cycles, {option.latency_ns:.0f} ns)"
    )


def _sentences(found: Plan, target: str, text: Path | None) -> list[str]:
    rate = f"{_gigabits(found.rate)} Gbit/s"
    carrying = found.carrying
    sentences = [
        f"In the worst case, all packets of {option.worst_packet} bytes, {_core(option)} carries "
        f"{_gigabits(option.worst_bits)} Gbit/s; for {rate} it needs {option.needed_mhz:.0f} MHz."
        for option in carrying
    ]
    if not carrying:
        near = found.nearest
        sentences.append(
            f"Nothing carries {rate} on {target} in the worst case. Nearest comes {_core(near)}: "
            f"{_gigabits(near.worst_bits)} Gbit/s with all packets of {near.worst_packet} bytes. It would "
            f"need {near.needed_mhz:.0f} MHz."
        )
    if text is not None:
        along = found.carrying_text
        what = f"For {text.name} in packets of {found.packets[-1]} bytes"
        sentences += [
            f"{what}, {_core(option)} carries {_gigabits(option.text_bits or 0)} Gbit/s."
            for option in along if option not in carrying
        ]
        if not along:
            most = max(found.options, key=lambda option: option.text_bits or 0)
            sentences.append(
                f"{what}, nothing carries it: the {most.entry.name} comes to "
                f"{_gigabits(most.text_bits or 0)} Gbit/s."
            )
        elif all(option in carrying for option in along):
            sentences.append(f"{what}, it takes the same.")
    return sentences
