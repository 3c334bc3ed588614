"""Faults: each rule has one, each is in the design, and none needs more of the cores than their cut points."""

import ast
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
import runewire_proofs
import runewire_rtl
from runewire_model import DecoderParameters, TranscoderParameters, ValidatorParameters
from runewire_proofs import Engine, Proof, run
from runewire_proofs.faults import Mutant, changed, step, tied
from runewire_proofs.proof import broken_copy
from runewire_rtl.buffer.output_buffer import enough

PartOf = Callable[[TranscoderParameters, str], Proof]


@pytest.mark.parametrize(("parameters", "titles"), [
    (ValidatorParameters(lanes=8), {"surrogates are accepted", "overlong forms after E0 are accepted",
                                    "overlong forms after F0 are accepted", "F5 to F7 are accepted",
                                    "history is not cleared at a packet's end", "the last lane's keep is ignored",
                                    "the offset is off by one in the second beat"}),
    (DecoderParameters(lanes=8), {"one replacement too many at a beat's end",
                                  "a stall loses the row behind the one that waits"}),
])
def test_every_rule_has_its_mutant(parameters: TranscoderParameters, titles: set[str], part_of: PartOf) -> None:
    named = [mutant.title for part in ("window", "packing", "buffer") for mutant in part_of(parameters, part).mutants]
    assert titles <= set(named)
    assert len(named) == len(set(named))


def fault(proof: Proof, title: str) -> Mutant:
    (mutant,) = (mutant for mutant in proof.mutants if mutant.title == title)
    return mutant


def test_a_mutant_without_a_target_is_refused(part_of: PartOf) -> None:
    proof = part_of(DecoderParameters(lanes=2), "packing")
    sound = proof.miter(None)
    with pytest.raises(LookupError, match="no register is called gone"):
        broken_copy(proof, tied("a register is gone", "gone", 0), sound)
    with pytest.raises(LookupError, match="no step is called row_moves"), fault(proof, "rows do not move on").broken():
        pass


@pytest.mark.parametrize("mutant", [
    Mutant("nothing"), Mutant("nothing", broken=lambda: nullcontext()),
    step("nothing", "row_moves", lambda function: function),
    changed("nothing", enough, lambda sound: sound),
], ids=["not even said", "said", "a step is itself", "a cut point is itself"])
def test_a_mutant_that_changes_nothing_is_refused(mutant: Mutant, part_of: PartOf) -> None:
    proof = part_of(DecoderParameters(lanes=2), "packing")
    sound = proof.miter(None)
    with pytest.raises(LookupError, match="'nothing' of part packing leaves the design as it was"):
        broken_copy(proof, mutant, sound)
    assert broken_copy(proof, fault(proof, "rows do not move on"), sound).netlist != sound.netlist


@pytest.mark.needs("berkeley-abc")
def test_a_run_stops_at_a_mutant_that_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, part_of: PartOf,
) -> None:
    parameters = ValidatorParameters(lanes=1, pipeline="compact")
    skid = replace(part_of(parameters, "skid"), mutants=[Mutant("nothing")])
    monkeypatch.setattr(import_module("runewire_proofs.run"), "proofs", lambda parameters: [skid])
    records = run(parameters, engine, parts=["skid"])
    assert next(records).good
    with pytest.raises(LookupError, match="leaves the design as it was"):
        next(records)


OWN = ("self", "cls")
MOCKS = ("unittest", "mock")
PRIVATE_TO_AMARANTH = {"_lhs_signals"}
"""Names of Amaranth that have no public counterpart."""
PROOFS = Path(runewire_proofs.__path__[0])


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_private(name: str) -> bool:
    return name.startswith("_") and name.isidentifier() and name.strip("_") != "" and not name.startswith("__")


def of_classes(tree: ast.AST) -> set[str]:
    """Private names of a module's classes: their methods, and attributes of ``self``."""
    found = {inside.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
             for inside in node.body if isinstance(inside, ast.FunctionDef)}
    found |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
              and isinstance(node.value, ast.Name) and node.value.id in OWN}
    return {name for name in found if is_private(name)}


def reached(tree: ast.AST) -> set[str]:
    """What a module takes past the front door of others: their private names, and means to replace parts of them."""
    found: set[str] = set()
    # Parts of a text with fields, as of the name of a port, are no names.
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=owner)) if owner in OWN:
                pass
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)) if is_private(name) and id(node) not in parts:
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                modules = [getattr(node, "module", None) or "", *(alias.name for alias in names)]
                found |= {name for name in modules if is_private(name) or name.partition(".")[0] in MOCKS}
    return found


RTL_PRIVATES = set().union(*(of_classes(parsed(path)) for path in Path(runewire_rtl.__path__[0]).rglob("*.py")))


@pytest.mark.parametrize("module", sorted(PROOFS.rglob("*.py")), ids=lambda path: path.relative_to(PROOFS).as_posix())
def test_proofs_reach_the_cores_by_cut_points_alone(module: Path) -> None:
    tree = parsed(module)
    assert reached(tree) <= PRIVATE_TO_AMARANTH
    assert not of_classes(tree) & RTL_PRIVATES


@pytest.mark.parametrize(("source", "found"), [
    ("from unittest.mock import patch", {"unittest.mock"}), ("import unittest.mock as m", {"unittest.mock"}),
    ("from unittest import mock", {"unittest", "mock"}),
    ("from runewire_rtl.input.input_stage import _taken", {"_taken"}), ("buffer._credits(m)", {"_credits"}),
    ("patched(input_stage, '_stage')", {"_stage"}), ("self._mine = 1", set()), ("from . import parts", set()),
])
def test_a_private_name_is_seen(source: str, found: set[str]) -> None:
    assert reached(ast.parse(source)) == found


def test_a_private_method_that_is_overridden_is_seen() -> None:
    assert of_classes(ast.parse("class Open(OutputBuffer):\n    def _group(self): ...")) & RTL_PRIVATES
