"""The page of a study."""

from separatrix.report.page.page import report_page

__all__ = ["report_page"]
