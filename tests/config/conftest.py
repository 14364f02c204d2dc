from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.config import RunFile, load_run_file
from adjudge.errors import ConfigError


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., RunFile]:
    """What a run file of this content says, in an environment that is empty unless given."""

    def loaded(content: str | bytes, **options: object) -> RunFile:
        path = tmp_path / "run.yaml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return load_run_file(path, **{"environment": {}, **options})  # type: ignore[arg-type]

    return loaded


@pytest.fixture
def problems(load: Callable[..., RunFile], tmp_path: Path) -> Callable[..., list[str]]:
    """Everything that is said to be wrong with a run file of this content."""

    def told(content: str | bytes, **options: object) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(content, **options)
        return [problem.replace(f"{tmp_path}/", "") for problem in caught.value.problems]

    return told
