"""cocotb test benches for the cores, and their parts.

`core_bench` puts a core between the sources, sinks and monitors of `drivers` and a `scoreboard`. `checks` is a bench
for any build of a core, configured by the environment; `replay` plays packets from a file.
"""
