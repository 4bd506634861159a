"""The file of sentences that an operator ships."""

from pathlib import Path

import pytest

from souvenir.errors import SettingsError
from souvenir.memory.general import read_sentences


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "global.txt"


@pytest.mark.req("LIFE-6")
def test_a_line_is_a_sentence_unless_it_is_empty_a_comment_or_there_already(file: Path) -> None:
    file.write_text(
        "\ufeff# for all\n\n  The  cafeteria opens at 11 \r\n#x\n咖啡厅十一点开门\nThe cafeteria opens at 11\n"
    )
    assert read_sentences(file) == ("The cafeteria opens at 11", "咖啡厅十一点开门")
    file.write_text("")
    assert read_sentences(file) == ()


@pytest.mark.req("LIFE-6")
def test_what_cannot_be_used_is_an_error_that_says_what_and_where(file: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_sentences(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="cannot be read"):
        read_sentences(file)
    file.write_text("fine\n" + "x" * 1001)
    with pytest.raises(SettingsError, match="line 2"):
        read_sentences(file)
    file.write_text("\n".join(f"Room {number} is free" for number in range(1001)))
    with pytest.raises(SettingsError, match="1001 sentences"):
        read_sentences(file)
