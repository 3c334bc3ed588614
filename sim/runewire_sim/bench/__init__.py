"""cocotb test benches for the cores, and their parts.

`drivers` has sources, sinks, monitors and a scoreboard; `checks` is a bench for any build of a core,
configured by the environment; `replay` plays packets from a file.
"""
