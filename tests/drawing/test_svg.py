"""SVG elements: well-formed, escaped, and text no wider than it is estimated."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from runewire_drawing.svg import circle, document, group, path, rectangle, text, text_width, wrapped

SPACE = "{http://www.w3.org/2000/svg}"


def test_a_document_stands_alone() -> None:
    parts = [text(1, 2.25, "a < b & c", "note", "middle"), path("M0 0h3", "line"), circle(3, 4, 5, "dot"),
             group([rectangle(0, 0, 7, 8, "box")], 10, 20.5)]
    root = ElementTree.fromstring(document(300, 40.5, parts, style=".box { fill: red }", title='<"title">'))
    assert (root.tag, root.attrib["viewBox"], root.attrib["height"]) == (f"{SPACE}svg", "0 0 300 40.5", "40.5")
    assert [element.tag.removeprefix(SPACE) for element in root] == [
        "title", "style", "rect", "text", "path", "circle", "g"]
    title, _, paper, label, *_, moved = root
    assert title.text == '<"title">'
    assert paper.attrib == {"x": "0", "y": "0", "width": "300", "height": "40.5", "rx": "8", "class": "paper"}
    assert (label.text, label.attrib) == ("a < b & c", {"x": "1", "y": "2.2", "text-anchor": "middle", "class": "note"})
    assert moved.attrib == {"transform": "translate(10 20.5)"}
    assert [element.attrib["class"] for element in moved] == ["box"]


def test_an_attribute_without_a_value_is_left_out() -> None:
    assert text(0, 0, "a") == '<text x="0" y="0">a</text>'


def test_capitals_are_wider() -> None:
    assert text_width("", 12) == 0
    assert text_width("ab", 12) < text_width("AB", 12) < text_width("MW", 12) == text_width("\u4e2d\u6587", 12)


@pytest.mark.parametrize("content", ["", "one", "ARABIC LIGATURE UIGHUR KIRGHIZ YEH", "a " * 99])
def test_wrapped_lines_fit_and_hold_every_word(content: str) -> None:
    lines = wrapped(content, 200, 13)
    assert " ".join(lines) == content.strip()
    assert max(text_width(line, 13) for line in lines) <= 200
    for line, after in pairwise(lines):
        assert text_width(f"{line} {after.split()[0]}", 13) > 200


def test_a_circle_has_a_title_that_is_escaped() -> None:
    assert circle(1, 2, 3, "dot", title="a < b") \
        == '<circle cx="1" cy="2" r="3" class="dot"><title>a &lt; b</title></circle>'
