"""Every generated part of the pages, and every measurement. A further module of parts is a line in `MODULES`."""

from . import (
    block_symbol,
    cells_table,
    checks_table,
    comparison,
    core_pages,
    core_table,
    cost_table,
    ethernet_table,
    goals_table,
    latency_table,
    layouts_table,
    printing_table,
    segments_picture,
    simulation_speed,
    synthesis_table,
    test_plan,
    timing_diagrams,
    trap_table,
    tuser_table,
    verification,
    verification_summary,
)
from .part import GeneratedFile, Measurement

MODULES = (block_symbol, segments_picture, core_table, cost_table, goals_table, core_pages, tuser_table, ethernet_table,
           checks_table, comparison, synthesis_table, cells_table, layouts_table, simulation_speed, latency_table,
           trap_table, timing_diagrams, test_plan, verification, printing_table,
           verification_summary)
PARTS: tuple[GeneratedFile, ...] = tuple(part for module in MODULES for part in module.GENERATED)
"""In the order in which they are made; what takes long comes last."""
NAMES = tuple(dict.fromkeys(part.name for part in PARTS))
MEASUREMENTS: dict[str, Measurement] = {
    each.name: each for module in (comparison, synthesis_table, cells_table, layouts_table, simulation_speed)
    for each in module.MEASUREMENTS}
"""By name."""
