"""Text of a JSON record, with one line per element, so that a change of a record shows as its lines."""

import json
from typing import Any


def record_text(value: Any) -> str:
    """JSON of an object or list, with a newline at the end.

    Each element of a list is on its own line. Each item of an object that contains a list or object is, too:
    ``{"seed": 1, "sent": [{"bytes": 2}, {"bytes": 3}]}`` has a line for the seed and one for each ``bytes``.
    """
    return _lines(value) + "\n"


def _lines(value: Any) -> str:
    if isinstance(value, dict) and any(isinstance(inner, list | dict | tuple) for inner in value.values()):
        return "{\n" + ",\n".join(f"{_line(key)}: {_lines(inner)}" for key, inner in value.items()) + "\n}"
    if isinstance(value, list | tuple) and value:
        return "[\n" + ",\n".join(map(_line, value)) + "\n]"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
