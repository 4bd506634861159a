"""What a new fact changes, decided without a model: by the slots that sentences fill, and by their vectors."""

from souvenir.memory.local_resolve.resolver import LocalResolver

__all__ = ["LocalResolver"]
