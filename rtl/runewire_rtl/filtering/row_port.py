"""Row port: two registers at an output of the buffer, so that the sink's `ready` reaches no gate before them."""

from __future__ import annotations

from ..report.report_port import ReportPort


class RowPort(ReportPort):
    """Offers the rows of records on a stream of their own.

    The same as `ReportPort`, with rows instead of reports.
    """

    kind = "row_port"
