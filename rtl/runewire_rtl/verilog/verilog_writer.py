"""Verilog writer (IEEE 1364-2005): readable text from a netlist, one module per module of the design and per memory.

An expression that is used once is written in place. One that is used more often has a name, derived from the signal
that it is part of. Registers that load together share an always block. The text depends on the netlist alone, and on
whether registers have initial values; memories have none.
"""

from __future__ import annotations

import textwrap

from ..pipeline.stages import MARKER
from .memory_text import memory_kind, memory_text
from .module_writer import ModuleWriter
from .netlist import Hierarchy, Memory, Module
from .verilog_text import LINE, legal, natural


def _comment(name: str, text: str) -> str:
    return textwrap.fill(f"{name}: {text}", LINE, initial_indent="// ", subsequent_indent="// ",
                         break_long_words=False, break_on_hyphens=False)


def write(design: Hierarchy, top: str, name: str, *, initial_values: bool = True) -> str:
    """The design as Verilog: its first module is called ``name``, and the names of all others begin with ``top``.

    ``initial_values``: whether registers have initial values. Without them all registers start unknown, as memories
    always do.
    """
    alive = design.alive()
    writers = {module: ModuleWriter(module, alive, initial_values) for module in design.modules}
    kinds: dict[Module, str] = {}
    parents = {instance.module: (writers[module], instance)
               for module in design.modules for instance in module.instances}
    for writer in writers.values():
        writer.writers, writer.kinds = writers, kinds
    for module, writer in writers.items():
        writer.name_ports(*parents.get(module, (None, None)))
        writer.name_words()
    for writer in writers.values():
        writer.settle()
    texts: dict[Module, str] = {}
    found: dict[tuple[str, str, str], str] = {}
    memories: dict[str, Memory] = {}

    def visit(module: Module) -> None:
        """Write the inner modules, then this one. Equal modules are written once. A module without ports is not
        written: all its contents were constant, and it has no instance."""
        for instance in module.instances:
            if writers[instance.module].ports:
                visit(instance.module)
        body = writers[module].body(top)
        marker = module.wires.get(MARKER)
        about = marker.attributes if marker else {}
        kind, text = str(about.get("kind", legal(module.name.rpartition(".")[2]))), str(about.get("text", ""))
        if module is design.modules[0]:
            kind = name[len(top) + 1 :]
        key = (kind, text, body)
        if key not in found:
            number = sum(each[0] == kind for each in found) + 1
            found[key] = kind if number == 1 else f"{kind}_v{number}"
            full = f"{top}_{found[key]}"
            texts[module] = f"{_comment(full, text)}\nmodule {full} {body}"
        kinds[module] = found[key]
        memories.update((memory_kind(memory), memory) for memory in module.memories
                        if not alive.isdisjoint(memory.read_data))

    visit(design.modules[0])
    blocks = [texts[module] for module in design.modules if module in texts]
    blocks += [memory_text(f"{top}_{kind}", memories[kind]) for kind in sorted(memories, key=natural)]
    return "\n".join(blocks)
