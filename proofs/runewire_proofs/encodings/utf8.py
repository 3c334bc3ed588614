"""UTF-8: its serial specification, and the faults that a proof must refute."""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Const, Value
from runewire_model import TranscoderParameters
from runewire_rtl.input.input_stage import cleaned, kept_bits, packet_bits

from ..faults import Mutant, always, both, changed, forgetful, never, step
from .base import Specification


def _few_gates() -> list[Mutant]:
    """Values that are accepted, where the lead byte says once more what is wrong."""
    def third(title: str, lead: Callable[[Value], Value]) -> Mutant:
        return step(title, r"wrong3_l\d+", lambda wrong: lambda e, nibble, one, b: wrong(e & lead(one), nibble, one, b))

    def fourth(title: str, lead: Callable[[Value], Value]) -> Mutant:
        return step(title, r"wrong4_l\d+", lambda wrong: lambda f, one, some: wrong(f & lead(one), one, some))

    return [
        third("surrogates are accepted", lambda lead: ~lead[0]),
        third("overlong forms after E0 are accepted", lambda lead: lead[0]),
        fourth("overlong forms after F0 are accepted", lambda lead: lead[2]),
        step("C0 and C1 are accepted", r"overlong_c0_l\d+", never),
        fourth("F4 90 and above is accepted", lambda lead: lead[:3] != 4),
        fourth("F5 to F7 are accepted", lambda lead: ~lead[2] | (lead[:2] == 0)),
    ]


LARGE = ("F4 90 and above is accepted", "F5 to F7 are accepted")


def _source(parameters: TranscoderParameters) -> list[Mutant]:
    lanes = parameters.lanes
    # The report has its own checks of values; the decoder's have no part in it.
    values = _few_gates() if parameters.pipeline == "compact" and parameters.sidebands.records is None else [
        step("surrogates are accepted", r"surrogate_l\d+", never),
        step("overlong forms after E0 are accepted", r"overlong_e0_l\d+", never),
        step("overlong forms after F0 are accepted", r"overlong_f0_l\d+", never),
        step("C0 and C1 are accepted", r"overlong_l\d+", lambda found: lambda c, *rest: found(Const(0, 1), *rest)),
        step("F4 90 and above is accepted", r"too_large_l\d+",
              lambda found: lambda f, nibble, *rest: found(f & nibble, nibble, *rest)),
        step("F5 to F7 are accepted", r"too_large_l\d+",
              lambda found: lambda f, nibble, *rest: found(f & ~nibble, nibble, *rest)),
    ]
    if parameters.target is not None:
        classes = [r"lead_ed_l\d+", r"lead_e0_l\d+", r"lead_f0_l\d+", r"short2_l\d+", r"lead_f4_l\d+", r"large_l\d+"]
        values = [both(mutant, step(mutant.title, names, never))
                  for mutant, names in zip(values, classes, strict=True)]
        if parameters.narrows and parameters.errors == "drop":
            # A target that lacks large values leaves them out too, and takes them for the same fault.
            values = [mutant for mutant in values if mutant.title not in LARGE]
    found = [
        *values,
        step("F8 to FF are accepted as headers", r"header_l\d+", never),
        step("a lone continuation byte is accepted", r"stray_l\d+", never),
        step("a sequence that breaks off is not seen", r"ended_l\d+", never),
        step("a sequence begins where its second byte is", r"back0_l\d+", never),
        both(changed("bytes that are not kept count", kept_bits, lambda _: lambda data, keep, absent: data),
             # What passes through a compact core is zero where it is not kept.
             changed("", cleaned, lambda _: lambda data, keep, order: data)),
        forgetful(),
    ]
    if not parameters.mark:
        # With `bom="add"` a mark follows every packet. It ends an unfinished sequence without this logic.
        found.insert(-2, changed("the packet's end does not end a sequence", packet_bits,
                                  lambda _: lambda data, beyond, absent: data))
    if parameters.sidebands.records is not None:
        found += [
            step("a lead byte reaches over the delimiter", r"second4_l\d+", lambda _: lambda lead, tail: lead),
            step("a lead byte and a second one reach over the delimiter", r"third4_l\d+",
                 lambda _: lambda second, tail: second),
            step("an overlong form is told behind the delimiter", r"overlong_f0b2_4_l\d+",
                 lambda _: lambda overlong, fourth: overlong),
        ]
    replaced = parameters.target is not None and parameters.errors == "replace"
    # Bytes that pass through are not assembled to scalars.
    assembled = parameters.target is not None and not (parameters.fused and parameters.target == parameters.source)
    if assembled:
        found.append(step("the bits of a third byte are lost", r"three_l\d+", never))
    if assembled and replaced:
        found += [
            step("a broken sequence is no replacement", r"unit_l\d+" if parameters.fused else r"scalar_l\d+",
                 lambda scalar: lambda complete, *rest: scalar(Const(1, 1), *rest)),
            step("one replacement too many at a beat's end", rf"ends_l{lanes - 1}",
                 lambda ends: lambda keep, *joined: keep),
        ]
    if replaced:
        found.append(step("a third byte never joins", r"third_l\d+", never))
    if replaced and parameters.narrows:
        found.append(step("what is ill-formed does not fit either", r"unfit_l\d+",
                          lambda unfit: lambda present, above, whole: present & above))
    return found


def _target(parameters: TranscoderParameters) -> list[Mutant]:
    found = [
        step("values up to 7FF get two bytes even below 80", r"needs2_l\d+", always),
        step("three bytes where two are enough", r"needs3_l\d+", always),
        step("sequences lack their first of two bytes", r"present2_l\d+", never),
        step("the second last byte has no tail mark", r"byte2_l\d+", lambda byte: lambda *v: byte(*v)[:7]),
    ]
    longer = {
        0x800: step("no three-byte sequences", r"from3_l\d+", never),
        0x10000: step("no four-byte sequences", r"from4_l\d+", never),
    }
    return [*found, *(mutant for least, mutant in longer.items() if least <= parameters.reads.greatest)]


UTF8 = Specification("utf8_source.v", "utf8_target.v", _source, _target)
