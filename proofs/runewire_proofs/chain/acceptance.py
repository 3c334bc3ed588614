"""The input of a core with a buffer: beats are accepted only while the buffer accepts, and it counts each."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Fragment, Module, Value
from runewire_model import TranscoderParameters
from runewire_rtl.packing.packing import new_buffer
from runewire_rtl.transcoder import Transcoder

from ..feeding import BufferPorts
from ..ports import Ports
from .opened import Joint

TEXT = """module joint (
    input wire clk, input wire valid, input wire accept, input wire [REST-1:0] rest, output wire broken
);
    wire took, accepted, clear;
    dut core (.clk(clk), .rst(1'b0), .i_valid(valid), .i_rest(rest), .accept(accept), .took(took), .accepted(accepted),
              .clear(clear));
    reg before = 0;
    always @(posedge clk) before <= took;
    // While the buffer is cleared, it counts nothing, and nothing is taken.
    assign broken = (took && (!accept || clear)) || (!clear && accepted != before);
endmodule
"""


def acceptance(parameters: TranscoderParameters) -> Joint:
    """A core whose buffer is its ports: ``took`` says that the core takes a beat, ``accepted`` that its buffer
    counts one, ``clear`` that the buffer is cleared."""
    ports = Ports()
    made: list[BufferPorts] = []

    class Fed(BufferPorts):
        def elaborate(self, platform: object) -> Module:
            m = Module()
            made.append(self)
            m.d.comb += self.accept.eq(given)
            return m

    given = ports.new("accept", 1)
    core: Any = Transcoder(parameters)
    with new_buffer.replaced(lambda _: Fed):
        ports.m.submodules.core = Fragment.get(core, None)
    rest = ports.new("i_rest", len(Value.cast(core.i.payload)))
    ports.m.d.comb += [core.i.valid.eq(ports.new("i_valid", 1)), Value.cast(core.i.payload).eq(rest)]
    ports.show("took", core.taken.valid & core.taken.ready)
    ports.show("accepted", made[0].accepted)
    ports.show("clear", made[0].clear)
    return Joint(TEXT.replace("REST", str(len(rest))), [ports.cut().rtlil])
