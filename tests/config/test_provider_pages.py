"""The run files of docs/providers load, and the pages tell what the code does."""

import re
from pathlib import Path

import pytest

from adjudge.config.sample import SAMPLE_ITEMS, SampleProvider
from adjudge.judges.providers import PROVIDERS
from adjudge.run import dry_run

PAGES = Path(__file__).resolve().parents[2] / "docs" / "providers"
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", sorted(PAGES.glob("[a-z]*.md")), ids=lambda page: page.stem)
def test_the_run_file_of_a_page_loads_and_can_be_priced(load, tmp_path, page):
    (tmp_path / "items.jsonl").write_text(SAMPLE_ITEMS)
    (text,) = BLOCK.findall(page.read_text())
    read = load(text)
    assert dry_run(read.plan(read.read_items())).most > 0


def test_every_provider_has_a_page_and_stands_in_the_table_as_it_is():
    table = (PAGES / "README.md").read_text()
    for name, provider in PROVIDERS.items():
        (row,) = [line for line in table.splitlines() if f"`{name}/`" in line and "|" in line]
        assert f"`{provider.protocol.name}`" in row
        assert provider.key is None or f"`{provider.key}`" in row
        local = (provider.base_url or "").startswith("http://localhost")
        assert local or not provider.base_url or f"`{provider.base_url}`" in row
        assert not local or provider.base_url.split(":")[-1].removesuffix("/v1") in row
    assert set(SampleProvider) <= set(PROVIDERS)
