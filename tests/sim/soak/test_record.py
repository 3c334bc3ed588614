"""Records of soaks as text."""

import pytest
from runewire_sim.soak import SoakRecord


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"seed": 1, "failures": [], "configurations": {}, "more": 1}', "7"])
def test_another_text_is_no_record(text: str) -> None:
    with pytest.raises(ValueError, match="it is no record of a soak"):
        SoakRecord.of(text)
