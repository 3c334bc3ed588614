"""``make demo``: real text in many scripts through a generated decoder, and damaged text after it."""

import shutil
import sys
import time
from pathlib import Path

from rich.table import Table
from rich.text import Text
from runewire_jobs.errors import ToolError
from runewire_model import DecoderParameters
from runewire_sim import PacketEnd, Report, Stalls, compare, generated, simulate
from runewire_sim.differences import describe_error
from runewire_sim.results import Chunk

from .console import PlainConsole, output_console, readable_output

PARAMETERS = DecoderParameters(lanes=8)
STALLS = Stalls(0.2, 0.2, seed=1)

GREETINGS = {
    "English": "The wires hum, and every byte finds its rune.",
    "Français": "Là où naît le signal, l’été garde ses œuvres à côté.",
    "Ελληνικά": "Κάθε γράμμα περνά από το σύρμα χωρίς να χαθεί.",
    "Русский": "Каждая буква проходит по проводу и не теряется.",
    "עברית": "כל אות עוברת בחוט ואינה הולכת לאיבוד.",
    "العربية": "كل حرف يعبر السلك ولا يضيع.",
    "हिन्दी": "हर अक्षर तार से गुज़रता है और खोता नहीं।",
    "中文": "每个字都穿过导线,一个也不丢。",
    "日本語": "どの文字も線を通り、失われない。",
    "한국어": "모든 글자가 전선을 지나며 사라지지 않는다.",
    "Emoji": "🔌➡️🧮➡️🔤 ✅ 👩🏽‍💻",
}
"""One sentence per script, written for this demo."""
DAMAGED = {
    "E2 82     € without its last byte": b"caf\xC3\xA9 for 3 \xE2\x82, thanks",
    "ED A0 80  a surrogate": b"half \xED\xA0\x80 a pair",
    "C0 AF     an overlong /": b"etc\xC0\xAFpasswd",
    "F4 90 ..  above U+10FFFF": b"too far: \xF4\x90\x80\x80!",
    "F0 9F 98  cut off at the end": "done 😀".encode()[:-1],
}
"""Damaged text, as from networks and attackers."""


def main() -> int:
    """Run the demo; returns 0 if hardware and model agree."""
    readable_output()
    console = output_console()
    try:
        return _demo(console)
    except (ToolError, OSError) as error:
        print(f"runewire: {error}", file=sys.stderr)
        return 2


def _demo(console: PlainConsole) -> int:
    console.print(Text("1. Generate a decoder of eight lanes, and build its simulator", "bold"))
    began = time.monotonic()
    design = generated(PARAMETERS)
    folder = Path("build") / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    for path in (design.verilog, design.verilog.with_suffix(".json")):
        shutil.copy(path, folder)
        console.print(f"   {folder / path.name}  {path.stat().st_size:,} bytes")
    packets = [sentence.encode() for sentence in GREETINGS.values()]
    with simulate(design, []) as run:
        list(run)
    console.print(f"   ready in {time.monotonic() - began:.1f} s\n")

    console.print(Text(f"2. {len(GREETINGS)} scripts through the hardware, with random stalls on both sides", "bold"))
    report, outputs = _through(packets)
    table = Table("script", "what the hardware sent", box=None, pad_edge=False)
    for heading in ("bytes", "code points", "cycles"):
        table.add_column(heading, justify="right")
    for name, packet, (text, end) in zip(GREETINGS, packets, outputs, strict=False):
        table.add_row(name, text, f"{len(packet)}", f"{len(text)}", f"{end.cycles}")
    console.print(table)
    good = report.agree and [text for text, _ in outputs] == list(GREETINGS.values())
    _verdict(console, report, good)

    console.print(Text("3. Damaged text: each ill-formed piece becomes one �, the first error is reported", "bold"))
    damaged, outputs = _through(list(DAMAGED.values()))
    table = Table("damage", "what the hardware sent", "first error", box=None, pad_edge=False)
    for name, (text, end) in zip(DAMAGED, outputs, strict=False):
        table.add_row(name, text, describe_error(end.told().error))
    console.print(table)
    expected = [packet.decode(errors="replace") for packet in DAMAGED.values()]
    same = damaged.agree and [text for text, _ in outputs] == expected
    _verdict(console, damaged, same)
    return 0 if good and same else 1


def _through(packets: list[bytes]) -> tuple[Report, list[tuple[str, PacketEnd]]]:
    """Send the packets through the hardware and compare with the model: the report, and each packet's text."""
    outputs: list[tuple[str, PacketEnd]] = []
    parts: list[bytes] = []

    def take(chunk: Chunk) -> None:
        parts.append(chunk.output)
        if chunk.end is not None:
            outputs.append((b"".join(parts).decode("utf-32-le"), chunk.end))
            parts.clear()

    with simulate(generated(PARAMETERS), packets, STALLS) as run:
        return compare(PARAMETERS, packets, run, on_chunk=take), outputs


def _verdict(console: PlainConsole, report: Report, good: bool) -> None:
    assert report.stats is not None
    if good:
        console.print(Text("   hardware, golden model and Python's own decoder agree\n", "green"))
    else:
        why = report.first_difference.what if report.first_difference else "; ".join(report.protocol_errors)
        console.print(Text(f"   hardware and model DIFFER: {why}\n", "bold red"))


if __name__ == "__main__":
    sys.exit(main())
