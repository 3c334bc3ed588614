"""The symbol shows each port with its width."""

import re
from typing import Any

import pytest
from runewire_configurator.symbol import symbol
from runewire_model import TranscoderParameters
from runewire_rtl.ports import ports


@pytest.mark.parametrize("record", [
    {"core": "validator"}, {"core": "encoder", "lanes": 16, "user": 3, "id": 5, "dest": 7},
    {"core": "validator", "lanes": 256, "records": 0x0A, "report_port": "beside", "count": ["bytes", "bad-records"]},
], ids=lambda record: record["core"])
def test_each_port_is_there_with_its_width(record: dict[str, Any]) -> None:
    core = TranscoderParameters.of(record)
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", symbol(core))
    for port in ports(core):
        assert port.name.rpartition("_")[2] in texts
        assert port.width == 1 or str(port.width) in texts
    assert sum(text.isdigit() for text in texts) == sum(port.width > 1 for port in ports(core))
