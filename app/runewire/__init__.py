"""The ``runewire`` command."""
