"""Layout policies never change the function: a core with replicas is proven equivalent to the plain one."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Value
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters
from runewire_model.transcoder import FAMILIES
from runewire_rtl import timing
from runewire_rtl.packing import packing
from runewire_rtl.pipeline.layout_policy import FEW_READERS, NAIVE, POLICIES, TUNED, Policy
from runewire_rtl.transcoder import Transcoder
from runewire_rtl.verilog.axi import AxiStream


def described(parameters: TranscoderParameters, policy: Policy, name: str) -> str:
    return rtlil.convert(AxiStream(Transcoder(parameters, policy=policy)), name=name, emit_src=False)


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("parameters", [
    ValidatorParameters(1, "compact", "ice40"),
    *(pytest.param(parameters, marks=pytest.mark.records) for parameters in (
        ValidatorParameters(8, "compact"), DecoderParameters(4, packing="sparse", pipeline="compact"),
        EncoderParameters(2, pipeline="compact"), ValidatorParameters(16, "compact", "gowin-5a"))),
], ids=str)
def test_the_tuned_core_does_what_the_naive_one_does(
    proven_same: Callable[..., bool], parameters: TranscoderParameters,
) -> None:
    """From the initial values on, in every reachable state, memories included."""
    tuned, naive = POLICIES[parameters.family], POLICIES["generic"]
    texts = [described(parameters, policy, name) for policy, name in ((tuned, "tuned"), (naive, "naive"))]
    assert texts[0] != texts[1].replace("naive", "tuned")
    assert proven_same(*zip(texts, ("tuned", "naive"), strict=True))


@pytest.mark.parametrize("parameters", [
    ValidatorParameters(16), DecoderParameters(16), pytest.param(DecoderParameters(8), marks=pytest.mark.slow),
    EncoderParameters(2),
], ids=str)
def test_the_naive_core_has_no_replicas(parameters: TranscoderParameters) -> None:
    def kept(policy: Policy) -> int:
        return described(parameters, policy, "core").count("attribute \\keep ")

    assert kept(NAIVE) < kept(TUNED) / 2


@pytest.mark.parametrize("parameters", [ValidatorParameters(8), DecoderParameters(8), EncoderParameters(4)], ids=str)
def test_up_to_sixteen_lanes_replicas_cost_no_time(parameters: TranscoderParameters) -> None:
    core = Transcoder(parameters, policy=NAIVE)
    core._MustUse__silence = True
    assert core.timing == timing(parameters)


def sent(simulate, parameters: TranscoderParameters, packets: list[bytes], policy: Policy) -> list[tuple[bytes, int]]:
    """Output and report of each packet, for a core with the policy."""
    core = Transcoder(parameters, policy=policy)
    found: list[tuple[bytes, int]] = []

    async def source(ctx):
        step, unit = parameters.input_bytes, parameters.reads.unit_bytes
        for packet in packets:
            for start in range(0, max(1, len(packet)), step):
                beat = packet[start : start + step]
                ctx.set(core.i.payload.last, start + step >= len(packet))
                ctx.set(core.i.payload.keep, (1 << len(beat)) - 1)
                for lane in range(parameters.lanes):
                    ctx.set(core.i.payload.data[lane], int.from_bytes(beat[lane * unit : (lane + 1) * unit], "little"))
                ctx.set(core.i.valid, 1)
                await ctx.tick().until(core.i.ready)
        ctx.set(core.i.valid, 0)

    async def sink(ctx):
        ctx.set(core.o.ready, 1)
        output = b""
        while len(found) < len(packets):
            payload = core.o.payload
            keep, last, report, *items = await ctx.tick().sample(
                payload.keep, payload.last, Value.cast(payload.report), *payload.data).until(core.o.valid)
            output += b"".join(item.to_bytes(core.item_bytes, "little")
                               for lane, item in enumerate(items) if keep >> lane & 1)
            if last:
                found.append((output, report))
                output = b""

    simulate(core, source, sink)
    return found


def test_a_core_is_laid_out_for_its_family() -> None:
    parameters = {family: ValidatorParameters(16, family=family) for family in FAMILIES}
    texts = {family: described(each, POLICIES[family], "core") for family, each in parameters.items()}
    assert len({*texts.values()}) == len(FAMILIES) - 1
    assert texts["xilinx-7"] == texts["gowin-5a"]
    assert len(POLICIES) == len(FAMILIES)
    for family, each in parameters.items():
        assert rtlil.convert(AxiStream(Transcoder(each)), name="core", emit_src=False) == texts[family]


@pytest.mark.parametrize("policy", [NAIVE, POLICIES["ice40"], FEW_READERS, replace(TUNED, lut_inputs=8)],
                         ids=["naive", "ice40", "few_readers", "eight_inputs"])
@pytest.mark.parametrize("parameters", [
    ValidatorParameters(4), pytest.param(DecoderParameters(8), marks=pytest.mark.slow),
    DecoderParameters(4, packing="sparse"), EncoderParameters(2),
], ids=str)
def test_a_core_gives_the_golden_answer_by_any_policy(simulate, parameters: TranscoderParameters,
                                                      policy: Policy) -> None:
    gives_the_golden_answer(simulate, parameters, policy)


@pytest.mark.parametrize("parameters", [
    TranscoderParameters("utf-16le", "utf-8", 2), TranscoderParameters("utf-8", "utf-16le", 4),
], ids=str)
def test_rows_may_be_counted_early_as_where_that_saves_some(
    simulate, monkeypatch: pytest.MonkeyPatch, parameters: TranscoderParameters,
) -> None:
    usual = timing(parameters)
    monkeypatch.setattr(packing, "_saves_rows", lambda entry, ends: True)
    early = Transcoder(parameters, policy=TUNED)
    early._MustUse__silence = True
    assert early.timing.decide == usual.decide - packing.EARLIER
    gives_the_golden_answer(simulate, parameters, TUNED)


def gives_the_golden_answer(simulate, parameters: TranscoderParameters, policy: Policy) -> None:
    rng = random.Random(7)
    text = "aé€😀\ufeff"
    packets = []
    for number in range(24):
        packet = "".join(rng.choices(text, k=rng.randrange(14))).encode(parameters.reads.oracle)
        if number % 3 == 2 and packet:
            at = rng.randrange(len(packet))
            packet = packet[:at] + b"\xf4" + packet[at + 1 :]
        packets.append(packet)
    results = [parameters.compute(packet) for packet in packets]
    assert any(result.error for result in results)
    assert sent(simulate, parameters, packets, policy) == [
        (result.output, parameters.sidebands.pack(result.error, {})) for result in results]


@pytest.mark.parametrize("inputs", [0, 2, 6])
def test_look_up_tables_that_no_step_is_made_for_are_refused(inputs: int) -> None:
    with pytest.raises(ValueError, match=rf"lut_inputs must be a power of two, 4 or more, got {inputs}"):
        replace(TUNED, lut_inputs=inputs)
