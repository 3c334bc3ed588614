"""Release for users without Python: cores as files, an example, a page and checksums; as a folder or a zip."""

import hashlib
import importlib.metadata
import os
import shutil
import time
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from runewire_benchmark.datasheet import Entry
from runewire_jobs.cache import built
from runewire_jobs.files import write_whole
from runewire_jobs.fingerprint import digest
from runewire_model import ParameterError, TranscoderParameters, __version__, parameters
from runewire_model.core_options import core_parameters, generate_command
from runewire_model.errors import Named
from runewire_model.transcoder import CORES, widths
from runewire_rtl import generate, top_name
from runewire_rtl.packages import PACKAGES
from runewire_sim.design import generator

PAGE = "README.md"
SUMS = "SHA256SUMS"
LICENSE = "LICENSE"


EXAMPLE = "example"
"""Folder of a design around a core, and its test bench."""
EXAMPLE_CORE = parameters("validator", lanes=8)
SITE = "site"
"""Folder of the project's pages."""
EARLIEST = 315532800
"""1 January 1980, the first second that a zip can store."""

SHOWN = (
    core_parameters("decoder", lanes=2, family="generic"),
    core_parameters("decoder", lanes=8, report_port="only"),
    core_parameters("decoder", lanes=8, id=8, flows=256),
    core_parameters("filter", lanes=8, longest=16384, rejects=True),
    core_parameters("sanitizer", lanes=8, replacement=0x3F),
    core_parameters("transcoder", from_="utf-8", to="utf-16le", lanes=8),
    core_parameters("validator", lanes=4, offset_bits=24, count=("code-points", "bad-records"), records=0x0A, user=3),
    core_parameters("validator", lanes=8, records=0x0A, count=("bad-records",)),
)
"""The cores that commands on the project's pages generate, except named cores without options and measured ones."""


def named() -> list[TranscoderParameters]:
    """Each core with a name, in each width, and the cores that the pages show."""
    return [*(parameters(core, lanes=lanes) for core in CORES for lanes in widths(core)), *SHOWN]


def measured(entries: Iterable[Entry]) -> list[TranscoderParameters]:
    """The cores of a datasheet, each once."""
    return list(dict.fromkeys(entry.parameters for entry in entries))


def write(directory: Path, cores: Sequence[TranscoderParameters], entries: Sequence[Entry],
          watch: Callable[[TranscoderParameters], None], site: Path | None = None) -> None:
    """Write each core, with all packages, into a folder of its own in ``directory``; and next to the folders an
    example, the page with the measurements of ``entries``, the licence and the checksums.

    ``watch`` is called with each core that begins. Cores are cached, so an interrupted release continues where it
    stopped. ``site``: folder of the built site, which is copied. Raises OSError.
    """
    for core in cores:
        watch(core)
        folder = directory / top_name(core)
        folder.mkdir()
        for path in sorted(_generated(core).iterdir()):
            write_whole(folder / path.name, path.read_bytes())
    if EXAMPLE_CORE in cores:
        shutil.copytree(Path(__file__).parent / EXAMPLE, directory / EXAMPLE, copy_function=shutil.copyfile)
    if site is not None:
        shutil.copytree(site, directory / SITE, copy_function=shutil.copyfile)
    write_whole(directory / PAGE, page(cores, entries, site is not None).encode())
    write_whole(directory / LICENSE, licence().encode())
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(directory).as_posix()}\n"
            for path in files]
    write_whole(directory / SUMS, "".join(sums).encode())


def check_site(folder: Path) -> None:
    """Raise ParameterError unless the folder is a built site."""
    if not (folder / "index.html").is_file():
        raise ParameterError(Named("site"), " must be a folder with an index.html, as `make site` makes one, got "
                             f"{folder}")


def archive(directory: Path, file: Path) -> None:
    """Write the folder of a release as a zip, the same bytes from the same files. Raises OSError.

    Files are dated by SOURCE_DATE_EPOCH of the environment, without it 1980.
    """
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH") or 0), EARLIEST))[:6]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for path in sorted(path for path in directory.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"runewire-{__version__}/{path.relative_to(directory).as_posix()}", date)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3  # Unix, wherever it is written
            made.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


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


def page(cores: Sequence[TranscoderParameters], entries: Sequence[Entry], has_site: bool) -> str:
    """The page of the release in Markdown: its contents, their use, and the measurements of each core."""
    rows = [_row(entry) for entry in entries]
    head = ["core", "what it is", "device", "speed", "LUT", "FF", "block RAM", "latency, cycles", "clock, MHz",
            "measured"]
    rule = ["---"] * 4 + ["--:"] * 5 + ["---"]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
    known = measured(entries)
    others = "".join(f"| [{top_name(core)}]({top_name(core)}/) | {core} | `{generate_command(core)}` |\n"
                     for core in cores if core not in known)
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
cd {top_name(cores[0])}
iverilog -g2012 -o sim *.v *_tb.sv && vvp -n sim
```

Icarus, Verilator (from Debian's 5.006 on, test benches with `--timing`) and Yosys read every `.v` and `.sv` file.
Registers have initial values; for a device that loads none, `runewire generate --initial-values no` makes the core
again. `sha256sum -c {SUMS}` checks that all files are whole. The
licence of all files is Apache-2.0: [{LICENSE}]({LICENSE}).
{_example() if EXAMPLE_CORE in cores else ""}{SITE_LINE if has_site else ""}
## Datasheet

Clock is what the placed core holds and all parts of the device carry, on the device and in the version of runewire
that the row names.

{table}
{OTHERS + others if others else ""}"""


SITE_LINE = f"""
The project's pages, with tutorials, are in [{SITE}/index.html]({SITE}/index.html); they need no network.
"""
OTHERS = """
## Cores without measurements

| core | what it is | command that generates it |
|---|---|---|
"""


def _example() -> str:
    """The section about the example."""
    top = top_name(EXAMPLE_CORE)
    return f"""
## Example

A design with a validator in it, which counts ill-formed packets, and a bench that sends it a good one and a bad one:

```sh
cd {EXAMPLE}
verilator --binary --top-module bench bench.sv text_gate.v ../{top}/{top}.v && obj_dir/Vbench
```
"""


def _row(entry: Entry) -> list[str]:
    top = top_name(entry.parameters)
    return [f"[{top}]({top}/)", entry.name, entry.device, entry.speed, str(entry.luts), str(entry.ffs),
            "" if entry.block_rams is None else str(entry.block_rams), str(entry.latency_cycles),
            f"{entry.clock_mhz:.0f}", entry.tool_versions["runewire"]]
