"""The tables of ``m_axis_tuser`` in docs/interface.md.

They come from the same fields as the comments of the Verilog and the JSON description.
"""

from runewire_model import TranscoderParameters, ValidatorParameters
from runewire_model.core_options import option_words

from .part import DOCS, Part

EXAMPLES = (
    ValidatorParameters(),
    ValidatorParameters(lanes=4, offset_bits=24, count=("code-points", "bad-records"), records=0x0A, user=3),
)


def _title(parameters: TranscoderParameters) -> str:
    side = parameters.sidebands.unusual
    if not side:
        return "Without options, any core:"
    return f"`runewire generate {parameters.core} --lanes {parameters.lanes} {' '.join(option_words(side))}`:"


def _rows(parameters: TranscoderParameters) -> list[str]:
    lines = ["| bits | field | beats | meaning |", "|---:|---|---|---|"]
    sidebands = parameters.sidebands
    for beats, fields in (("last", sidebands.last_beat), ("all", sidebands.every_beat(parameters.output_bytes))):
        for field in fields:
            bits = f"{field.lsb + field.width - 1}:{field.lsb}" if field.width > 1 else str(field.lsb)
            named = ", ".join(f"{kind.value} {kind.name}" for kind in parameters.kinds)
            kinds = f"; {named}" if field.name == "kind" else ""
            lines.append(f"| {bits} | `{field.name}` | {beats} | {field.text}{kinds} |")
    return lines


def table() -> str:
    """The tables in Markdown, one for each example."""
    return "\n\n".join(f"{_title(each)}\n\n" + "\n".join(_rows(each)) for each in EXAMPLES)


GENERATED = (Part("tuser", DOCS / "interface.md", table),)
