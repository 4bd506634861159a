"""Souvenir: long-term memory for chat, self-hosted."""

__version__ = "0.1.0"

__all__ = ["__version__"]
