"""Fingerprints of content and of Python sources: equal fingerprints mean equal results."""

import hashlib
import importlib.metadata
import importlib.util
import re
from functools import cache
from pathlib import Path

PROJECT = ("runewire_jobs", "runewire_drawing", "runewire_model", "runewire_rtl", "runewire_proofs", "runewire_sim",
           "runewire_fpga", "runewire_benchmark", "runewire_configurator", "runewire")
"""Every package of the project that the wheel has."""
COMPILED = (".pyc", ".pyo")


def digest(*parts: str | bytes) -> str:
    """Fingerprint of the sequence ``parts``: 32 hexadecimal digits of a SHA-256."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(len(data).to_bytes(8, "little") + data)
    return sha.hexdigest()[:32]


def verilog_digest(text: str) -> str:
    """Fingerprint of Verilog without comments, which name the version of runewire, and with any line ends."""
    return digest(" ".join(re.sub(r"//.*", "", text).split()))


@cache
def sources(*packages: str) -> str:
    """Fingerprint of every file of installed packages, for example "runewire_rtl", and of the Amaranth below them."""
    parts: list[str | bytes] = [importlib.metadata.version("amaranth")]
    for package in packages:
        found = importlib.util.find_spec(package)
        if found is None or found.origin is None:
            raise ModuleNotFoundError(f"no package {package!r} is installed")
        folder = Path(found.origin).parent
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix not in COMPILED:
                parts += [f"{package}/{path.relative_to(folder).as_posix()}", path.read_bytes()]
    return digest(*parts)
