"""The IP-XACT component against the standard's schema, which comes from a package on PyPI."""

from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree
from pyEDAA import IPXACT
from runewire_model import TranscoderParameters
from runewire_rtl import Generated, describe, parameters
from runewire_rtl.packages.ipxact import NAMESPACE, component

CORES: list[dict[str, Any]] = [
    {"core": "decoder", "lanes": 8},
    {"core": "validator", "lanes": 1, "report": "none"},
    {"core": "transcoder", "from": "utf-16be", "to": "utf-8", "lanes": 2, "report_port": "only"},
]


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    [path] = IPXACT.__path__
    return etree.XMLSchema(etree.parse(f"{path}/Schema/ieee-1685-2014/index.xsd"))


@pytest.mark.parametrize("options", CORES, ids=lambda options: options["core"])
def test_it_is_valid(options: dict[str, Any], schema: etree.XMLSchema) -> None:
    schema.assertValid(etree.fromstring(component(TranscoderParameters.of(options)).encode()))


@pytest.mark.parametrize(("text", "instead"), [
    ("<ipxact:direction>in<", "<ipxact:direction>input<"), ("<ipxact:slave />", ""), ("<ipxact:library>cores<", "<x>"),
])
def test_the_schema_finds_what_is_wrong(text: str, instead: str, schema: etree.XMLSchema) -> None:
    good = component(parameters("validator", lanes=2))
    assert text in good
    tree = etree.fromstring(good.replace(text, instead).encode(), etree.XMLParser(recover=True))
    assert not schema.validate(tree)


def test_ports_and_buses_are_those_of_the_core(everything: dict[str, Any], packaged: Callable[..., Generated]) -> None:
    made = packaged("ipxact", **everything)
    root = etree.parse(made.packaged[0]).getroot()
    space = {"ipxact": NAMESPACE}

    def found(path: str, node: Any = root) -> list[str]:
        return [str(each.text) for each in node.findall(path, space)]

    ports = [{"name": port.findtext("ipxact:name", namespaces=space),
              "direction": port.findtext(".//ipxact:direction", namespaces=space) + "put",
              "width": int(port.findtext(".//ipxact:left", default="0", namespaces=space)) + 1,
              "description": port.findtext("ipxact:description", namespaces=space)}
             for port in root.findall(".//ipxact:ports/ipxact:port", space)]
    assert ports == describe(parameters(**everything))["ports"]
    defaults = {port.findtext("ipxact:name", namespaces=space): default.text
                for port in root.findall(".//ipxact:ports/ipxact:port", space)
                for default in port.findall(".//ipxact:driver/ipxact:defaultValue", space)}
    assert defaults == {"s_axis_tkeep": "4'hF"}, "an unconnected tkeep is all ones, and nothing else has a default"
    buses = root.findall(".//ipxact:busInterface", space)
    assert [found("ipxact:name", bus) for bus in buses] == [["s_axis"], ["m_axis"], ["m_report"]]
    assert [bus.find("ipxact:slave", space) is not None for bus in buses] == [True, False, False]
    for bus in buses:
        logical, physical = (found(f".//ipxact:{kind}Port/ipxact:name", bus) for kind in ("logical", "physical"))
        [name] = found("ipxact:name", bus)
        assert physical == [f"{name}_{signal.lower()}" for signal in logical]
    assert found(".//ipxact:file/ipxact:name") == [made.verilog.name]
