"""JSON Schema (draft 2020-12) of a file of vectors."""

from typing import Any

_COUNT = {"type": "integer", "minimum": 0}
_HEX = {"type": "string", "pattern": "^([0-9A-F]{2})*$"}
_KIND = {"enum": ["invalid-start", "invalid-continuation", "unexpected-end"]}


def _object(needed: dict[str, Any], open_ended: bool = False) -> dict[str, Any]:
    return {"type": "object", "properties": needed, "required": [*needed], "additionalProperties": open_ended}


def _described(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, **schema}


_ERROR = _object({
    "grammar": _described(
        "by the standard's grammar: offset of the first unit that cannot continue a well-formed text; the number of "
        "complete units if the text ends too early", _object({"kind": _KIND, "offset": _COUNT})),
    "subpart": _described(
        "by Unicode, WHATWG and CPython: offset and length of the first maximal subpart",
        _object({"kind": _KIND, "offset": _COUNT, "length": {"type": "integer", "minimum": 1}})),
    "simdutf": _described(
        "by simdutf's validate_*_with_errors: offset of the first ill-formed sequence, and kind by structure first",
        _object({"kind": {"enum": ["HEADER_BITS", "TOO_SHORT", "TOO_LONG", "OVERLONG", "TOO_LARGE", "SURROGATE"]},
                 "code": {"type": "integer", "minimum": 1, "maximum": 6}, "offset": _COUNT})),
})

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Conformance vectors of a Unicode encoding",
    "$comment": "Later editions may add fields to a vector, for example how a text is cut into segments: ignore fields "
                "that you do not know. 'format' rises when that would be wrong.",
    **_object({
        "format": _described("version of this format", {"const": 1}),
        "edition": _described("rises when a vector is added, changed or removed", {"type": "integer", "minimum": 1}),
        "encoding": {"enum": ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"]},
        "unit_bytes": _described("bytes of a unit; offsets and lengths count units", {"enum": [1, 2, 4]}),
        "traps": {"type": "array", "items": _object({
            "name": {"type": "string"},
            "title": _described("what the trap's texts have in common", {"type": "string"}),
            "mistake": _described("the usual mistake of a decoder that fails", {"type": "string"}),
            "source": _described("where the trap is from", {"type": "string"}),
        })},
        "vectors": _described("texts in the order to send them: some look for state of the one before",
                              {"type": "array", "items": _object({
                                  "id": _described("unique, begins with the trap", {"type": "string"}),
                                  "trap": {"type": "string"},
                                  "bytes": _described("the text", _HEX),
                                  "well_formed": {"type": "boolean"},
                                  "scalars": _described(
                                      "code points, with U+FFFD (65533) for each maximal subpart",
                                      {"type": "array", "items": {"type": "integer", "minimum": 0,
                                                                  "maximum": 0x10FFFF}}),
                                  "replaced": _described("indexes in 'scalars' of these U+FFFD",
                                                         {"type": "array", "items": _COUNT}),
                                  "output": _described("'scalars' in UTF-8", _HEX),
                                  "first_error": _described("null for well-formed text",
                                                            {"anyOf": [{"type": "null"}, _ERROR]}),
                              }, open_ended=True)}),
    }, open_ended=True),
}
