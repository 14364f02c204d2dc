"""Whether each claim of the paper holds, as text generated from the runs."""

from adjudge.studies.findings.document import findings

__all__ = ["findings"]
