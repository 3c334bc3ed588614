"""The splitter: each record of a packet becomes a packet, aligned to lane 0.

`finding` says how many rows a beat ends and where, `turns` gives each row a cycle, `aligning` moves its bytes to
lane 0, and `splitter` joins the three.
"""
