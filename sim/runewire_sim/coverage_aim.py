"""Packets that aim at goals of functional coverage."""

from random import Random

from runewire_model import TranscoderParameters
from runewire_model.encodings.base import Rule

from .coverage_goals import CoverageGoal, can_stall, error_free, fits, least, output_places, text_core, ways
from .line_coverage import AnyLineGoal, lines_for
from .record_coverage import RecordGoal, packet_with


class Aim:
    """Makes packets that meet a goal."""

    def __init__(self, parameters: TranscoderParameters, random: Random) -> None:
        self._core, self._parameters = parameters, text_core(parameters)
        self._encoding = self._parameters.reads
        self._random = random
        self._whole = error_free(self._parameters)
        self._ways = ways(self._parameters)

    def packet(self, goal: CoverageGoal | RecordGoal | AnyLineGoal) -> bytes:
        """A packet that meets the goal, given the right stalls."""
        if isinstance(goal, AnyLineGoal):
            return lines_for(self._core, goal, self._random)
        if isinstance(goal, RecordGoal):
            return packet_with(self._parameters, goal, self._random)
        random, lanes = self._random, self._parameters.lanes
        if goal.item is None:
            beats = random.randint(1, 2) if goal.later or (goal.later is None and random.random() < 0.5) else 0
            if goal.order and goal.order != self._encoding.orders[0].title:
                return self._ordered(goal, goal.lane + lanes * max(beats, 1))
            before = self._filling(goal.lane + lanes * beats)
        else:
            before = random.sample(way := self._ways[goal.lane, goal.item], len(way))
            if not can_stall(self._parameters, goal.stall, later=False):
                # Beats that change neither lane nor place.
                plain = next(rule for rule in self._whole if rule.units == 1)
                before = [plain] * (lanes * output_places(self._parameters)) + before
        units = [unit for rule in before for unit in self._text(rule)]
        units += self._units(goal.rule, goal.edge)
        if goal.rule.ended == "inside":
            return self._encoding.pack(units) + random.randbytes(random.randrange(1, self._encoding.unit_bytes))
        if goal.rule.ended != "end" and goal.at != -1:
            after = random.randint(goal.at is not None or goal.rule.ended == "unit", 3)
            units += [unit for rule in random.choices(self._whole, k=after) for unit in self._text(rule)]
        return self._encoding.pack(units)

    def _ordered(self, goal: CoverageGoal, size: int) -> bytes:
        """A packet in the goal's byte order, which begins with its mark and ``size`` units before the goal's rule."""
        (order,) = (order for order in self._encoding.orders if order.title == goal.order)
        (mark,) = order.byte_order_marks
        rules = [*self._filling(size - 1), goal.rule]
        after = [ord("A")] * (goal.rule.ended not in ("end", "inside"))
        inside = self._random.randbytes(1) if goal.rule.ended == "inside" else b""
        return mark + order.pack([unit for rule in rules for unit in self._units(rule)] + after) + inside

    def _filling(self, size: int) -> list[Rule]:
        """Rules of well-formed sequences of ``size`` units together."""
        rules: list[Rule] = []
        while size:
            rules.append(self._random.choice([rule for rule in self._whole if len(rule.classes) <= size]))
            size -= len(rules[-1].classes)
        return rules

    def _text(self, rule: Rule) -> list[int]:
        """A random sequence of the rule that is no error."""
        units = self._units(rule)
        return units if fits(self._parameters, self._encoding.pack(units)) else least(rule)

    def _units(self, rule: Rule, edge: tuple[int, int] | None = None) -> list[int]:
        chosen = [self._random.choice(values) for values in rule.classes]
        if edge is not None:
            chosen[edge[0]] = edge[1]
        return chosen
