"""SDC: constraints for synthesis and static timing analysis, of ASIC flows most of all."""

from __future__ import annotations

from .base import Package, sdc

PACKAGE = Package("SDC: constraints for synthesis and timing analysis", sdc)
