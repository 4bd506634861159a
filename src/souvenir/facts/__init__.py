"""Exact facts: read from what is said, changed by sentence, and told again without guessing."""
