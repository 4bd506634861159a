"""Texts made readable, and vectors of windows made one."""

import numpy as np
import pytest

from souvenir.embed.windows import average, readable, unit


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("plain", "plain"),
        ("größer 我 😀", "größer 我 😀"),
        ("a\x00b", "a\ufffdb"),
        ("\ud800", "\ufffd"),
        ("a\udc00b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("", ""),
    ],
)
def test_what_no_encoding_can_carry_is_replaced(text: str, read: str) -> None:
    assert readable(text) == read


def test_windows_are_averaged_by_their_weight_and_texts_keep_their_order() -> None:
    rows = np.array([[1, 0], [0, 1], [1, 0], [0, 1]], dtype=np.float32)
    made = average(rows, [7, 3, 1, 5], [1, 2, 1])
    np.testing.assert_allclose(made, [[1, 0], [1 / np.sqrt(10), 3 / np.sqrt(10)], [0, 1]], rtol=1e-6)
    assert made.dtype == np.float32


def test_texts_of_one_window_are_left_as_they_are() -> None:
    rows = np.array([[0.6, 0.8]], dtype=np.float32)
    assert average(rows, [3], [1]) is rows


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_rows_of_any_size_become_unit_length(scale: float) -> None:
    np.testing.assert_allclose(unit(np.array([[3.0, 4.0]]) * scale), [[0.6, 0.8]], rtol=1e-6)


def test_zeros_have_no_direction() -> None:
    assert np.isnan(unit(np.zeros((1, 2)))).all()
