"""The list of commands, `COMMANDS`: a command is an entry here and a function in a module of this package.

Only `pages` and `records` are in the room above, and only in a checkout: their entries have the full names of their
modules.
"""

import importlib.util
from collections.abc import Callable
from typing import NamedTuple

Command = Callable[..., int | None]
"""A Typer command function. It returns the exit status (None for 0) or raises UsageFailure.

The function's name is the command's name, its docstring the help. ValueError, OSError and ToolError become one line on
stderr, with exit status 2.
"""


class Listed(NamedTuple):
    """A command in the list. ``module``: imported when the command runs; a module of this package, or a full name.
    ``summary``: the first paragraph of its help. ``examples`` and ``pages``: the last part of its help."""

    module: str
    summary: str
    examples: tuple[str, ...]
    pages: tuple[str, ...]

    @property
    def full_module(self) -> str:
        """The module's full name."""
        return self.module if "." in self.module else f"{__name__}.{self.module}"


USE: dict[str, Listed] = {
    "generate": Listed(
        "generate", "Write a core as Verilog, with a JSON description and an instantiation template.",
        ("runewire generate decoder --lanes 8 -o build",
         "runewire generate validator --records 0A --count bad-records -o build",
         "runewire generate transcoder --from utf-8 --to utf-16le -o build",
         "runewire generate sanitizer --replacement 3F --package vivado,sdc -o build",
         "runewire generate --from-description build/runewire_decoder_x8.json -o again"),
        ("docs/interface.md", "docs/integration.md")),
    "simulate": Listed(
        "simulate", "Run a core's generated Verilog on FILE and compare each packet with the golden model.",
        ("runewire simulate decoder README.md",
         "runewire simulate validator log.txt --records 0A --results results.jsonl",
         "runewire simulate encoder --packets packets.hex --stall 0.3 --waves run.vcd"),
        ("docs/semantics.md", "docs/verification.md")),
    "explain": Listed(
        "explain", "Show how bits become bytes of UTF-8: groups, padding, the class of each byte, and why a bad one is "
                   "bad.",
        ("runewire explain 'E2 82 AC'", "runewire explain U+1F600 --json", "runewire explain 'F0 9F 98' --svg cut.svg"),
        ("docs/semantics.md",)),
    "plan": Listed(
        "plan", "Say which chip and which cores, one or several side by side, carry a line rate, from the datasheet "
                "and the cycle model.",
        ("runewire plan --rate 400G --ethernet", "runewire plan --rate 10G --core validator --target ecp5-85k",
         "runewire plan --rate 10G --ethernet --core filter --record-size 20..200",
         "runewire plan --rate 40G --core transcoder --from utf-8 --to utf-16le --json"),
        ("docs/throughput.md", "docs/datasheet.md")),
    "compare": Listed(
        "compare", "Measure software on texts, next to the modelled throughput of the cores.",
        ("runewire compare README.md", "runewire compare --builtin --html comparison.html"),
        ("docs/throughput.md",)),
    "conformance": Listed(
        "conformance", "Write a kit that tries any Unicode core, also another's: vectors, two benches, a port map, a "
                       "result page.",
        ("runewire conformance --write kit", "runewire conformance --write kit --encoding utf-8"),
        ("docs/conformance.md",)),
    "configure": Listed(
        "configure", "Choose, try and generate a core on a page in the browser.",
        ("runewire configure", "runewire configure --port 8080 --no-browser", "runewire configure --write public"),
        ("docs/configurator.md",)),
    "release": Listed(
        "release", "Write cores with all their packages, an example, a page and checksums, for use without Python.",
        ("runewire release -o release", "runewire release -o cores.zip --site build/site"),
        ("docs/integration.md", "docs/datasheet.md")),
}
"""Commands for users."""

DEVELOP: dict[str, Listed] = {
    "prove": Listed(
        "prove", "Prove cores against a byte-serial specification, for all inputs, and refute broken copies of them.",
        ("runewire prove decoder --lanes 2", "runewire prove --jobs 4 --json records/proofs.jsonl"),
        ("docs/verification.md", "docs/proofs.md")),
    "mutate": Listed(
        "mutate", "Break a core's netlist in one bit at a time, and see whether simulation finds out.",
        ("runewire mutate decoder --lanes 2 --mutants 100",), ("docs/test-records.md",)),
    "soak": Listed(
        "soak", "Send random packets through random cores under random stalls, as long as you like.",
        ("runewire soak --minutes 10", "runewire soak --pairs --resume soak.json"), ("docs/test-records.md",)),
    "coverage": Listed(
        "coverage", "Send each rule of the grammar through each lane, beat boundary and stall of a core, and count "
                    "what was seen.",
        ("runewire coverage decoder --lanes 2", "runewire coverage validator --lanes 4 --code"),
        ("docs/test-records.md", "docs/sign-off.md")),
    "sweep": Listed(
        "sweep", "Measure cores on devices, each next to its ceilings, and write the datasheet.",
        ("runewire sweep --cores decoder,encoder --lanes 4,8",
         "runewire sweep --cores validator --targets ice40-hx8k -o measured/rows"),
        ("docs/implementation.md", "docs/datasheet.md")),
    "synth": Listed(
        "synth", "Synthesise, place and route a core: its clock, area, latency and throughput on a device.",
        ("runewire synth decoder --lanes 8", "runewire synth validator --lanes 1 --target ice40-hx8k --json row.json"),
        ("docs/implementation.md", "docs/asic.md")),
    "board": Listed(
        "board", "Build a board's design, from source to bitstream, and load it.",
        ("runewire board", "runewire board icebreaker --build --load"), ("docs/boards.md",)),
    "datasheet": Listed(
        "sweep", "Write the datasheet's page and charts again, from the measurements in its folder.",
        ("runewire datasheet", "runewire datasheet -o measured/rows"), ("docs/implementation.md", "docs/datasheet.md")),
}
"""Commands for developers."""
if importlib.util.find_spec("runewire_pages"):
    DEVELOP["pages"] = Listed(
        "runewire_pages.command", "Check the generated tables and pictures of the project's pages, or write them.",
        ("runewire pages", "runewire pages --write latency", "runewire pages --measure cells"),
        ("docs/architecture.md",))
    DEVELOP["records"] = Listed(
        "runewire_pages.records.command", "Say which records of proofs, tests and measurements belong to the present "
                                          "design, and make the others again.",
        ("runewire records --status", "runewire records mutants", "runewire records proofs --night 8h --jobs 4"),
        ("docs/test-records.md", "docs/proofs.md"))

COMMANDS = {**USE, **DEVELOP}
"""All commands."""
PANELS = {"Use a core": USE, "Develop the project": DEVELOP}
"""The lists of commands, by their titles in the help."""
