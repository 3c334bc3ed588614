"""Options and fixtures of all rooms."""

import re
import shutil
import signal
from collections.abc import Callable

import pytest
from runewire_model import DecoderParameters, EncoderParameters, ValidatorParameters
from runewire_sim import SIMULATORS

PARAMETERS = (DecoderParameters, EncoderParameters, ValidatorParameters)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--simulator", choices=sorted(SIMULATORS), default="verilator",
                     help="the simulator of tests that can run on any (verilator)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "icarus: needs Icarus Verilog, skipped without it")
    # A shell starts what runs in its background with Ctrl-C ignored, and so would be all that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a core go to one worker, which builds its simulator once; Icarus's are skipped without it."""
    missing = pytest.mark.skip(reason="Icarus Verilog is not installed: apt-get install iverilog")
    for item in items:
        callspec = getattr(item, "callspec", None)
        for value in callspec.params.values() if callspec is not None else ():
            if isinstance(value, PARAMETERS):
                item.add_marker(pytest.mark.xdist_group(repr(value)))
                break
        if item.get_closest_marker("icarus") and shutil.which("iverilog") is None:
            item.add_marker(missing)


@pytest.fixture(scope="session")
def simulator(request: pytest.FixtureRequest) -> str:
    """The simulator chosen with ``--simulator``."""
    name = request.config.getoption("--simulator")
    assert isinstance(name, str)
    if name == "icarus" and shutil.which("iverilog") is None:
        pytest.skip("Icarus Verilog is not installed: apt-get install iverilog")
    return name


@pytest.fixture(scope="session")
def without_initial_values() -> Callable[[str], str]:
    """Takes the initial values out of a core's Verilog: every register and memory is unknown at the start."""
    def stripped(verilog: str) -> str:
        verilog = re.sub(r"^( *reg [^;\n=]*?) = [^;\n]*;", r"\1;", verilog, flags=re.MULTILINE)
        verilog = re.sub(r"^ *initial (begin\n(?:.*\n)*? *end|.*;)\n", "", verilog, flags=re.MULTILINE)
        assert not re.search(r"\binitial\b|^ *reg\b.*=", verilog, flags=re.MULTILINE)
        return verilog

    return stripped
