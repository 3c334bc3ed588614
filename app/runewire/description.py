"""Reader of a core's JSON description."""

import json
from pathlib import Path
from typing import Any

from runewire_model import ParameterError, TranscoderParameters, __version__
from runewire_model.core_options import generate_command
from runewire_rtl import describe

from .files import input_bytes
from .usage_errors import UsageFailure


def described(path: Path) -> tuple[TranscoderParameters, bool]:
    """The core in a description file (``-`` for standard input): its parameters, and whether its registers have initial
    values.

    Raises UsageFailure for a file that is not a description, and for one that this version of runewire would write
    differently: the same parameters then give other files.
    """
    content = _content(path)
    try:
        record: dict[str, Any] = {name: content[name] for name in ("core", "from", "to") if name in content}
        parameters = TranscoderParameters.of({**record, **content["parameters"]})
    except ParameterError as error:
        raise UsageFailure(f"{path} describes no core that runewire {__version__} has: {error}") from error
    initial_values = content.get("initial_values") is not False
    if content["version"] != __version__:
        command = generate_command(parameters, initial_values=initial_values, output="DIR")
        raise UsageFailure(f"{path} was written by runewire {content['version']}, and this is {__version__}: its files "
                           f"would differ. To write them: {command}")
    own = json.loads(json.dumps(describe(parameters, initial_values=initial_values)))
    changed = [name for name in {**own, **content} if own.get(name) != content.get(name)]
    if changed:
        raise UsageFailure(f"{path} was changed, or describes another design than this version's: it differs in "
                           f"{', '.join(changed)}")
    return parameters, initial_values


def _content(path: Path) -> dict[str, Any]:
    with input_bytes(path) as view:
        text = bytes(view)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if (not isinstance(content, dict) or not {"top", "core", "version"} <= {*content}
            or not isinstance(content.get("parameters"), dict)):
        raise UsageFailure(f"{path} is no description of a core, such as the .json next to a core's .v")
    return content
