"""Counts tokens for models whose own tokenizers are elsewhere, and rather too many than too few."""

import json
from collections.abc import Iterator

import structlog
from tokenizers import Tokenizer

from souvenir.config import Settings
from souvenir.embed.splitting import estimate
from souvenir.embed.weights import find_tokenizer
from souvenir.embed.windows import readable
from souvenir.errors import WeightsMissing
from souvenir.types import JsonObject

log = structlog.get_logger(__name__)

_LONGEST_TOKEN = 16  # characters; what this tokenizer skips, as white space, is not free elsewhere
_SLICE = 4_000  # characters read at a time, in about a millisecond
_REMEMBERED = 50_000  # counts
_MESSAGE_TOKENS = 4  # of a message's role and the signs between messages
_PART_TOKENS = 1100  # of a picture or a recording, which hosts count in ways of their own


class Tokens:
    """Counts with MiniLM's tokenizer, whose vocabulary is smaller than a chat model's; or else estimates.

    What it does not know, as emoji and words of a hundred letters, is estimated by its characters.
    """

    def __init__(self, tokenizer: Tokenizer | None) -> None:
        self._tokenizer = tokenizer
        self._counted: dict[tuple[int, int], int] = {}
        self._unknown = tokenizer.token_to_id("[UNK]") if tokenizer is not None else None

    @classmethod
    def load(cls, settings: Settings) -> "Tokens":
        """With the tokenizer that comes with the built-in embedder; where it is not on this machine, by estimate."""
        try:
            return cls(find_tokenizer(settings))
        except WeightsMissing as error:
            log.warning("tokens are only estimated", reason=str(error))
            return cls(None)

    def count(self, text: str, most: int | None = None) -> int:
        """The tokens of a text; some number above `most`, found without reading on, if there are more than that."""
        if most is not None and len(text) // _LONGEST_TOKEN > most:
            return len(text) // _LONGEST_TOKEN
        total = 0
        for start in range(0, len(text), _SLICE):
            total += self._known(text[start : start + _SLICE])
            if most is not None and total > most:
                break
        return total

    def of_message(self, message: JsonObject, most: int | None = None) -> int:
        """The tokens of a message with what is around it; like `count` it reads no further than `most` in a text."""
        return sum(self.count(text, most) for text in _texts(message)) + _around(message)

    def _known(self, text: str) -> int:
        """By what the text hashes to: every request of a long chat brings the same messages again."""
        key = (len(text), hash(text))
        if key not in self._counted:
            if len(self._counted) >= _REMEMBERED:
                self._counted.clear()
            self._counted[key] = self._read(text)
        return self._counted[key]

    def _read(self, text: str) -> int:
        if self._tokenizer is None:
            return estimate(text)
        text = readable(text)
        encoded = self._tokenizer.encode(text, add_special_tokens=False)
        found = len(encoded.ids)
        if self._unknown in encoded.ids:
            spans = zip(encoded.ids, encoded.offsets, strict=True)
            found += sum(_by_bytes(text[start:end]) - 1 for token, (start, end) in spans if token == self._unknown)
        return max(found + text.count("\n"), len(text) // _LONGEST_TOKEN)


def most_tokens(message: JsonObject) -> int:
    """More than any tokenizer makes of a message: it has no more tokens than bytes."""
    return bytes_of(message) + _around(message)


def bytes_of(message: JsonObject) -> int:
    """The length of a message's texts in UTF-8."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in _texts(message))


def _texts(message: JsonObject) -> Iterator[str]:
    for part in _parts(message):
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text
    if message.get("tool_calls"):
        yield json.dumps(message["tool_calls"])


def _around(message: JsonObject) -> int:
    others = sum(isinstance(part, dict) and not isinstance(part.get("text"), str) for part in _parts(message))
    return _MESSAGE_TOKENS + _PART_TOKENS * others


def _parts(message: JsonObject) -> list[object]:
    content = message.get("content")
    return content if isinstance(content, list) else [content]


def _by_bytes(text: str) -> int:
    """What is no word: one token for a letter and a half, two for a Chinese sign, three for an emoji."""
    return max(1, round(len(text.encode()) / 1.5))
