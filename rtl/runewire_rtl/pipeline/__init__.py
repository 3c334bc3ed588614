"""Pipelines of steps, and what all stages use: gates, counters, replicas, layout policies, roles of registers."""

from .pipeline import Broadcast, Lanes, Pipeline, Plan, Timed, fan_out_tree, logic, remembered, stage

__all__ = ["Broadcast", "Lanes", "Pipeline", "Plan", "Timed", "fan_out_tree", "logic", "remembered", "stage"]
