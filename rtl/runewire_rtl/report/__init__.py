"""Report of a packet: its first error, its counters, the ends of records, and the port of reports."""
