"""Timing diagrams: what a reader sees next to a wave."""

import re
from pathlib import Path

import pytest
from runewire_pages.part import DOCS


@pytest.mark.parametrize("picture", sorted(DOCS.glob("timing-*.svg")), ids=lambda path: path.stem)
def test_the_port_stands_next_to_its_wave(picture: Path) -> None:
    """Regression: `out_error_kind` stood there, and `m_axis_tuser[3:1]` in pale letters at the edge."""
    labels = re.findall(r'text-anchor="end"[^>]*>([^<]+)</text>', picture.read_text(encoding="utf-8"))
    assert labels[:2] == ["cycle", "aclk"]
    ports = [re.fullmatch(r"(aresetn|(?:[sm]_axis|m_rejects)_t\w+)(\[[\d:]+\])?", label) for label in labels[2:]]
    assert all(ports), labels
    assert len(ports) > 5
