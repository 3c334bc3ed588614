"""The commands. `COMMANDS` is the list: a command is a line in it, and a function in a module here."""

from collections.abc import Callable

Command = Callable[..., int | None]
"""A Typer command function: it returns the exit status (None for 0) or raises UsageFailure.

The function's name is the command's, its docstring the help. ValueError, OSError and ToolError that leave it
become one line on stderr and exit status 2.
"""

COMMANDS: dict[str, tuple[str, str]] = {
    "generate": ("generate", "Write a core as Verilog, with a JSON description and an instantiation template."),
    "release": ("release", "Write every core of the datasheet with all its packages, a page and checksums, for use "
                           "without Python."),
    "simulate": ("simulate", "Run a core's generated Verilog on FILE and compare each packet with the golden model."),
    "explain": ("explain", "Show how bits become bytes of UTF-8: groups, padding, the class of each byte, and why a "
                           "bad one is bad."),
    "compare": ("compare", "Measure software on texts, and set the cores' modelled throughput beside it."),
    "plan": ("plan", "Say which cores, one or several side by side, carry a line rate, from the datasheet and the "
                     "cycle model."),
    "prove": ("prove", "Prove cores against a byte-serial specification, for all inputs, and refute broken copies of "
                       "them."),
    "synth": ("synth", "Synthesise, place and route a core: its clock, area, latency and throughput on a device."),
    "sweep": ("sweep", "Measure cores on devices, each beside its ceilings, and write the datasheet."),
    "datasheet": ("sweep", "Write the datasheet's page and charts again, from the measurements in its folder."),
    "board": ("board", "Build a board's design, from source to bitstream, and load it."),
    "soak": ("soak", "Send random packets through random cores under random stalls, as long as you like."),
    "coverage": ("coverage", "Send each rule of the grammar through each lane, beat boundary and stall of a core, and "
                             "count what was seen."),
    "mutate": ("mutate", "Break a core's netlist in one bit at a time, and see whether simulation finds out."),
}
"""The module of each command, imported when the command is run, and the first paragraph of its help."""
