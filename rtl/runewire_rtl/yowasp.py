"""YoWASP's programs (Yosys and nextpnr from PyPI): ``python -m runewire_rtl.yowasp PROGRAM ARGUMENT…``.

They are compiled for this machine at their first use. YoWASP's runtime writes the compiled file in place and without a
lock, and another process that maps the unfinished file dies of SIGBUS. Here each program has a cache folder of its own.
One process fills it while the others wait, and the folder appears complete or not at all.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from runewire_jobs.cache import built
from runewire_jobs.fingerprint import digest

CACHE = "YOWASP_CACHE_DIR"
"""The environment variable with YoWASP's cache folder."""


PACKERS = {"icepack": "nextpnr-ice40", "ecppack": "nextpnr-ecp5"}
"""Programs that make a bitstream, and the programs whose packages contain them."""


def package(name: str) -> str:
    """The package on PyPI that contains the program ``name``, for example "yosys" or "nextpnr-ecp5"."""
    return f"yowasp-{PACKERS.get(name, name)}"


def extra(name: str) -> str:
    """The extra of this project that brings the program ``name``."""
    return "synth" if name in ("yosys", "nextpnr-ecp5", "nextpnr-ice40", *PACKERS) else "synth-more"


def installed(name: str) -> bool:
    """Whether the package of the program ``name`` is installed."""
    return importlib.util.find_spec(_module(name)) is not None


def command(name: str) -> tuple[str, ...]:
    """The command that runs the program ``name``."""
    return (sys.executable, "-m", __name__, name)


def _module(name: str) -> str:
    return package(name).replace("-", "_")


def main(name: str, arguments: Sequence[str]) -> int:
    """Run the program and return its exit status."""
    run = getattr(importlib.import_module(_module(name)), f"run_{name.replace('-', '_')}")
    try:
        os.environ[CACHE] = str(_compiled(name, run))
    except OSError as error:
        print(f"ERROR: cannot compile {name}: {error}", file=sys.stderr)
        return 1
    return int(run(arguments))


def _compiled(name: str, run: Callable[[Sequence[str]], int]) -> Path:
    """The cache folder with the compiled program ``run``. Raises OSError."""
    from platformdirs import user_cache_path  # installed with YoWASP's runtime, whose default it is

    chosen = os.environ.get(CACHE)
    base = Path(chosen) if chosen else user_cache_path("YoWASP", appauthor=False)
    versions = [importlib.metadata.version(each) for each in (package(name), "yowasp-runtime", "wasmtime")]

    def compile(directory: Path) -> None:
        os.environ[CACHE] = str(directory)
        with _silence():
            status = run(["--version"])
        # icepack has no --version and exits with an error, but was compiled.
        if not any(path.is_file() for path in directory.rglob("*")):
            raise OSError(f"{name} --version ended with status {status}")

    return built("runewire", f"{name}-{digest(*versions, _processor())}", compile, base.absolute())


def _processor() -> str:
    """The processor that code is compiled for. Machines may share a home folder. If one cannot run another's compiled
    program, the runtime would overwrite it."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        return next((line for line in lines if line.startswith(("flags", "Features"))), platform.machine())
    return platform.machine()


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Discard standard output and error, also the ones of WebAssembly."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(nowhere, number)
        yield
    finally:
        sys.stderr.flush()
        for number, before in zip((1, 2), kept, strict=True):
            os.dup2(before, number)
            os.close(before)
        os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
