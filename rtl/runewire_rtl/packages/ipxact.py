"""IP-XACT (IEEE 1685-2014): a component with its AXI4-Stream interfaces, its ports and its files.

The bus type is Arm's own definition, ``amba.com:AMBA4:AXI4Stream:r0p0_1``. The default value of ``s_axis_tkeep`` is all
ones, for an unconnected port.
"""

from __future__ import annotations

from xml.etree import ElementTree

from runewire_model import TranscoderParameters, __version__

from ..ports import KEEP, ports
from ..verilog import top_name
from .base import Bus, Package, buses, title

NAMESPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"
BUS = {"vendor": "amba.com", "library": "AMBA4", "name": "AXI4Stream", "version": "r0p0_1"}


def component(parameters: TranscoderParameters) -> str:
    """The component's text."""
    top = top_name(parameters)
    root = ElementTree.Element("ipxact:component", {
        "xmlns:ipxact": NAMESPACE, "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "xsi:schemaLocation": f"{NAMESPACE} {NAMESPACE}/index.xsd"})
    for name, text in (("vendor", "runewire"), ("library", "cores"), ("name", top), ("version", __version__)):
        _add(root, name, text)
    interfaces = _add(root, "busInterfaces")
    for bus in buses(parameters):
        _interface(interfaces, bus)
    model = _add(root, "model")
    view = _add(_add(model, "views"), "view")
    _add(view, "name", "verilog")
    _add(view, "componentInstantiationRef", "core")
    instantiation = _add(_add(model, "instantiations"), "componentInstantiation")
    for name, text in (("name", "core"), ("language", "verilog"), ("moduleName", top)):
        _add(instantiation, name, text)
    _add(_add(instantiation, "fileSetRef"), "localName", "verilog")
    listed = _add(model, "ports")
    for port in ports(parameters):
        each = _add(listed, "port")
        _add(each, "name", port.name)
        _add(each, "description", port.text)
        wire = _add(each, "wire")
        _add(wire, "direction", port.direction.removesuffix("put"))
        if port.width > 1:
            vector = _add(_add(wire, "vectors"), "vector")
            _add(vector, "left", str(port.width - 1))
            _add(vector, "right", "0")
        if port.name == KEEP:
            ones = f"{port.width}'h{(1 << port.width) - 1:X}"
            _add(_add(_add(wire, "drivers"), "driver"), "defaultValue", ones)
    files = _add(_add(root, "fileSets"), "fileSet")
    _add(files, "name", "verilog")
    file = _add(files, "file")
    _add(file, "name", f"{top}.v")
    _add(file, "fileType", "verilogSource")
    _add(root, "description", title(parameters))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n{text}\n'


def _add(parent: ElementTree.Element, name: str, text: str | None = None) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, f"ipxact:{name}")
    child.text = text
    return child


def _interface(interfaces: ElementTree.Element, bus: Bus) -> None:
    interface = _add(interfaces, "busInterface")
    _add(interface, "name", bus.name)
    _add(interface, "busType").attrib.update(BUS)
    abstraction = _add(_add(interface, "abstractionTypes"), "abstractionType")
    _add(abstraction, "abstractionRef").attrib.update(BUS | {"name": f"{BUS['name']}_rtl"})
    maps = _add(abstraction, "portMaps")
    for signal, port in bus.signals.items():
        mapped = _add(maps, "portMap")
        _add(_add(mapped, "logicalPort"), "name", signal.upper())
        _add(_add(mapped, "physicalPort"), "name", port.name)
    _add(interface, "slave" if bus.slave else "master")


PACKAGE = Package("IP-XACT 1685-2014: a component with its buses, ports and files",
                  lambda parameters: {f"{top_name(parameters)}.xml": component(parameters)})
