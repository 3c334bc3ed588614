"""Pipelines of steps, and what all stages use: gates, counters, replicas, layout policies, roles of registers.

A pipeline of three lines that triples a number. With the plan ``BALANCED`` two steps share a cycle:

    >>> from amaranth.hdl import Module, Signal
    >>> from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan
    >>> m, valid, last, number = Module(), Signal(), Signal(), Signal(8)
    >>> pipeline = Pipeline(m, Plan.BALANCED, BeatFlags(valid, last))

    >>> once = pipeline.enter(number, "once")
    >>> twice = pipeline.step("twice", lambda once: once << 1, once)
    >>> sums = pipeline.step("sums", lambda once, twice: (once + twice)[:8], once, twice)

``sums`` needs ``once`` a step later than it enters; the pipeline delays it. So both belong to the same beat:

    >>> once.step, twice.step, sums.step
    (0, 1, 2)
    >>> pipeline.latency(sums.step)
    1

    >>> from amaranth.sim import Simulator
    >>> async def bench(ctx):
    ...     for value in (5, 7):
    ...         ctx.set(number, value)
    ...         await ctx.tick()
    ...         print(ctx.get(sums.at(2)))
    >>> simulator = Simulator(m)
    >>> simulator.add_clock(1e-6)
    >>> simulator.add_testbench(bench)
    >>> simulator.run()
    15
    21
"""

from .broadcast import Broadcast, fan_out_tree
from .lanes import Lanes, remembered
from .pipeline import BeatFlags, Pipeline, Timed, logic
from .plan import Plan
from .stage_function import stage

__all__ = [
    "BeatFlags", "Broadcast", "Lanes", "Pipeline", "Plan", "Timed", "fan_out_tree", "logic", "remembered", "stage",
]
