"""The machine on which software is measured."""

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

import runewire_model


@dataclass(frozen=True)
class Machine:
    """A machine. ``cpu``: the processor's model. ``caches``: the caches of one core."""

    cpu: str
    cpus: int
    caches: str
    system: str
    python: str
    runewire: str

    @property
    def largest_cache(self) -> int:
        """Bytes of the largest cache, 0 if the caches are unknown."""
        units = {"KiB": 1 << 10, "MiB": 1 << 20}
        sizes = [cache.split()[1:] for cache in self.caches.split(", ") if cache]
        return max((int(number) * units[unit] for number, unit in sizes), default=0)


def machine() -> Machine:
    """This machine."""
    return Machine(
        cpu=_processor(),
        cpus=os.cpu_count() or 1,
        caches=caches(Path("/sys/devices/system/cpu/cpu0/cache")),
        system=f"{platform.system()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        runewire=runewire_model.__version__,
    )


def load() -> tuple[float, ...]:
    """The system's load average over a minute, in a tuple; empty if the system has none."""
    return os.getloadavg()[:1] if hasattr(os, "getloadavg") else ()


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        return processor(info.read_text(encoding="utf-8", errors="replace"))
    if platform.system() == "Darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
        return asked.stdout.strip() or platform.machine()
    # Windows returns the model's numbers.
    return platform.processor() or platform.machine()


def processor(info: str) -> str:
    """The model of the first processor in ``info``, the text of /proc/cpuinfo.

    A virtual machine may show a shortened name, "AMD EPYC". Then the model's numbers follow, and the vector extension
    that selects simdutf's code.
    """
    fields: dict[str, str] = {}
    for line in info.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    numbers = [f"{said} {fields[key]}" for key, said in (
        ("cpu family", "family"), ("model", "model"), ("stepping", "stepping"),
        ("CPU implementer", "implementer"), ("CPU part", "part"), ("CPU variant", "variant")) if key in fields]
    flags = fields.get("flags", fields.get("Features", "")).split()
    widest = next((name for flag, name in (
        ("avx512_vbmi2", "AVX-512"), ("avx2", "AVX2"), ("sve2", "SVE2"), ("asimd", "NEON")) if flag in flags), None)
    name = fields.get("model name") or fields.get("Model") or platform.machine()
    detail = "; ".join([", ".join(numbers), *filter(None, [widest])]).strip("; ")
    return f"{name} ({detail})" if detail else name


def caches(folder: Path) -> str:
    """Data caches of a core, nearest first, as Linux describes them in ``folder``; empty if it does not."""
    found = []
    for index in sorted(folder.glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            kibibytes = int(size.removesuffix("K"))
            found.append(f"L{level} {kibibytes // 1024} MiB" if kibibytes >= 1024 else f"L{level} {kibibytes} KiB")
    return ", ".join(found)
