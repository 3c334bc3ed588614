"""The promises of a core, each by name on every core; and each one is shown to be tested.

Below, a fault that breaks a promise is planted into the RTL, and the promise's own packets have to find it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from struct import pack

import pytest
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters, decode
from runewire_proofs import proofs
from runewire_proofs.faults import Mutant
from runewire_sim import Report, Stalls, VerilogDesign, compare, generated, simulate

LANES = (1, 2, 4, 8)
BYTES: list[TranscoderParameters] = [
    core for lanes in LANES for core in (
        ValidatorParameters(lanes=lanes), DecoderParameters(lanes=lanes),
        DecoderParameters(lanes=lanes, packing="sparse"), DecoderParameters(lanes=lanes, errors="drop", bom="strip"))]
CORES: list[TranscoderParameters] = [*BYTES, *(EncoderParameters(lanes=lanes) for lanes in LANES)]
PADS = ("a", "é", "€", "😀")


def window_mutants(parameters: TranscoderParameters) -> Sequence[Mutant]:
    """The faults that a proof of the core's window refutes."""
    (window,) = (proof for proof in proofs(parameters) if proof.name == "window")
    return window.mutants


def label(parameters: TranscoderParameters) -> str:
    return "-".join(str(value) for value in parameters.record().values())


def packet(parameters: TranscoderParameters, text: bytes) -> bytes:
    """The input with the same text as the UTF-8 bytes ``text``; for an encoder the scalars, surrogates unchanged."""
    if parameters.source == "utf-8":
        return text
    try:
        scalars = [ord(character) for character in text.decode("utf-8", "surrogatepass")]
    except UnicodeDecodeError:
        scalars = decode(text)
    return pack(f"<{len(scalars)}I", *scalars)


def placed(*texts: str) -> Callable[[TranscoderParameters], Iterable[bytes]]:
    """Each of the bytes at every place of the first three beats, with and without a byte after them."""
    def packets(parameters: TranscoderParameters) -> Iterable[bytes]:
        for text in map(bytes.fromhex, texts):
            for shift in range(3 * parameters.lanes):
                for after in (b"", b"b", "é".encode()):
                    yield packet(parameters, b"a" * shift + text + after)
    return packets


def open_ends(parameters: TranscoderParameters) -> Iterable[bytes]:
    """A sequence that its packet's end cuts off; the next packet begins with the bytes that would continue it."""
    for start in ("C3", "E2", "E2 82", "F0", "F0 9F", "F0 9F 98"):
        for shift in range(2 * parameters.lanes):
            for rest in (1, 2, 3):
                yield packet(parameters, b"a" * shift + bytes.fromhex(start))
                yield packet(parameters, b"\x80" * rest + b"a")


def partly_kept(parameters: TranscoderParameters) -> Iterable[bytes]:
    """Packets whose last beat keeps all but its last lane, or nothing; the simulator fills the rest with noise."""
    for ending in ("a", "é", "€", "😀", ""):
        for beats in (1, 2):
            count = beats * parameters.lanes - 1
            for _ in range(10):
                filled = count if parameters.source != "utf-8" else count - len(ending.encode())
                if filled >= 0:
                    yield packet(parameters, b"a" * filled + ending.encode())


def counted(parameters: TranscoderParameters) -> Iterable[bytes]:
    """Packets in which each item differs from its neighbours, so that a missing one is noticed."""
    for size in (1, 2, 3, 5, 40):
        for pad in PADS:
            yield packet(parameters, "".join(f"{number:03}{pad}" for number in range(size * parameters.lanes)).encode())


def late_errors(parameters: TranscoderParameters) -> Iterable[bytes]:
    """Packets whose first error is at every place of the first three beats."""
    for shift in range(3 * parameters.lanes):
        for wrong in ("FF", "80", "C3 61", "ED A0 80", "F4 90 80 80"):
            text = b"a" * shift + bytes.fromhex(wrong)
            yield packet(parameters, text) if parameters.source == "utf-8" else (
                packet(parameters, b"a" * shift) + pack("<I", 0xD800))


def errors_across_carries(parameters: TranscoderParameters) -> Iterable[bytes]:
    """Packets whose first error begins just before the beat counter carries from one four-bit chunk into the next.

    Most of these errors end after the carry. With stalls there are gaps between the beats."""
    spans = [(wrong, back) for wrong in ("C3", "E2 82", "ED A0 80", "F4 90 80 80") for back in (1, 2, 3)]
    for beats, chosen in ((16, 6 * spans), (256, 2 * spans), (4096, 6 * [("F4 90 80 80", 1)])):
        for wrong, back in chosen:
            yield b"a" * (beats * parameters.lanes - back) + bytes.fromhex(wrong) + b"a" * 4 * parameters.lanes


@dataclass(frozen=True)
class Promise:
    """``packets``: what would show that it is broken. ``faults``: titles of the mutants that break it."""

    packets: Callable[[TranscoderParameters], Iterable[bytes]]
    faults: tuple[str, ...]
    stalls: Stalls = Stalls()  # noqa: RUF009, it is frozen
    scalars: bool = False
    """Whether it is a promise of the encoder too."""


PROMISES = {
    "surrogates_are_refused": Promise(
        placed("ED A0 80", "ED AF BF", "ED B0 80", "ED BF BF"), ("surrogates are accepted", "surrogates pass"),
        scalars=True),
    "overlong_forms_after_e0_are_refused": Promise(
        placed("E0 80 80", "E0 9F BF", "E0 80", "E0 9F"), ("overlong forms after E0 are accepted",)),
    "overlong_forms_after_f0_are_refused": Promise(
        placed("F0 80 80 80", "F0 8F BF BF", "F0 80", "F0 8F"), ("overlong forms after F0 are accepted",)),
    "f5_is_refused": Promise(placed("F5 80 80 80", "F5 80", "F6 BF BF BF", "F7 80 80 80"), ("F5 to F7 are accepted",)),
    "nothing_of_a_packet_reaches_the_next": Promise(open_ends, ("history is not cleared at a packet's end",)),
    "the_last_lane_counts_only_when_kept": Promise(partly_kept, ("the last lane's keep is ignored",), scalars=True),
    "no_beat_is_lost_in_a_stall": Promise(counted, (), Stalls(0.4, 0.7, 3), scalars=True),
    "an_offset_in_a_later_beat_is_exact": Promise(
        late_errors, ("the offset is off by one in the second beat",), scalars=True),
    "an_offset_is_exact_where_the_beat_counter_carries": Promise(errors_across_carries, (), Stalls(0.5, 0.3, 5)),
    "a_sequence_across_beats_is_replaced_once_or_not_at_all": Promise(
        placed("C3 A9", "E2 82 AC", "F0 9F 98 80", "E2 82", "F0 9F", "F0 9F 98"),
        ("one replacement too many at a beat's end",)),
}


def kept(promise: Promise, design: VerilogDesign, simulator: str = "verilator") -> Report:
    packets = list(promise.packets(design.parameters))
    assert packets
    with simulate(design, packets, promise.stalls, simulator=simulator) as run:
        return compare(design.parameters, packets, run)


@pytest.mark.parametrize(("name", "parameters"), [
    pytest.param(name, parameters, id=f"{name}-{label(parameters)}")
    for name, promise in PROMISES.items() for parameters in (CORES if promise.scalars else BYTES)])
def test_promise(name: str, parameters: TranscoderParameters) -> None:
    report = kept(PROMISES[name], generated(parameters))
    assert report.agree, f"broken: {name}: {report.first_difference} {report.protocol_errors}"


# Each promise is broken on purpose. Amaranth's simulator takes the core as it is built, broken.

BREAKABLE = [ValidatorParameters(lanes=2), DecoderParameters(lanes=1), DecoderParameters(lanes=2),
             EncoderParameters(lanes=2)]
FAULTS = [(name, fault, parameters) for name, promise in PROMISES.items() for fault in promise.faults
          for parameters in BREAKABLE if fault in {mutant.title for mutant in window_mutants(parameters)}]


def test_every_promise_can_be_broken() -> None:
    assert {fault for _, fault, _ in FAULTS} == {fault for promise in PROMISES.values() for fault in promise.faults}


@pytest.mark.parametrize(("name", "fault", "parameters"), [
    pytest.param(*each, id=f"{each[0]}-{label(each[2])}") for each in FAULTS])
def test_a_planted_fault_breaks_its_promise(name: str, fault: str, parameters: TranscoderParameters) -> None:
    [mutant] = (mutant for mutant in window_mutants(parameters) if mutant.title == fault)
    with mutant.broken():
        report = kept(PROMISES[name], generated(parameters), "amaranth")
    assert report.first_difference is not None, f"not seen: {fault}"


@pytest.mark.parametrize("parameters", [ValidatorParameters(lanes=2), DecoderParameters(lanes=2)], ids=label)
def test_a_core_that_does_not_wait_breaks_its_promise(parameters: TranscoderParameters, tmp_path: Path) -> None:
    """The output registers always receive `ready`."""
    sound = generated(parameters)
    text = sound.verilog.read_text()
    before, core, after = text.partition("_core core (")
    broken = before + core + after.replace("(m_axis_tready)", "(1'b1)", 1)
    assert broken != text
    file = tmp_path / sound.verilog.name
    file.write_text(broken)
    report = kept(PROMISES["no_beat_is_lost_in_a_stall"], replace(sound, verilog=file))
    assert not report.agree
