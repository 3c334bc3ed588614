"""The rule of the grammar that a sequence of a text belongs to."""

from runewire_model import Encoding
from runewire_model.encodings.base import Rule


class RuleReader:
    """Finds the rule of a sequence: structure before value, as for the first error."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._rules = sorted(encoding.rules, key=lambda rule: -len(rule.classes))
        self._beginning: dict[int, list[Rule]] = {}

    def rule(self, units: list[int], start: int, total: int) -> Rule:
        """The rule of the sequence at ``start``, in a packet of ``total`` units, the last one perhaps incomplete."""
        if start == len(units):
            return next(rule for rule in self._rules if rule.ended == "inside" and not rule.classes)
        for rule in self._candidates(units[start]):
            stop = start + len(rule.classes)
            if stop <= len(units) and all(map(range.__contains__, rule.classes, units[start:stop])):
                if not rule.ended:
                    return rule
                if rule.ended == "end" and stop == total:
                    return rule
                if rule.ended == "inside" and stop == len(units) < total:
                    return rule
                if rule.ended == "unit" and stop < len(units) and units[stop] not in self._encoding.goes_on:
                    return rule
        raise AssertionError(f"no rule for {units[start : start + 4]}")  # the rules leave nothing out

    def _candidates(self, unit: int) -> list[Rule]:
        """The rules of sequences that begin with ``unit``, longest first."""
        if self._encoding.unit_bytes > 1:
            return [rule for rule in self._rules if rule.classes and unit in rule.classes[0]]
        if unit not in self._beginning:
            self._beginning[unit] = [rule for rule in self._rules if rule.classes and unit in rule.classes[0]]
        return self._beginning[unit]
