"""How a long message is cut."""

from hypothesis import given
from hypothesis import strategies as st

from souvenir.retrieval.passages import pieces


@given(st.text(alphabet=st.sampled_from("ab .\n"), max_size=400), st.integers(2, 50))
def test_pieces_cover_a_text_whole_and_none_is_too_long(text: str, size: int) -> None:
    cut = list(pieces(text, size))
    assert "".join(text[start:end] for start, end in cut) == text
    assert all(end - start <= size for start, end in cut)
    assert len(cut) == 1 or all(start < end for start, end in cut)


def test_a_short_message_is_one_piece() -> None:
    assert list(pieces("hello there", 100)) == [(0, 11)]


def test_a_cut_is_made_between_paragraphs_where_there_are_any() -> None:
    text = "a" * 30 + ".\n\n" + "b" * 30
    assert [text[start:end].strip() for start, end in pieces(text, 40)] == ["a" * 30 + ".", "b" * 30]
