"""The machine's processor, identified by its model."""

from pathlib import Path

import pytest
from runewire_benchmark.machine import caches, load, machine, processor

EPYC = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
stepping\t: 1
flags\t\t: fpu sse2 avx2 avx512f avx512_vbmi2

processor\t: 1
model name\t: another
"""
ARM = """processor\t: 0
Features\t: fp asimd sve2
CPU implementer\t: 0x41
CPU variant\t: 0x0
CPU part\t: 0xd4f
"""


@pytest.mark.parametrize(("info", "name"), [
    (EPYC, "AMD EPYC (family 25, model 17, stepping 1; AVX-512)"),
    (EPYC.replace(" avx512_vbmi2", ""), "AMD EPYC (family 25, model 17, stepping 1; AVX2)"),
    (f"{ARM}Model\t: A board\n", "A board (implementer 0x41, part 0xd4f, variant 0x0; SVE2)"),
    ("model name: Nameless\n", "Nameless"),
])
def test_a_processor_is_named_by_its_model(info: str, name: str) -> None:
    """A virtual machine's "AMD EPYC" may be any of four generations."""
    assert processor(info) == name


def test_caches_are_those_of_data(tmp_path: Path) -> None:
    for number, (level, kind, size) in enumerate((("1", "Data", "48K"), ("1", "Instruction", "64K"),
                                                  ("2", "Unified", "2048K"))):
        folder = tmp_path / f"index{number}"
        folder.mkdir()
        for name, value in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(f"{value}\n")
    assert caches(tmp_path) == "L1 48 KiB, L2 2 MiB"
    assert caches(tmp_path / "nowhere") == ""


def test_this_machine_has_a_name() -> None:
    here = machine()
    assert here.cpu
    assert here.cpus >= 1
    assert here.python.split()[1].startswith("3.")
    assert len(load()) <= 1
