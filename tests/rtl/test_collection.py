"""Garbage collection is off while a core is built, and afterwards as it was before."""

import gc

import pytest
from runewire_rtl.collection import collection_paused


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_collection_is_as_before_when_it_ends(before: bool, fails: bool) -> None:
    was = gc.isenabled()
    (gc.enable if before else gc.disable)()
    try:
        try:
            with collection_paused():
                assert not gc.isenabled()
                if fails:
                    raise ValueError
        except ValueError:
            assert fails
        assert gc.isenabled() is before
    finally:
        (gc.enable if was else gc.disable)()
