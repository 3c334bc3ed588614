"""Compact cores: how long they take, and the errors that they report at the end of what can be counted."""

import pytest
from runewire_model import CompactTiming
from runewire_rtl import parameters, timing
from runewire_sim import generated, simulate

REGISTERS = {
    ("validator",): (2, 2, 2, 2, 3), ("decoder", "sparse"): (2, 2, 2, 2, 3), ("decoder", "dense"): (2, 2, 3, 3, 3),
    ("encoder",): (3, 3, 3, 4, 4),
}
"""Registers from where a core need not look ahead to its output, of 1, 2, 4 … lanes."""


@pytest.mark.parametrize(("lanes", "core", "registers"), [
    pytest.param(1 << index, core, count, marks=[pytest.mark.slow] if index > 1 else [],
                 id=f"{'-'.join(core)}-{1 << index}")
    for core, counts in REGISTERS.items() for index, count in enumerate(counts)])
def test_latency_is_a_few_registers(lanes: int, core: tuple[str, ...], registers: int) -> None:
    name, *packing = core
    params = parameters(name, lanes=lanes, pipeline="compact", **dict(zip(["packing"], packing, strict=False)))
    time = timing(params)
    assert time == CompactTiming(int(name != "encoder"), registers)
    assert params.create().latency == time.latency


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.slow
def test_an_offset_that_does_not_fit_is_all_ones(lanes: int) -> None:
    """Faults of all distances around the end of what 16 bits hold, and far beyond, each before another."""
    params = parameters("validator", lanes=lanes, pipeline="compact", offset_bits=16)
    packets = [b"a" * at + wrong + b"aaa\xFF" for at in (65531, 65533, 65534, 65535, 65536, 65539)
               for wrong in (b"\xFF", b"\xE2\x82", b"\xF0\x90\x80", b"\xF4\x90\x80\x80")]
    packets += [b"a" * 140_000 + b"\xFF", b"\x80", b"a"]
    with simulate(generated(params), packets) as run:
        found = [result.error for result, _ in run.packets()]
    for packet, error in zip(packets, found, strict=True):
        wanted = params.compute(packet).error
        assert (error is None) == (wanted is None)
        if error is not None and wanted is not None:
            assert (error.kind, error.offset) == (wanted.kind, min(wanted.offset, 0xFFFF))
