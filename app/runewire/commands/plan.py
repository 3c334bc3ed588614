"""``runewire plan``."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.table import Table
from runewire_benchmark import datasheet
from runewire_model import ParameterError, TranscoderParameters
from runewire_model.core_options import core_parameters, core_words, option_words
from runewire_model.report import MOST_SIDE
from runewire_model.transcoder import option_text

from ..chip_choice import ChipPlan, chips_to_buy, entries_by_target, smallest_first
from ..completion import devices
from ..console import can_write, output_console
from ..files import input_bytes
from ..options import (
    CORE_NAMES,
    Checked,
    DatasheetFolder,
    Flows,
    From,
    NullBytes,
    RecordReport,
    Records,
    Rejects,
    Split,
    To,
    core_names,
)
from ..plan import ETHERNET_OVERHEAD, FULLEST, Option, RatePlan
from ..plan import plan as make_plan
from ..units import bits_per_second, packet_sizes
from ..usage_errors import UsageFailure

PACKETS = "64..1500"
FRAMES = "64..1518"
MEASURED = "measured/rows"
"""Folder of new measurements, as named in the advice to make them."""


def plan(
    rate: Annotated[str, typer.Option(
        metavar="RATE", show_default=False,
        help="Bits a second, such as 100G: of UTF-8, or of the input if no side is UTF-8.")],
    target: Annotated[str | None, typer.Option(
        metavar="DEVICE", autocompletion=devices, show_default=False,
        help="All cores of one device, such as ecp5-85k. If not given, the best cores of each device, smallest device "
        "first.")] = None,
    core: Annotated[str, typer.Option(
        metavar="CORE", autocompletion=core_names, help=f"{CORE_NAMES}.")] = "decoder",
    from_: From = None,
    to: To = None,
    encoding: Checked = None,
    flows: Flows = None,
    null_bytes: NullBytes = None,
    records: Records = None,
    record_report: RecordReport = None,
    split: Split = None,
    rejects: Rejects = None,
    packet_size: Annotated[str | None, typer.Option(
        metavar="FROM..TO", show_default=False,
        help="Bytes that packets may have; the worst size is planned for. If not given "
        f"{PACKETS}, with --ethernet {FRAMES}.")] = None,
    record_size: Annotated[str | None, typer.Option(
        metavar="FROM..TO", show_default=False,
        help="Splitter, filter, --split: bytes that records may have, delimiter included, in packets of whole records; "
        "the worst size is planned for. If not given, each packet is one record.")] = None,
    ethernet: Annotated[bool, typer.Option(
        "--ethernet", help="The rate is an Ethernet line's, and packets are its frames: each takes "
        f"{ETHERNET_OVERHEAD} bytes more (preamble and start 8, gap 12). Header and FCS count as bytes of the packet.",
    )] = False,
    text: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False,
        help="Plan for this text too, in packets of the largest size.")] = None,
    datasheet_folder: DatasheetFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Say which chip and which cores, one or several side by side, carry a line rate, from the datasheet and the cycle
    model.

    Exit status 0: they carry it in the worst case; 1: none do that have room on a device.
    """
    encodings = {"from_": from_, "to": to, "encoding": encoding}
    options = {"flows": flows, "null_bytes": null_bytes, "records": records, "record_report": record_report,
               "split": split, "rejects": rejects}
    asked = _asked(core, encodings, options)
    if flows is not None:
        from runewire_rtl.segments.support import check_flows  # takes its time

        check_flows(asked)
    sizes = packet_sizes(packet_size or (FRAMES if ethernet else PACKETS))
    record_sizes = None if record_size is None else _record_sizes(record_size, asked, sizes)
    line_rate = bits_per_second(rate)
    entries = datasheet.load(datasheet_folder)
    if target is not None:
        datasheet.check_target(entries, target)
    placed = entries_by_target(entries, asked, datasheet.targets(entries) if target is None else [target])
    if not placed:
        known = [] if target is None else datasheet.targets(datasheet.of_core(entries, asked, target))
        only = f", only on {', '.join(known)}" if known else ""
        raise UsageFailure(f"the datasheet has no {_named(asked)}{f' on {target!r}' if target else ''}{only}: "
                           f"measure it with `{_measuring(asked, target or 'ecp5-85k')}`, then plan with --datasheet "
                           f"{MEASURED}{_instead(entries, core, encodings, options, target)}")
    content = None
    if text is not None:
        with input_bytes(text) as view:
            content = bytes(view)
        if not content:
            raise UsageFailure(f"{text} is empty: there is nothing to plan for")
    overhead = ETHERNET_OVERHEAD if ethernet else 0
    plans = smallest_first(ChipPlan(name, make_plan(chosen, line_rate, sizes, content, overhead, record_sizes))
                           for name, chosen in placed.items())
    status = 0 if plans[0].best else 1
    if as_json:
        each = [{"target": chip.target, **chip.plan.as_json()} for chip in plans]
        print(json.dumps({"buy": [chip.target for chip in chips_to_buy(plans)], "chips": each} if target is None
                         else each[0], indent=2))
        return status
    console = output_console()
    if target is None:
        lines = [*_chip_recommendations(plans), None, _chip_table(plans, text), None, *_input(asked, record_sizes),
                 *_chip_sentences(plans)]
    else:
        found = plans[0].plan
        lines = [*_recommendations(found, target), None, _table(found, text), None, *_options(found, asked),
                 *_input(asked, record_sizes), *_sentences(found, text)]
    for line in lines:
        console.print(*([] if line is None else [line]))
    return status


def _asked(core: str, encodings: Mapping[str, Any], options: Mapping[str, Any]) -> TranscoderParameters:
    """The core that is asked for; with flows its ``tid`` has the bits that they need. Raises ParameterError."""
    flows = options.get("flows")
    bits = None if flows is None else min(MOST_SIDE, (flows - 1).bit_length())
    return core_parameters(core, **encodings, **options, id=bits)


def _record_sizes(text: str, asked: TranscoderParameters, packets: range) -> range:
    """The sizes of records. Raises UsageFailure for a core without packets of records, and for records too long."""
    if not (asked.splits or asked.filters):
        raise UsageFailure(f"--record-size goes with the splitter, the filter and --split, got {_named(asked)}")
    found = packet_sizes(text, "record_size")
    longest = asked.sidebands.longest
    if asked.filters and longest is not None and found[-1] > longest:
        raise UsageFailure(f"--record-size {text}: the filter rejects records of more than {longest} bytes")
    if found[-1] > packets[-1]:
        raise UsageFailure(f"--record-size {text}: a record ends with its packet, which has {packets[-1]} bytes at "
                           f"most; add --packet-size {packets[0]}..{found[-1]}")
    return found


def _instead(entries: Sequence[datasheet.Entry], core: str, encodings: Mapping[str, Any], options: Mapping[str, Any],
             target: str | None) -> str:
    """What can be planned from the datasheet instead: the core without one of the options, or without all."""
    given = [name for name, value in options.items() if value is not None]
    for left in [*([name] for name in given), given]:
        try:
            other = _asked(core, encodings, {name: options[name] for name in given if name not in left})
        except ParameterError:
            continue  # another option needs this one
        if entries_by_target(entries, other, datasheet.targets(entries) if target is None else [target]):
            flags = " and ".join(f"--{name.replace('_', '-')}" for name in left)
            own = "; the splitter is a core of its own, --core splitter" if "split" in left else ""
            return f". Without {flags} it has one{own}"
    return ""


def _gigabits(bits: float) -> str:
    return f"{bits / 1e9:.3g}" if bits < 999.5e9 else f"{bits / 1e9:.0f}"


def _kind(option: Option) -> str:
    """The core's name without its width and the options that all cores have in common."""
    entry = option.entry
    before, _, after = entry.name.removeprefix(f"{entry.lanes}-lane").rpartition(entry.title)
    return " ".join([*before.split(), *after.split()])


def _named(asked: TranscoderParameters) -> str:
    """The requested core in words: "decoder with flows 256, id 8"."""
    options = ", ".join(name.replace("_", "-") + ("" if value is True else f" {option_text(name, value)}")
                        for name, value in asked.unusual.items())
    return f"{datasheet.title(asked)}{' with ' * bool(options)}{options}"


def _options(found: RatePlan, asked: TranscoderParameters) -> list[str]:
    """The options of the datasheet's cores that were not requested but that all of them have."""
    if not all(datasheet.further_options(option.entry, asked) for option in found.options):
        return []
    title = found.options[0].entry.title
    return [f"The datasheet has no {title} without options. The name of each of these says which options it has."]


def _input(asked: TranscoderParameters, records: range | None) -> list[str]:
    """What the rates say about the input: packets of records, segments, packets with null bytes anywhere."""
    sentences = []
    if records is not None:
        sizes = f"{records[0]}" if len(records) == 1 else f"{records[0]} to {records[-1]}"
        sentences.append(f"The rates are of packets of whole records with {sizes} bytes each, delimiter included. Each "
                         "record begins a beat of its own.")
    elif asked.filters or asked.splits:
        sentences.append("The rates are of one record a packet. A record takes a cycle at least, so that a packet of "
                         "several short ones takes longer: add `--record-size`.")
    if asked.sidebands.rejects:
        sentences.append("The rates are of a sink that takes a beat of rejected records in each cycle.")
    if asked.sidebands.record_report:
        sentences.append("The rates are of at most one ill-formed record that ends in a beat, and of a sink that takes "
                         "the report's beat at once.")
    if asked.sidebands.flows is not None:
        sentences.append("Packets are segments. One that nearly fills its last beat takes a beat more, for the bytes "
                         "that are carried into it; the rates include it.")
    if asked.sidebands.null_bytes == "anywhere":
        sentences.append("The rates are of full beats: a null byte takes the place of a byte.")
    return sentences


def _measuring(core: TranscoderParameters, target: str) -> str:
    """The command that measures a core into `MEASURED`."""
    words = [f"--{word}" if word == "cores" else word for word in ("cores", *core_words(core))]
    return shlex.join(["runewire", "sweep", *words, "--lanes", str(core.lanes), *option_words(core.unusual),
                       "--targets", target, "--beside", "", "-o", MEASURED])


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _table(found: RatePlan, text: Path | None) -> Table:
    """One row per core; area and share cover all copies that the worst case needs."""
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    table.add_column("lanes", no_wrap=True, vertical="bottom")
    carries, lacks = ("✓", "✗") if can_write("✓✗") else ("yes", "no ")
    rates = ["worst,\nGbit/s", *(["text,\nGbit/s"] if text else [])]
    for heading in ["MHz", *rates, "cores", "LUT", "FF", "block\nRAM", "device\nfull", "latency,\nns"]:
        table.add_column(heading, justify="right", no_wrap=True)
    best = found.carrying
    for option in found.options:
        entry = option.entry
        carried = [option.worst_bits, *([] if option.text_bits is None else [option.text_bits])]
        resources = option.resources(option.copies)
        used = {resource.name: f"{resource.used}" for resource in resources}
        table.add_row(
            f"{entry.lanes} {_kind(option)}".rstrip(), f"{entry.clock_mhz:.0f}",
            *(f"{_gigabits(bits)} {carries if bits >= found.rate else lacks}" for bits in carried),
            f"{option.copies}", used["LUT"], used["FF"], used.get("block RAM", "–"),
            _percent(max((r.share for r in resources if r.share is not None), default=None)),
            f"{option.latency_ns:.0f}",
            style="bold" if option in best else "" if option.fits(option.copies) else "dim",
        )
    return table


def _cores(option: Option, copies: int) -> str:
    """A number of cores in words, with their clock."""
    name = option.entry.name if copies == 1 else f"{copies} × {option.entry.name} side by side"
    return f"{name} at {option.entry.clock_mhz:.0f} MHz"


def _luts(option: Option) -> str:
    return "an unknown number of" if option.entry.device_luts is None else f"{option.entry.device_luts:,}"


def _chip_recommendations(plans: Sequence[ChipPlan]) -> list[str]:
    """The chip to buy; then a smaller one whose clock limits are not all known."""
    rate, what = f"{_gigabits(plans[0].plan.rate)} Gbit/s", _packets(plans[0].plan)
    lines: list[str] = []
    for chip in chips_to_buy(plans):
        best, unknown = chip.shown, chip.shown.entry.unknown_limits
        lines.append(f"{'or' if lines else 'buy'}: {best.entry.device} ({chip.target}), {_luts(best)} look-up tables"
                     f"{', if its clock is what the tools say' * bool(unknown)}")
        lines.append(f"  {_cores(best, best.copies)} {'carries' if best.copies == 1 else 'carry'} "
                     f"{_gigabits(best.copies * best.worst_bits)} Gbit/s for {rate} in the worst case, "
                     f"{_worst(best, what)}")
    near = max((chip.plan.nearest for chip in plans), key=lambda option: option.worst_bits)
    if lines and near.worst_bits < plans[0].plan.rate:
        lines.append(f"No single core of the datasheet carries {rate}. Nearest is {_cores(near, 1)} on "
                     f"{near.entry.device}: {_gigabits(near.worst_bits)} Gbit/s with {_worst(near, what)}.")
    if not lines:
        lines = [f"buy: none. No chip of the datasheet has room for what carries {rate} in the worst case.",
                 f"  Nearest is {_cores(near, 1)} on {near.entry.device}: {_gigabits(near.worst_bits)} Gbit/s with "
                 f"{_worst(near, what)}."]
    return lines


def _chip_table(plans: Sequence[ChipPlan], text: Path | None) -> Table:
    """One row per chip: its best cores, or the single core that is nearest to the rate."""
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    table.add_column("--target", no_wrap=True, vertical="bottom")
    table.add_column("cores", vertical="bottom", min_width=24)
    for heading in ["MHz", "worst,\nGbit/s", *(["text,\nGbit/s"] if text else []), "LUT", "device\nfull",
                    "latency,\nns"]:
        table.add_column(heading, justify="right", no_wrap=True)
    carries, lacks = ("✓", "✗") if can_write("✓✗") else ("yes", "no ")
    buy = chips_to_buy(plans)
    for chip in plans:
        shown, entry = chip.shown, chip.shown.entry
        copies = shown.copies if chip.best else 1
        resources = shown.resources(copies)
        table.add_row(
            chip.target, entry.name if copies == 1 else f"{copies} × {entry.name}",
            f"{entry.clock_mhz:.0f}{' ?' * bool(entry.unknown_limits)}",
            f"{_gigabits(copies * shown.worst_bits)} {carries if chip.best else lacks}",
            *([] if shown.text_bits is None else [_gigabits(copies * shown.text_bits)]), f"{resources[0].used}",
            _percent(max((r.share for r in resources if r.share is not None), default=None)),
            f"{shown.latency_ns:.0f}", style="bold" if chip in buy else "" if chip.best else "dim")
    return table


def _chip_sentences(plans: Sequence[ChipPlan]) -> list[str]:
    sentences = ["Chips with the fewest look-up tables come first. Those without room for the rate come last, with "
                 "the core that is nearest to it. `--target` lists all cores of one chip."]
    unknown = list(dict.fromkeys(limit for chip in plans for limit in chip.shown.entry.unknown_limits))
    if unknown:
        sentences.append(f"?: no public document has a limit of this chip ({', '.join(unknown)}); its clock may be "
                         "lower.")
    several = any(chip.best and chip.best.copies > 1 for chip in plans)
    return [*_line(plans[0].plan), *sentences, *_several(several, plans[0].plan)]


def _recommendations(found: RatePlan, target: str) -> list[str]:
    """The core to take; then one of the other packing, whose output has holes."""
    rate, what = f"{_gigabits(found.rate)} Gbit/s", _packets(found)
    carrying = sorted(found.carrying, key=lambda option: option.entry.packing == "sparse")
    lines: list[str] = []
    for option in carrying:
        luts = option.resources(option.copies)[0]
        share = "" if luts.share is None else f", {_percent(luts.share)} of the {option.entry.device}"
        needs = f" (it needs {option.needed_mhz:.0f} MHz)" if option.copies == 1 else ""
        lines.append(f"{'or' if lines else 'recommended'}: {_cores(option, option.copies)}, {luts.used} LUT{share}")
        carried = _gigabits(option.copies * option.worst_bits)
        lines.append(f"  carries {carried} Gbit/s for {rate}{needs} in the worst case, "
                     f"{_worst(option, what)}")
    if not carrying:
        near = found.nearest
        full = max(near.resources(near.copies), key=lambda resource: resource.share or 0)
        lines += [
            f"recommended: none. Nothing that has room on {target} carries {rate} in the worst case.",
            f"  Nearest is {_cores(near, 1)}: {_gigabits(near.worst_bits)} Gbit/s with "
            f"{_worst(near, what)}.",
            f"  It would need {near.needed_mhz:.0f} MHz, or {near.copies} of it, with {_percent(full.share)} of the "
            f"device's {full.name}; above {100 * FULLEST:.0f} % the clock is in doubt.",
        ]
    return lines


def _worst(option: Option, what: str) -> str:
    """The worst case of a core in words. ``what``: packets or frames."""
    if option.worst_record is not None:
        return f"all records of {option.worst_record} bytes"
    return f"all {what} of {option.worst_packet} bytes"


def _packets(found: RatePlan) -> str:
    return "frames" if found.overhead else "packets"


def _sentences(found: RatePlan, text: Path | None) -> list[str]:
    what = _packets(found)
    carrying = found.carrying
    sentences = _line(found)
    several = any(option.copies > 1 for option in carrying)
    if text is not None:
        known = [(option.entry, option.copies) for option in carrying]
        along = [(option, option.text_copies or 1) for option in found.carrying_text]
        for_text = f"For {text.name} in {what} of {found.packets[-1]} bytes"
        sentences += [
            f"{for_text}, {_cores(option, copies)} {'carries' if copies == 1 else 'carry'} "
            f"{_gigabits(copies * (option.text_bits or 0))} Gbit/s."
            for option, copies in along if (option.entry, copies) not in known
        ]
        if not along:
            sentences.append(f"{for_text}, nothing that has room carries it either.")
        elif all((option.entry, copies) in known for option, copies in along):
            sentences.append(f"{for_text}, it takes the same.")
        several = several or any(copies > 1 for _, copies in along)
    return [*sentences, *_several(several, found)]


def _line(found: RatePlan) -> list[str]:
    """What the rates count, if the rate is of a line with gaps."""
    if not found.overhead:
        return []
    return [f"Rates are of the line: a frame of {found.packets[-1]} bytes, header and FCS among them, takes "
            f"{found.packets[-1] + found.overhead}. If only a part of it goes to the cores, they have less to do."]


def _several(several: bool, found: RatePlan) -> list[str]:
    """How to use several cores, if there are."""
    if not several:
        return []
    if found.options[0].entry.parameters.sidebands.flows is not None:
        return ["Cores side by side share the flows: all segments of a flow go to the same core, which has its "
                "context. The rates are those of flows with equal shares. Dispatcher and queues are not in these "
                "figures."]
    return [f"Cores side by side take whole {_packets(found)}, none of which is split: each goes to the core with the "
            "fewest beats waiting, or to each in turn where all are of one size. A queue of "
            f"{2 * found.packets[-1]} bytes, two of the largest, is enough before each core. Where order counts, "
            "results are collected in the order of handing out. Dispatcher and queues are not in these figures."]
