"""Mutants: each has one fault; the trials find it, or the comparison proves that no input can."""

import re
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from runewire_jobs.errors import ToolError
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters, parameters
from runewire_model.report import Sidebands
from runewire_proofs import Engine
from runewire_sim import SimulationError
from runewire_sim.mutation import (
    Asked,
    MutationRecord,
    equivalence,
    fates,
    judged,
    netlist,
    netlist_probes,
    score,
    sound,
)
from runewire_sim.mutation import trials as mutation_trials
from runewire_sim.mutation.equivalence import MutantComparison, comparison
from runewire_sim.mutation.netlist import Mutated, jumps, mutated, mutated_at
from runewire_sim.mutation.trials import KILLS, NULL_BYTES, Trial, core_trials, kill

PARAMETERS = ValidatorParameters(1)
MUTANTS = 40

pytestmark = pytest.mark.needs("berkeley-abc")


@pytest.fixture(scope="module")
def core() -> Mutated:
    return mutated(PARAMETERS, MUTANTS, 1, Engine.find())


def first_trials(parameters: TranscoderParameters) -> dict[str, Trial]:
    """The first trial of each name, up to the resets."""
    found: dict[str, Trial] = {}
    for trial in core_trials(parameters, 1):
        if trial.name in found:
            return found
        found[trial.name] = trial
    raise AssertionError("no name comes twice")


@pytest.fixture(scope="module")
def trials() -> dict[str, Trial]:
    return first_trials(PARAMETERS)


@pytest.fixture(scope="module")
def side_by_side(core: Mutated) -> Iterator[MutantComparison]:
    with comparison(core, Engine.find()) as found:
        yield found


@pytest.fixture
def only_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparisons that include the memories find no difference."""
    monkeypatch.setattr(equivalence, "SHORT", ())
    monkeypatch.setattr(equivalence, "LONG", ())


@pytest.fixture(scope="module")
def record() -> MutationRecord:
    """All mutants, judged."""
    record = MutationRecord.begin(PARAMETERS, 1)
    for fate in fates(PARAMETERS, MUTANTS, 1, Engine.find(), 60):
        record.add(fate)
    return record


def test_each_mutant_is_a_fault_of_its_own(core: Mutated) -> None:
    assert len(core.mutations) == MUTANTS
    assert {mutation.mode for mutation in core.mutations} == {"inv", "const0", "const1", "cnot0", "cnot1"}
    assert {mutation.cell for mutation in core.mutations} >= {"dff", "mux"}
    assert not [mutation for mutation in core.mutations if mutation.port in netlist.LEFT_ALONE]
    # What turns a register over whose first value is 1 stands nowhere in the Verilog.
    assert {mutation.cell for mutation in core.mutations if not mutation.code} <= {"xor"}


def test_another_seed_makes_other_mutants(core: Mutated) -> None:
    assert mutated(PARAMETERS, MUTANTS, 1, Engine.find()) == core
    assert mutated(PARAMETERS, MUTANTS, 2, Engine.find()).mutations != core.mutations


def test_more_mutants_than_places_are_refused() -> None:
    with pytest.raises(SimulationError, match="runewire_validator_x1 has no 1000000 places for a mutation"):
        mutated(PARAMETERS, 1_000_000, 1, Engine.find())


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [
    DecoderParameters(2), DecoderParameters(1, packing="sparse"), EncoderParameters(1, "drop"),
    ValidatorParameters(1, "compact"), EncoderParameters(1, pipeline="compact"), DecoderParameters(1, bom="add"),
    DecoderParameters(1, bom="add", pipeline="compact"),
], ids=repr)
def test_the_first_trials_kill_most_mutants_and_pass_the_sound_core(parameters: TranscoderParameters) -> None:
    core = mutated(parameters, 20, 3, Engine.find())
    trials = first_trials(parameters)
    assert set(trials) == {"flowing", "one error", "pauses", "waits", "gaps", "far into packets", "no reset",
                           "reset amid packets"}
    assert [name for name, trial in trials.items() if kill(core.design, trial, 0) is not None] == []
    kills = [next(filter(None, (kill(core.design, trial, number) for trial in trials.values())), "")
             for number in range(1, 21)]
    assert kills.count("") <= 6
    assert set(kills) - {""} <= set(KILLS)


@pytest.mark.slow
@pytest.mark.parametrize("core", [parameters("packer", lanes=2), ValidatorParameters(1, null_bytes="anywhere")],
                         ids=repr)
def test_the_trials_of_a_core_with_null_bytes_anywhere_send_some(core: TranscoderParameters) -> None:
    """Without them nothing shows that a null byte is removed."""
    broken = mutated(core, 20, 3, Engine.find())
    trials = first_trials(core)
    assert {*NULL_BYTES} < {*trials}
    assert [name for name, trial in trials.items() if kill(broken.design, trial, 0) is not None] == []
    kills = [next(filter(None, (kill(broken.design, trial, number) for trial in trials.values())), "")
             for number in range(1, 21)]
    assert kills.count("") <= 6
    full = trials["null bytes"]
    assert kill(broken.design, replace(full, stalls=replace(full.stalls, holes=0)), 0) == "cycles"


def test_each_byte_that_begins_a_wrong_sequence_is_sent_in_each_lane() -> None:
    """Regression: F6 and F7 were never sent, and a core that took them for well-formed survived."""
    trial = next(trial for trial in core_trials(ValidatorParameters(lanes=4), 1) if trial.name == "one error")
    for lead, lane in product((0xC0, 0xC1, *range(0xF5, 0x100)), range(4)):
        assert any(packet[:lane + 1] == b"a" * lane + bytes([lead]) for packet in trial.packets), (hex(lead), lane)


def test_all_that_is_wrong_kills(core: Mutated, trials: dict[str, Trial]) -> None:
    """The expected values are changed instead of the core."""
    trial = trials["pauses"]

    def changed(index: int, **fields: object) -> Trial:
        expected = list(trial.expected)
        expected[index] = replace(expected[index], **fields)
        return replace(trial, expected=expected)

    there = trial.expected[7]
    late = there.cycles._replace(last_out=there.cycles.last_out + 1)
    assert kill(core.design, trial, 0) is None
    assert kill(core.design, changed(7, output=there.output + b"x"), 0) == "output"
    assert kill(core.design, changed(-1, output=b"\0" + trial.expected[-1].output[1:]), 0) == "output"
    assert kill(core.design, changed(7, end=there.end._replace(tuser=there.end.tuser ^ 1)), 0) == "report"
    assert kill(core.design, changed(7, cycles=late), 0) == "cycles"
    assert kill(core.design, replace(trial, expected=trial.expected[:-1]), 0) == "output"


def test_what_the_design_is_told_matters(core: Mutated, trials: dict[str, Trial]) -> None:
    far, dirty = trials["far into packets"], trials["reset amid packets"]
    assert kill(core.design, replace(far, plus=far.plus[:1]), 0) == "report"
    # A core with random initial values and without a reset opens too early or too late.
    assert kill(core.design, replace(trials["no reset"], plus=("+held=0",)), 0) == "protocol"
    # Noise for longer than a core may take to start.
    assert kill(core.design, replace(dirty, plus=("+dirty=2000",)), 0) == "cycles"
    assert kill(core.design, replace(trials["flowing"], plus=("+limit=100",)), 0) == "hang"


@pytest.mark.parametrize("parameters", [ValidatorParameters(1), DecoderParameters(4), EncoderParameters(2)], ids=repr)
def test_jumps_reach_every_carry_of_the_beat_counter(parameters: TranscoderParameters) -> None:
    """From each value of the four bits, with all bits below set but for those that a packet counts itself."""
    width = 32 - parameters.lanes.bit_length() + 1
    for low in range(8, width, 4):
        below = (1 << low) - 256
        values = {jump >> low & 15 for jump in jumps(parameters) if jump & (1 << low) - 1 == below}
        assert values == set(range(1 << min(4, width - low)))


@pytest.mark.slow
def test_no_mutant_survives_that_can_be_told_from_the_sound_core(record: MutationRecord) -> None:
    assert record.mutants == MUTANTS
    assert set(record.killed) <= set(KILLS)
    assert sum(record.killed.values()) > 0.8 * MUTANTS
    assert [fate for fate in record.survived if fate.verdict == "different"] == []
    assert record.score > 0.95
    assert MutationRecord.of(record.json()) == record


SHOWN = {
    "output": ("m_axis_tdata", "inv"),
    "report": ("m_axis_tuser", "const0"),
    "protocol": ("m_axis_tvalid", "const1"),
    "cycles": ("credit.level", "const1"),
    "hang": ("m_axis_tvalid", "const0"),
}
"""Where a mutant shows itself in this way, and what it does there."""


@pytest.fixture(scope="module")
def shown() -> Mutated:
    return mutated_at(PARAMETERS, sorted({place for place, _ in SHOWN.values()}), Engine.find())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KILLS)
def test_each_way_to_show_itself_is_seen(shown: Mutated, trials: dict[str, Trial], kind: str) -> None:
    place, mode = SHOWN[kind]
    at = [number for number, mutation in enumerate(shown.mutations, 1)
          if mutation.mode == mode and mutation.wire.startswith(f"{place}[")]
    assert kind in (next(filter(None, (kill(shown.design, trial, number) for trial in trials.values())), "")
                    for number in at)


def test_a_place_that_is_not_there_is_refused() -> None:
    with pytest.raises(LookupError, match="no register has the role credits, and no port is called so"):
        mutated_at(PARAMETERS, ["credits"], Engine.find())


@pytest.mark.slow
def test_the_comparison_tells_a_mutant_from_the_sound_core(
    core: Mutated, trials: dict[str, Trial], side_by_side: MutantComparison,
) -> None:
    flowing = trials["flowing"]
    # It shows soon after the first row. Faults of the reset show 50 cycles later, where the engine needs minutes.
    killed = next(number for number, mutation in enumerate(core.mutations, 1) if "push_turn <=" in mutation.code)
    assert kill(core.design, flowing, killed) == "output"
    assert side_by_side.outcome(0, 60)[0].verdict == "proven"
    assert side_by_side.outcome(killed, 60)[0].verdict == "refuted"
    assert side_by_side.outcome(killed, 0.01)[0].verdict == "undecided"


@pytest.mark.slow
@pytest.mark.records
@pytest.mark.usefixtures("only_apart")
def test_no_killed_mutant_is_proven_with_the_memories_apart(
    core: Mutated, trials: dict[str, Trial], side_by_side: MutantComparison,
) -> None:
    killed = [number for number in range(1, MUTANTS + 1) if kill(core.design, trials["flowing"], number)][:6]
    assert side_by_side.outcome(0, 600)[0].verdict == "proven"
    assert [side_by_side.outcome(number, 4)[0].verdict for number in killed] == ["undecided"] * len(killed)


PORTS = """
module dut (
    input aclk, input aresetn, input jump, input [2:0] mutant,
    input [7:0] s_axis_tdata, input s_axis_tkeep, input s_axis_tvalid, input s_axis_tlast, output s_axis_tready,
    output [7:0] m_axis_tdata, output m_axis_tkeep, output reg m_axis_tvalid, output m_axis_tlast,
    output [35:0] m_axis_tuser, input m_axis_tready
);"""
"""The beginning of the Verilog that replaces a core."""

SLICE = PORTS + """
    reg [7:0] data, twin;
    reg [1:0] held;
    reg keep, last;
    initial {data, twin, held, keep, last, m_axis_tvalid} = {8'd0, 8'd255, 2'd0, 3'd0};
    wire accept = !m_axis_tvalid || m_axis_tready;
    always @(posedge aclk) begin
        if (accept) {data, twin, keep, last, m_axis_tvalid} <=
            {s_axis_tdata, ~s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tvalid};
        if (!aresetn) m_axis_tvalid <= 0;
        held <= aresetn ? 0 : held == 3 ? 3 : held + 1;
    end
    assign m_axis_tdata = mutant == 1 ? ~twin : mutant == 2 ? data | data[7:6] == 1 : data;
    assign m_axis_tlast = mutant == 3 ? last | !keep : mutant == 4 ? last & keep : last;
    assign s_axis_tready = accept ^ (mutant == 5 ? !aresetn : mutant == 6 ? aresetn && held == 1 : 0);
    assign m_axis_tkeep = keep;
    assign m_axis_tuser = 0;
endmodule
"""
"""A register instead of a core, with mutants."""


@pytest.mark.parametrize(("mutant", "verdict"), [
    (1, "proven"),    # takes another register, which always holds the same
    (2, "refuted"),   # a bit is wrong for some bytes
    (3, "proven"),    # wrong for beats that nobody may send, partial and not the last
    (4, "refuted"),   # wrong for an empty packet
    (5, "proven"),    # wrong in reset
    (6, "refuted"),   # wrong after a reset of one cycle
])
def test_the_comparison_takes_all_that_may_come_in_and_nothing_else(
    tmp_path: Path, core: Mutated, mutant: int, verdict: str,
) -> None:
    with comparison(sliced(tmp_path, core, SLICE), Engine.find(), roles=()) as side_by_side:
        outcome, apart = side_by_side.outcome(mutant, 60)
    assert (outcome.verdict, apart) == (verdict, False)


def sliced(tmp_path: Path, core: Mutated, verilog: str) -> Mutated:
    """Verilog instead of the core."""
    (tmp_path / "slice.v").write_text(verilog)
    Engine.find().script(
        tmp_path, ["read_verilog slice.v", "proc", "memory_collect", "write_rtlil slice.il"], "slice")
    return replace(core, rtlil=(tmp_path / "slice.il").read_text(), width=3)


ROWS = PORTS + """
    reg [7:0] rows [0:3];
    reg [1:0] to, from;
    initial {to, from, m_axis_tvalid} = 0;
    assign s_axis_tready = 1;
    always @(posedge aclk) begin
        if (s_axis_tvalid && aresetn || mutant == 1 && !aresetn || mutant == 5)
            rows[mutant == 4 ? ~to : to] <= mutant == 2 && s_axis_tlast ? 0 : s_axis_tdata;
        to <= aresetn ? to + s_axis_tvalid : 0;
        from <= to;
        m_axis_tvalid <= aresetn && s_axis_tvalid;
    end
    assign m_axis_tdata = rows[mutant == 4 ? ~from : mutant == 3 ? from - s_axis_tlast : from];
    assign {m_axis_tkeep, m_axis_tlast, m_axis_tuser} = 0;
endmodule
"""
"""Rows instead of a core, with mutants."""


@pytest.mark.parametrize(("mutant", "verdict"), [
    (1, "proven"),      # writes in reset
    (2, "undecided"),   # writes something else
    (3, "undecided"),   # reads another row
    (4, "undecided"),   # has its rows in another order, which nobody can see from outside
    (5, "undecided"),   # writes more than it needs to, which is written over
])
@pytest.mark.usefixtures("only_apart")
def test_with_the_memories_apart_they_are_used_alike_but_in_reset(
    tmp_path: Path, core: Mutated, mutant: int, verdict: str,
) -> None:
    with comparison(sliced(tmp_path, core, ROWS), Engine.find(), roles=()) as side_by_side:
        outcome, apart = side_by_side.outcome(mutant, 60)
    assert (outcome.verdict, apart) == (verdict, verdict == "proven")


@pytest.mark.parametrize("old", ["level", "announce_bank0", "port_valid", "clear_from0"])
def test_a_hint_is_made_for_a_role_whatever_the_register_is_called(core: Mutated, old: str) -> None:
    renamed = core.rtlil
    for name in set(re.findall(rf"\\core\.\S*\.{old}\b", renamed)):
        renamed = re.sub(rf"{re.escape(name)}(?=\s)", lambda found: f"\\n{zlib.crc32(found[0].encode())}", renamed)
    assert renamed != core.rtlil
    assert netlist_probes.opened(renamed).inside == netlist_probes.opened(core.rtlil).inside


@pytest.mark.parametrize("role", [
    "accepted", "announce.leader.1", "clear", "credit.level", "credit.less", "credit.twice", "drain.count",
    "drain.ends", "drain.phases", "occupancy.leader.0.level", "occupancy.leader.0.less",
])
def test_a_role_that_is_missing_or_said_twice_is_an_error(core: Mutated, role: str) -> None:
    line = f'  attribute \\role "{role}"\n'
    assert line in core.rtlil
    with pytest.raises(LookupError, match=rf"hints need .* of the role {re.escape(role)}: there are \[\]"):
        netlist_probes.opened(core.rtlil.replace(line, ""))
    twice = core.rtlil.replace('"announce.group0.0"', f'"{role}"')
    assert twice != core.rtlil
    with nullcontext() if role == "clear" else pytest.raises(LookupError, match="hints need one register"):
        netlist_probes.opened(twice)


def test_the_counter_of_beats_is_found_by_its_roles(core: Mutated) -> None:
    with pytest.raises(LookupError, match=r"roles beats\.0, beats\.1 …, 32 bits or more together: there are 28$"):
        netlist._jumping(core.rtlil.replace('"beats.1"', '"other"'), 32)


@pytest.mark.slow
@pytest.mark.records
@pytest.mark.usefixtures("only_apart")
def test_a_counter_that_differs_where_nobody_looks_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its upper bits say more than it counts, but no logic reads them. Without hints no proof is found."""
    counters = ("credit.level", "occupancy.leader.0.level")
    core = mutated_at(PARAMETERS, counters, Engine.find())
    numbers = [
        next(number for number, mutation in enumerate(core.mutations, 1)
             if mutation.mode == "cnot0" and mutation.wire == f"{counter}[{mutation.bit}]"
             and (mutation.by or 0) + 2 < mutation.bit)
        for counter in counters]
    with comparison(core, Engine.find()) as side_by_side:
        for number in numbers:
            outcome, apart = side_by_side.outcome(number, 60)
            assert (number, outcome.verdict, apart) == (number, "proven", True)
    monkeypatch.setattr(netlist_probes, "_hints", lambda taps: [])
    with comparison(core, Engine.find()) as side_by_side:
        assert side_by_side.outcome(numbers[0], 4)[0].verdict == "undecided"


@pytest.mark.slow
@pytest.mark.parametrize("mutants", [1, pytest.param(3, marks=pytest.mark.records)])
def test_trials_that_look_at_nothing_are_found_out(
    monkeypatch: pytest.MonkeyPatch, trials: dict[str, Trial], mutants: int,
) -> None:
    monkeypatch.setattr(mutation_trials, "_flaw", lambda trial, run: list(run) and None)
    monkeypatch.setattr(score, "core_trials", lambda parameters, seed: [trials["flowing"]])
    record = MutationRecord.begin(PARAMETERS, 1)
    for fate in fates(PARAMETERS, mutants, 1, Engine.find(), 5):
        record.add(fate)
    assert record.killed == {}
    assert len(record.unexplained) == mutants
    assert record.score == 0.0


def test_a_core_that_fails_without_a_mutation_has_no_score(
    monkeypatch: pytest.MonkeyPatch, trials: dict[str, Trial],
) -> None:
    def wrong(parameters: TranscoderParameters, seed: int) -> Iterator[Trial]:
        yield trials["flowing"]
        yield replace(trials["gaps"], expected=trials["flowing"].expected)

    monkeypatch.setattr(score, "core_trials", wrong)
    with pytest.raises(SimulationError, match="the core fails the trial 'gaps' without a mutation: "):
        next(fates(PARAMETERS, 3, 1, Engine.find(), 60))


@pytest.mark.parametrize(("change", "message"), [
    ({"mutants": "others"}, "a worker makes other mutants than this machine: it needs the same Yosys"),
    ({"engine": "ABC 0"}, "a worker has another ABC than this machine: .*, not ABC 0"),
])
def test_a_worker_with_other_tools_is_refused(change: dict[str, str], message: str) -> None:
    asked = Asked.of(PARAMETERS, MUTANTS, 1, Engine.find(), 60)
    for work in (sound, lambda asked: judged(asked, [1])):
        with pytest.raises(ToolError, match=f"^{message}$"):
            work(replace(asked, **change))


def test_a_worker_judges_some_of_the_mutants(core: Mutated, monkeypatch: pytest.MonkeyPatch,
                                             trials: dict[str, Trial], tmp_path: Path) -> None:
    asked = Asked.of(PARAMETERS, MUTANTS, 1, Engine.find(), 60)
    monkeypatch.setattr(score, "built", lambda kind, key, build: build(tmp_path) or tmp_path)
    monkeypatch.setattr(score, "core_trials", lambda parameters, seed: [trials["flowing"]])
    sound(asked)
    numbers = [number for number in range(1, MUTANTS + 1) if kill(core.design, trials["flowing"], number)][:2]
    assert [(fate.number, fate.mutation, fate.trial) for fate in judged(asked, numbers)] == [
        (number, core.mutations[number - 1], "flowing") for number in numbers]


RECORDS = ValidatorParameters(1, records=0x0A, report_port="beside", user=1, id=2, offset_bits=16)


@pytest.mark.slow
def test_marks_of_records_are_held_against_the_model() -> None:
    core = mutated(RECORDS, 3, 1, Engine.find())
    trial = next(core_trials(RECORDS, 1))
    assert kill(core.design, trial, 0) is None
    turned = [replace(each, marks=bytes(mark ^ 2 * (mark & 1) for mark in each.marks)) for each in trial.expected]
    assert kill(core.design, replace(trial, expected=turned), 0) == "report"


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [
    *(pytest.param(parameters, marks=pytest.mark.records) for parameters in (
        TranscoderParameters("latin-1", "utf-8", 1), RECORDS)),
    TranscoderParameters("utf-16le", None, 1, sidebands=Sidebands(report="none", user=2)),
], ids=str)
def test_mutants_of_any_core_and_any_ports_are_judged(parameters: TranscoderParameters) -> None:
    found = list(fates(parameters, 3, 1, Engine.find(), 20))
    assert len(found) == 3
    assert all(fate.kill in KILLS or fate.verdict for fate in found)
