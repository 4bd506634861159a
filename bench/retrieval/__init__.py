"""Retrieval quality on public benchmark data: Souvenir over HTTP, plain floors, and peers side by side."""
