"""Boards with text over a serial line: their whole Verilog, as it is synthesised, in a simulator, at their pins."""

import json
from collections.abc import Callable
from typing import Any

import pytest

PINS: dict[str, dict[str, Any]] = {
    "icebreaker": {
        "clock": ("clk12_0__io", 12e6), "button": ("button_0__io", 1), "error": ("led_r_0__io", 1),
        "lost": ("led_r_1__io", 0), **{f"kind {bit}": (f"led_g_{bit + 1}__io", 0) for bit in range(3)},
    },
    "ulx3s-85f": {
        "clock": ("clk25_0__io", 25e6), "button": ("button_fire_0__io", 0), "error": ("led_3__io", 0),
        "lost": ("led_4__io", 0), **{f"kind {bit}": (f"led_{bit}__io", 0) for bit in range(3)},
    },
}


@pytest.mark.icarus
@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), [("icebreaker", 120), ("ulx3s-85f", 40)])
def test_text_goes_through_the_board(name: str, size: int, simulate: Callable[..., None]) -> None:
    simulate(name, "bench_uart", {"RUNEWIRE_PINS": json.dumps(PINS[name]), "RUNEWIRE_BYTES": str(size)})
