"""The document of the command line says what the program takes."""

from tests.cli_reference import DOCUMENT, reference, written


def test_every_command_and_option_is_documented_as_it_is() -> None:
    document = DOCUMENT.read_text()
    assert written(document) == document, "run: python -m tests.cli_reference"


def test_every_command_shows_an_example() -> None:
    for section in reference().split("\n## adjudge ")[1:]:
        assert "```sh\nadjudge " in section, section.splitlines()[0]
