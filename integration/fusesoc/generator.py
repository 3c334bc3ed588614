"""What FuseSoC runs to generate a core (gapi 1.0): ``generator.py INPUT``, in the folder that takes the files."""

import sys
from pathlib import Path


def main(request: Path) -> str | None:
    """Write the core that the file ``request`` asks for; returns what went wrong, in a line."""
    try:
        import yaml
        from runewire_model import ParameterError
        from runewire_rtl.packages.fusesoc import generated
    except ModuleNotFoundError as error:
        return f"{sys.executable} has no module {error.name}: pip install 'runewire[fusesoc]'"
    try:
        generated(yaml.safe_load(request.read_text(encoding="utf-8")), Path())
    except (ParameterError, OSError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    wrong = main(Path(sys.argv[1]))
    sys.exit(wrong and f"runewire: {wrong}")
