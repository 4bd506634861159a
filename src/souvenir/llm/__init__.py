"""Chat models: one port, any OpenAI-compatible endpoint and the offline provider behind it."""
