"""Row port: two registers at the output of the rejects, so that the sink's `ready` reaches no gate before them."""

from __future__ import annotations

from ..report.report_port import ReportPort


class RowPort(ReportPort):
    """Offers the rows of records on a stream of their own.

    The same as `ReportPort`, with rows instead of reports.
    """

    kind = "row_port"
