"""Verilog (IEEE 1364-2005) that a person reads, out of a netlist: a module for each of the design's, memories apart.

What is used once is written where it is used; what is used more often has a name, after what it is part of. Registers
that load together share an always block. The text depends on the netlist alone, and on whether registers have initial
values; memories have none.
"""

from __future__ import annotations

import textwrap

from ..pipeline.stages import MARKER
from .memory_text import memory_kind, memory_text
from .module_writer import ModuleWriter
from .netlist import Design, Memory, Module
from .verilog_text import LINE, legal, natural

__all__ = ["write"]


def _comment(name: str, text: str) -> str:
    return textwrap.fill(f"{name}: {text}", LINE, initial_indent="// ", subsequent_indent="// ",
                         break_long_words=False, break_on_hyphens=False)


def write(design: Design, top: str, name: str, *, initial_values: bool = True) -> str:
    """The design as Verilog: its first module is called ``name``, and all below it begin with the name ``top``.

    ``initial_values``: whether registers have theirs; without them all start unknown. Memories always do.
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
        """Write the modules inside, then this one; modules that are alike are written once, those without ports never:
        all in them was constant, and none has an instance."""
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
