"""Pipelines of steps, and what all stages use: gates, counters, replicas, layout policies, roles of registers."""

from .broadcast import Broadcast, fan_out_tree
from .lanes import Lanes, remembered
from .pipeline import Pipeline, Timed, logic
from .plan import Plan
from .stage_function import stage

__all__ = ["Broadcast", "Lanes", "Pipeline", "Plan", "Timed", "fan_out_tree", "logic", "remembered", "stage"]
