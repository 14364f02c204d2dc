"""Whether each claim of the paper holds, in words computed from the runs."""

from adjudge.studies.findings.document import findings

__all__ = ["findings"]
