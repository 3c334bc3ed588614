"""The chain of a core's proof: each part, what it counts on, and who proves that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runewire_model import TranscoderParameters
from runewire_model.errors import ParameterError

from ..engines import Engine
from ..miter import Miter
from ..parts import PACKER, proofs
from ..proof import Proof
from .acceptance import acceptance
from .assumed import TAKEN, WORDS, Assumed, Inputs
from .conditions import inputs
from .joints import follows, no_stronger, shown_by_design, without_effect
from .opened import Joint, Opened, built
from .segment_suppliers import SUPPLIED, Supply
from .splitters import SUPPLIED as OF_SPLITTERS
from .suppliers import BY_NAME, PASSED_ON, SUPPLIERS, Proven
from .widened import verdict_of, widened

COMPLETE = {
    "wrapper": "the ports of the file, whatever is behind them: it assumes nothing",
    "reset": "the complete core from a reset on, compared with itself",
    "whole": "the complete core from port to port, on its own: no other part rests on it",
    "printing": "the file and the design that all other parts are cut from",
}
"""Parts that read the complete core."""

CONNECTION = {"whole_beats": ["bad_handshake", "bad_beat"], "one_tag": ["bad_handshake", "bad_beat", "bad_sidebands"]}
"""Assertions of part `connection` that pass a packer's rows on."""

OPEN_WITH_CONTEXTS = (
    "each of several flows has its state from part contexts, as the only flow of part text_end has it from a register",
)
"""Of a core with more flows than one."""
OPEN_WITH_FLOWS = (
    "values pass from part to part in as many cycles as both parts say",
    "the answer to a text is the sum of the answers to segments that end with a character",
    "queue, input stage, front end, back end, output, reset and ports",
)
"""Of every core with flows."""
OPEN_OF_SPLITTERS = ("buffers, sidebands, reset and ports",)
"""Of every splitter."""

ROWS = ("packing", "rows", "row")
"""Parts of which one proves how a packer's rows look."""


@dataclass(frozen=True)
class Link:
    """One line of the chain. ``gap``: what it says does not hold, or nobody proves it. ``simulated``: a part of it is
    simulated or argued, and the line says which."""

    text: str
    gap: bool = False
    simulated: bool = False


def chain(parameters: TranscoderParameters, engine: Engine) -> Iterator[Link]:
    """The chain of a core's proof, link by link. Each is decided again; that the parts are proven is not.

    Raises ParameterError for a filter, whose part has none to join, ToolError where the engine fails.
    """
    sidebands = parameters.sidebands
    if parameters.filters:
        raise ParameterError(f"the parts of {parameters} do not join: a filter has one, and all else is simulated")
    parts = {proof.name: proof for proof in proofs(parameters)}
    behind = parameters
    if parameters.packer is not None and not parameters.splits_bytes:
        packer = {name.removeprefix(PACKER): proof for name, proof in parts.items() if name.startswith(PACKER)}
        yield from _Group(parameters.packer, packer, parts, engine, PACKER).links()
        behind = replace(parameters, sidebands=replace(sidebands, null_bytes="end"))
    own = {name: proof for name, proof in parts.items() if not name.startswith(PACKER)}
    yield from _Group(behind, own, parts, engine, "").links()
    left = (*(OPEN_WITH_CONTEXTS if "contexts" in parts else ()),
            *(OPEN_WITH_FLOWS if sidebands.flows is not None else ()),
            *(OPEN_OF_SPLITTERS if parameters.splits_bytes else ()))
    yield from (Link(f"simulated or argued, not proven: {each}", simulated=True) for each in left)


class _Group:
    """The parts of one core, of the packer before it, or of all. ``every``: all parts by their full names."""

    def __init__(self, parameters: TranscoderParameters, parts: Mapping[str, Proof], every: Mapping[str, Proof],
                 engine: Engine, prefix: str) -> None:
        self._parameters = parameters
        self._parts = parts
        self._every = every
        self._engine = engine
        self._prefix = prefix
        self._opened: dict[str, Opened] = {}
        flows = parameters.sidebands.flows is not None and not prefix
        self._supplied = SUPPLIED if flows else OF_SPLITTERS if parameters.splits_bytes else {}
        wide = {name: widened(proof, parameters) for name, proof in parts.items()} if flows else {}
        self._wide = {name: proof for name, proof in wide.items() if proof is not None}

    def links(self) -> Iterator[Link]:
        """Each part after the other."""
        for name in self._parts:
            called = self._prefix + name
            if name in COMPLETE:
                yield Link(f"{called}: {COMPLETE[name]}")
                continue
            for link in self._of_part(name):
                # A gap is a line that says all.
                yield replace(link, text=f"{called}: {link.text.strip()}") if link.gap else link

    def _of_part(self, name: str) -> Iterator[Link]:
        """What a part assumes, and who proves each condition."""
        part = self._loaded(name)
        gets = inputs(part.miter, self._parameters)
        if gets is None:
            yield Link("nobody has said what it assumes of its inputs", gap=True)
            return
        if name in self._wide:
            verdict = verdict_of(self._wide[name], self._engine)
            if verdict == "proven":
                yield Link(f"{self._prefix}{name} also holds of beats that lack any bytes: proven here")
            else:
                said = f"it is proven of full beats alone; of beats that lack any bytes this is {verdict}"
                yield Link(said, gap=True)
        yield from self._assumes_no_more(name, part, gets)
        for assumed in gets.assumed:
            yield self._proven(f"  {assumed.said}:", assumed)
        for signal in gets.only_when:
            if signal in part.core["input"] and signal in part.joined:
                yield self._decided(without_effect(part, gets, signal), f"  {WORDS['idle']}, {signal}: its own design")

    def _loaded(self, name: str) -> Opened:
        if name not in self._opened:
            self._opened[name] = Opened.of(self._engine, built(self._wide.get(name, self._parts[name])))
        return self._opened[name]

    def _decided(self, joint: Joint, text: str) -> Link:
        verdict = joint.decided(self._engine).verdict
        return Link(text) if verdict == "proven" else Link(f"{text}: this is {verdict}", gap=True)

    def _assumes_no_more(self, name: str, part: Opened, gets: Inputs) -> Iterator[Link]:
        called = self._prefix + name
        joint, signals = no_stronger(part, gets)
        if joint.decided(self._engine).verdict == "proven":
            what = "nothing" if not gets.assumed else "no more than the following"
            yield Link(f"{called} assumes {what} of {', '.join(signals)}")
            return
        for signal in signals:
            alone, _ = no_stronger(part, gets, signal)
            verdict = alone.decided(self._engine).verdict
            if verdict != "proven":
                said = f"it assumes more of {signal} than it says, so nobody proves it: this is {verdict}"
                yield Link(said, gap=True)

    def _proven(self, says: str, assumed: Assumed) -> Link:
        """Who proves a condition. ``says``: the line so far."""
        condition = assumed.condition
        if assumed.key in self._supplied and (assumed.place != "packed" or "packed_beats" in self._parts):
            return self._together(says, assumed, self._supplied[assumed.key])
        if condition in BY_NAME:
            part, by = BY_NAME[condition]
            return self._named(says, part, by)
        if condition == "taken_if_accepted":
            return self._decided(acceptance(self._parameters), f"{says} the complete core")
        if condition == "whole_beats":
            return self._from_input(condition, says)
        texts = []
        for name, made in SUPPLIERS[condition]:
            if name in self._parts:
                link = self._by_part(says, name, made(self._loaded(name), assumed))
                if link.gap:
                    return link
                texts.append(link.text)
            elif name != "counters":
                return Link(f"{says} nobody proves it, as this core has no part {name}", gap=True)
        if condition in PASSED_ON:
            return self._from_input(condition, f"{says} {' and '.join(texts)}, and before it")
        return Link(f"{says} {' and '.join(texts)}")

    def _together(self, says: str, assumed: Assumed, supply: Supply) -> Link:
        """The parts of a core with flows that prove a condition, and what no part proves."""
        texts: list[str] = []
        for place, made in supply.by:
            name = place if place != TAKEN else "packed_beats" if "packed_beats" in self._parts else "extra_beats"
            if name not in self._parts:
                return Link(f"{says} nobody proves it, as this core has no part {name}", gap=True)
            link = self._by_part(says, name, made(self._loaded(name), assumed))
            if link.gap:
                return link
            texts.append(link.text)
        found = Link(f"{says} {' and '.join(texts)}".rstrip())
        if supply.before:
            found = self._from_input(supply.before, f"{found.text}, and before it")
        if supply.simulated and not found.gap:
            text = f"{found.text}{';' if texts else ''} simulated, not proven: {supply.simulated}"
            return replace(found, text=text, simulated=True)
        return found

    def _by_part(self, says: str, name: str, proven: Proven) -> Link:
        """A part of those that prove a condition together."""
        part = self._loaded(name)
        called = self._prefix + name
        missing = [each for each in proven.by if each not in part.ports["output"]]
        if missing:
            return Link(f"{says} {called} has no assertion {', '.join(missing)} any more", gap=True)
        if proven.by:
            joint, by = follows(part, proven.by, proven.wanted, proven.given, proven.says), ", ".join(proven.by)
        else:
            joint, by = shown_by_design(part, proven.wanted, proven.says), "its design"
        verdict = joint.decided(self._engine).verdict
        text = f"{called} ({by})"
        if verdict != "proven":
            return Link(f"{says} it does not follow from {text}: this is {verdict}", gap=True)
        return Link(text)

    def _from_input(self, condition: str, says: str) -> Link:
        """Who sends beats that keep to a condition: the core's user, or the packer before it."""
        before = {name: self._every[f"{PACKER}{name}"] for name in ROWS if f"{PACKER}{name}" in self._every}
        if self._prefix or not before:
            ways: dict[str, Sequence[str]] = {}
            if "wrapper" in self._every:
                ways["wrapper"] = PASSED_ON[condition]
            if self._prefix:
                ways["connection"] = CONNECTION[condition]
            through = " and ".join(f"{part} ({', '.join(by)})" for part, by in ways.items())
            gone = [each for part, by in ways.items() for each in _without(self._every[part].miter(None), by)]
            if gone:
                return Link(f"{says} no part passes it on: there is no assertion {', '.join(gone)} any more", gap=True)
            if "wrapper" in ways:
                return Link(f"{says} you, at s_axis, through {through}")
            if self._parameters.packer is not None:
                return Link(f"{says} simulated, not proven: the packer", simulated=True)
            ports = "the ports" if not ways else f"the ports before {through}"
            return Link(f"{says} you, at s_axis; simulated, not proven: {ports}", simulated=True)
        name = next(iter(before))
        part = Opened.of(self._engine, built(before[name]))
        proven = _rows_of_packer(part, condition)
        passes = CONNECTION[condition]
        gone = _without(self._every["connection"].miter(None), passes)
        if gone:
            return Link(f"{says} connection has no assertion {', '.join(gone)} any more", gap=True)
        text = f"{says} {PACKER}{name} ({', '.join(proven.by)}), through connection ({', '.join(passes)})"
        return self._decided(follows(part, proven.by, proven.wanted, proven.given, proven.says), text)

    def _named(self, says: str, name: str, by: Sequence[str]) -> Link:
        if name not in self._parts:
            return Link(f"{says} nobody proves it, as this core has no part {name}", gap=True)
        gone = _without(self._parts[name].miter(None), by)
        if gone:
            return Link(f"{says} {self._prefix}{name} has no assertion {', '.join(gone)} any more", gap=True)
        return Link(f"{says} {self._prefix}{name} ({', '.join(by)})")


def _without(miter: Miter, by: Sequence[str]) -> list[str]:
    """Assertions that the harness of the miter does not have as outputs."""
    text = miter.texts[f"{miter.harness}.v"]
    return [name for name in by if not re.search(rf"^ *output wire .*\b{name}\b", text, re.MULTILINE)]


def _rows_of_packer(part: Opened, condition: str) -> Proven:
    """The condition at the rows of a packer, whose part it is."""
    if part.miter.harness == "packing":
        go, last, keep = "core_metadata_enable", "core_metadata_data[0]", "core_keep_data"
        tag = f"core_metadata_data[{part.core['output']['metadata_data'] - 1}]"
        by = ["bad_metadata", "bad_row", "bad_push", "bad_late"]
    else:
        go, last, keep, tag = "core_offer && r_ready", "core_out_last", "core_out_keep", "core_out_tag"
        by = ["bad_advance", "bad_offer", "bad_items", "bad_last", "bad_tag"]
    ports = {"go": go, "last": last}
    if condition == "one_tag":
        return Proven([Assumed(condition, {**ports, "tag": tag}, {"WIDTH": 1})], by)
    return Proven([Assumed(condition, {**ports, "keep": keep},
                           {"BYTES": part.core["output"][keep.removeprefix("core_")]})], by)
