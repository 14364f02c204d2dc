import pytest

from adjudge.report.content import ReportContent
from adjudge.run import Result
from tests.report.runs import spoken_content


@pytest.fixture(scope="session")
def spoken_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[ReportContent, Result]:
    """A real run with judges that speak, and its report; nobody changes them."""
    return spoken_content(tmp_path_factory.mktemp("spoken") / "ledger.db")
