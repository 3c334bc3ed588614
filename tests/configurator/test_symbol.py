"""The symbol shows each port with its width."""

import re

import pytest
from runewire_configurator.symbol import symbol
from runewire_model import TranscoderParameters, parameters
from runewire_rtl.ports import ports


@pytest.mark.parametrize("core", [
    parameters("validator"), parameters("encoder", lanes=16, user=3, id=5, dest=7),
    parameters("validator", lanes=256, records=0x0A, report_port="beside", count=("bytes", "bad-records")),
], ids=str)
def test_each_port_is_there_with_its_width(core: TranscoderParameters) -> None:
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", symbol(core))
    for port in ports(core):
        assert port.name.rpartition("_")[2] in texts
        assert port.width == 1 or str(port.width) in texts
    assert [text for text in texts if text.isdigit()] != []
    assert sum(text.isdigit() for text in texts) == sum(port.width > 1 for port in ports(core))
