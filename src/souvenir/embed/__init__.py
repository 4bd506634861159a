"""Texts to vectors: one port, a built-in model and any OpenAI-compatible endpoint behind it."""
