"""Release for users without Python: the datasheet's cores as files, with a page and checksums."""

import hashlib
import importlib.metadata
from collections.abc import Callable, Sequence
from pathlib import Path

from runewire_benchmark.datasheet import Entry
from runewire_jobs.cache import built
from runewire_jobs.files import write_whole
from runewire_jobs.fingerprint import digest
from runewire_model import TranscoderParameters, __version__
from runewire_rtl import generate, top_name
from runewire_rtl.packages import PACKAGES
from runewire_sim.design import generator

PAGE = "README.md"
SUMS = "SHA256SUMS"
LICENSE = "LICENSE"


def cores(entries: Sequence[Entry]) -> list[TranscoderParameters]:
    """The measured cores, each once."""
    return list(dict.fromkeys(entry.parameters for entry in entries))


def write(directory: Path, entries: Sequence[Entry], watch: Callable[[TranscoderParameters], None]) -> None:
    """Write each core of the entries, with all packages, into a folder of its own in ``directory``; and next to the
    folders the page, the licence and the checksums.

    ``watch`` is called with each core that begins. Cores are cached, so an interrupted release continues where it
    stopped. Raises OSError.
    """
    for core in cores(entries):
        watch(core)
        folder = directory / top_name(core)
        folder.mkdir()
        for path in sorted(_generated(core).iterdir()):
            write_whole(folder / path.name, path.read_bytes())
    write_whole(directory / PAGE, page(entries).encode())
    write_whole(directory / LICENSE, licence().encode())
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(directory).as_posix()}\n"
            for path in files]
    write_whole(directory / SUMS, "".join(sums).encode())


def licence() -> str:
    """The text of the licence, as installed with the project."""
    text = importlib.metadata.distribution("runewire").read_text(f"licenses/{LICENSE}")
    if text is None:
        raise FileNotFoundError(2, "the project was installed without its licence", LICENSE)
    return text


def _generated(core: TranscoderParameters) -> Path:
    """The cache folder of the core with all packages. Raises OSError."""
    def build(directory: Path) -> None:
        generate(core, directory, packages=[*PACKAGES.values()])

    return built("release", digest(generator(), repr(core)), build)


def page(entries: Sequence[Entry]) -> str:
    """The page of the release in Markdown: its contents, their use, and the measurements of each core."""
    rows = [_row(entry) for entry in entries]
    head = ["core", "what it is", "device", "speed", "LUT", "FF", "block RAM", "latency, cycles", "clock, MHz",
            "measured"]
    rule = ["---"] * 4 + ["--:"] * 5 + ["---"]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
    packages = "\n".join(f"- {package.text}" for package in PACKAGES.values())
    return f"""\
# Cores of runewire {__version__}

Verilog-2005 with AXI4-Stream ports, a folder for each core. The comment at the head of a core's `.v` says what its
ports and the bits of `m_axis_tuser` are; the `.json` says the same to tools, and the `.veo` is an instance to paste.
The other files are for other tools:

{packages}

The ports carry Vivado's attributes, which other tools pass over. The test bench runs in any simulator; it prints PASS
or FAIL:

```sh
cd {top_name(entries[0].parameters)}
iverilog -g2012 -o sim *.v *_tb.sv && vvp -n sim
```

Icarus, Verilator (from Debian's 5.006 on, test benches with `--timing`) and Yosys read every `.v` and `.sv` file.
Registers have initial values; for a device that loads none, `runewire generate --initial-values no` makes the core
again. `sha256sum -c {SUMS}` checks that all files are whole. The
licence of all files is Apache-2.0: [{LICENSE}]({LICENSE}).

## Datasheet

Clock is what the placed core holds and all parts of the device carry, on the device and in the version of runewire
that the row names.

{table}
"""


def _row(entry: Entry) -> list[str]:
    top = top_name(entry.parameters)
    return [f"[{top}]({top}/)", entry.name, entry.device, entry.speed, str(entry.luts), str(entry.ffs),
            "" if entry.block_rams is None else str(entry.block_rams), str(entry.latency_cycles),
            f"{entry.clock_mhz:.0f}", entry.tool_versions["runewire"]]
