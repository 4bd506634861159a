"""Writes tests/fixtures/minilm_reference.json: what the original makes of some texts. Not part of the install.

It needs PyTorch, so it runs in an environment of its own; see docs/guides/embedders.md for the commands:

    HF_HUB_OFFLINE=1 python bench/make_reference.py FOLDER_WITH_THE_WEIGHTS
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

FIXTURE = Path(__file__).parent.parent / "tests" / "fixtures" / "minilm_reference.json"
DIGITS = 7

_SENTENCE = "On day {} we walked from the harbour up to the old lighthouse and wrote down every bird we saw. "
_PROSE = [
    "The meeting moved from Tuesday 14:30 to Thursday; Priya books the small room and sends the agenda around noon.",
    "My wife is called Jane, we have two children, and our dog Biscuit is afraid of thunderstorms and vacuum cleaners.",
    'Deploy failed: psycopg.OperationalError: connection to server at "10.0.3.7", port 5432 failed: timeout expired.',
]


def texts() -> list[str]:
    """Short to just under the window, several scripts, and what breaks naive tokenisers."""
    return [
        "Souvenir remembers.",
        "a",
        "",
        "   \n\t ",
        "What did Anna say about the trip to Lisbon?",
        "User prefers TypeScript over JavaScript for new projects.",
        "def area(r: float) -> float:\n    return math.pi * r**2  # m²",
        "v2.14.0-rc1 fixes CVE-2024-12345 (see issue #5858)",
        *_PROSE,
        " ".join(_PROSE),
        "Wo habe ich gestern meine Schlüssel hingelegt? Vermutlich auf die Küchenablage, größtenteils außer Sicht.",
        "Où est la bibliothèque ? Près de l'église Saint-Étienne, à côté du café.",
        "我昨天把钥匙放在厨房的桌子上了。",
        "昨日、鍵を台所のテーブルに置きました。カタカナも。",
        "어제 열쇠를 부엌 식탁 위에 두었어요.",
        "أين وضعت المفاتيح أمس؟ على طاولة المطبخ.",
        "איפה שמתי את המפתחות אתמול?",
        "Где я вчера оставил ключи? На кухонном столе.",  # noqa: RUF001 - Cyrillic on purpose
        "เมื่อวานฉันวางกุญแจไว้ที่ไหน",
        "Great job 🎉🎉 see you at the 🏖️ — 👩‍👩‍👧‍👦 and 🇵🇹!",
        "x" * 150,
        "nul \x00 and \ufffd and \u200b inside",
        *("".join(_SENTENCE.format(day) for day in range(count)) for count in (1, 2, 4, 7, 12)),
        "The key is under the third flower pot. " * 28,
    ]


def main() -> None:
    """Embed the texts with sentence-transformers and write the vectors, rounded."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - only in the other environment

    model = SentenceTransformer(sys.argv[1], device="cpu")
    given = texts()
    lengths = [len(ids) for ids in model.tokenizer(given)["input_ids"]]
    assert max(lengths) <= model.max_seq_length == 256, lengths
    vectors = model.encode(given, batch_size=1, normalize_embeddings=True)
    rounded = [[round(float(value), DIGITS) for value in vector] for vector in vectors]
    made_by = {name: version(name) for name in ("sentence-transformers", "torch", "transformers")}
    entries = [{"text": text, "vector": vector} for text, vector in zip(given, rounded, strict=True)]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=True) for entry in entries)
    FIXTURE.parent.mkdir(parents=True, exist_ok=True)
    FIXTURE.write_text(f'{{"made_by": {json.dumps(made_by)}, "texts": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{len(entries)} texts of {min(lengths)} to {max(lengths)} tokens, by {made_by}: {lengths}")


if __name__ == "__main__":
    main()
